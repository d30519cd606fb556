"""A trial of a move says, by field, what the first run then changes; files that go are named."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import Change, Record
from tests.ckan import logins
from tests.ckan.adoption.stock_harvests import Stock, ids, numbered, of_another
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source of another harvester with five datasets; four are listed, one is new."""
    source_id = of_another(portal.source(publisher.url(PATH)), "dcat_json")
    before = numbered(5)
    before[1]["distribution"].append({"title": "Page", "downloadURL": "https://x.example/page"})
    Stock(source_id, portal.organization_id).fill(before)
    publisher.serve(PATH, catalogue([*numbered(4), dataset(7)]))
    return source_id


def dry_run(source_id: str, **more: Any) -> dict[str, Any]:
    source = HarvestSource.get(source_id)
    result = queue.get_harvester("data_json").dry_run(source, lambda *_: True, "", **more)
    model.Session.remove()
    return dict(result)


def changed_in_run(source_id: str) -> dict[str, set[str]]:
    """Return field → names of the datasets in which the last run changed it."""
    query = model.Session.query(model.Package.name, Change.fields).filter(
        Record.id == Change.record_id,
        Record.source_id == source_id,
        model.Package.id == Record.package_id,
        Change.kind == "updated",
    )
    fields: dict[str, set[str]] = {}
    for name, changes in query:
        for change in changes:
            fields.setdefault(change["field"], set()).add(name)
    return fields


def test_trial_equals_the_run_that_follows(portal: Portal, source: str) -> None:
    before = ids(portal)
    result = dry_run(source)
    adopted = result["adopted"]
    assert portal.datasets(), "nothing was saved"
    assert ids(portal) == before
    assert (adopted["unchanged"], adopted["changed"], adopted["missing"]) == (0, 4, 1)
    assert result["changes"]["added"] == 1
    of_another(source, "data_json")
    assert figures(portal.run(source)) == {"added": 1, "updated": 4, "missing": 1}
    ran = changed_in_run(source)
    assert {row["field"]: row["records"] for row in adopted["fields"]} == {
        field: len(names) for field, names in ran.items()
    }
    for row in adopted["fields"]:
        assert {example["name"] for example in row["examples"]} <= ran[row["field"]]
    [file] = adopted["files"]
    assert (file["url"], adopted["files_count"]) == ("https://x.example/page", 1)
    kept = {id_ for _package, _name, files in ids(portal).values() for id_ in files}
    gone = {id_ for _package, _name, files in before.values() for id_ in files} - kept
    assert gone == {file["id"]}


def test_command_writes_a_page_and_a_csv(
    portal: Portal, source: str, cli: Any, app: CKANTestApp, tmp_path: Path
) -> None:
    path = tmp_path / "move.csv"
    words = ["adopt", "--all", "--dry-run", "--sample", "2", "--output", str(path)]
    done = cli.invoke(ukharvest, words)
    assert done.exit_code == 0, done.output
    assert "A sample of 2 records of each source" in done.output
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["source"] for row in rows} == {"source-1"}
    counts = {row["what"]: row["number"] for row in rows if not row["field"]}
    assert counts["changed"] == "2"
    assert "missing" not in counts, "a sample does not know"
    notes, _second = [row for row in rows if row["field"] == "notes"]
    assert (notes["number"], notes["old"]) == ("2", "As the stock harvester wrote it.")
    page = app.get("/harvest/source-1/check", headers=logins.sysadmin()).body
    assert "What changes in the datasets here" in page
    assert "As the stock harvester wrote it." in page
    [preview] = model.Session.query(SourcePreview.id)
    with pytest.raises(tk.NotAuthorized):
        call_action(
            "ukharvest_source_preview_show", {"user": "", "ignore_auth": False}, id=preview.id
        )
