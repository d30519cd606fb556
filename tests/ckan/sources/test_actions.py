"""Sources, runs and source types as lists: pages, API and a bounded cost."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Pending, Record
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, figures, statements
from tests.ckan.people import Person
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher, ready_source: SourceMaker) -> str:
    source = ready_source(PATH, catalogue(3), frequency="WEEKLY", name="parking")
    publisher.serve(PATH, catalogue(2))
    portal.run(source)
    return source


def test_a_source_with_its_last_run(portal: Portal, publisher: Publisher, source: str) -> None:
    missing = model.Session.query(Record).filter(Record.missed_runs > 0).one()
    for guid in (missing.guid, "gone"):
        model.Session.add(Pending(source_id=source, kind="deletion", guid=guid))
    model.Session.commit()
    found = call_action("ukharvest_source_list")
    assert found["count"] == 1
    (row,) = found["results"]
    run = row.pop("last_run")
    assert row.pop("next_run").endswith("+00:00")
    assert row.pop("last_good_run") == run["finished"]
    assert row == {
        "id": source,
        "name": "parking",
        "title": "Source 1",
        "type": "data_json",
        "organization": "somewhere-council",
        "organization_title": "Somewhere Council",
        "organization_type": "",
        "url": publisher.url(PATH),
        "frequency": "WEEKLY",
        "may_manage": True,
        "health": "held",
        "health_reason": "deletions",
        "state": "held",
        "since": None,
        "datasets": 3,
        "held_deletions": 1,
    }
    assert (run["status"], run["outcome"], run["mode"]) == ("Finished", "unchanged", "normal")
    assert figures(run) == {"not modified": 2, "missing": 1}


def test_runs_come_newest_first_and_in_pages(portal: Portal, source: str) -> None:
    both = call_action("ukharvest_run_list")
    assert both["count"] == 2
    for run in both["results"]:
        assert figures(run) == figures(portal.job(run["id"]))
    assert [figures(run) for run in both["results"]] == [
        {"not modified": 2, "missing": 1},
        {"added": 3},
    ]
    assert both["results"][0]["source"] == "parking"
    second = call_action("ukharvest_run_list", source=source, limit="1", offset="1")
    assert second["results"] == both["results"][1:]
    portal.source("https://data.example/other.json")
    assert call_action("ukharvest_run_list", source="source-2") == {"count": 0, "results": []}
    with pytest.raises(tk.ObjectNotFound):
        call_action("ukharvest_run_list", source="nobody")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_run_list", limit="many")


def test_states_of_sources(portal: Portal, publisher: Publisher) -> None:
    names = ("a-running", "b-queued", "c-never", "d-gone")
    ids = {
        name: portal.source(publisher.url(f"/{name}"), name=name, frequency="MANUAL")
        for name in names
    }
    portal.gather(portal.create_job(ids["a-running"]))
    portal.create_job(ids["b-queued"])
    user = factories.Sysadmin()["name"]
    call_action("harvest_source_delete", {"user": user}, id=ids["d-gone"])
    listed = call_action("ukharvest_source_list")["results"]
    assert [(row["name"], row["state"]) for row in listed] == [
        ("a-running", "finishing"),
        ("b-queued", "queued"),
        ("c-never", "new"),
    ]
    assert listed[2]["last_run"] is None
    every = call_action("ukharvest_source_list", include_inactive=True, offset=3)
    assert every["count"] == 4
    assert [(row["name"], row["state"]) for row in every["results"]] == [("d-gone", "off")]


# ckanext-harvest's own harvest_source_list takes 26 statements for 10 sources, 96 with status.
def test_ten_sources_cost_as_many_statements_as_one(portal: Portal, source: str) -> None:
    def cost(action: str) -> int:
        model.Session.remove()
        with statements() as sent:
            call_action(action)
        return len(sent)

    portal.create_job(portal.source("https://data.example/waits.json"))
    before = cost("ukharvest_source_list"), cost("ukharvest_run_list")
    assert before[0] <= 18
    assert before[1] <= 12
    for number in range(9):
        other = portal.source(f"https://data.example/{number}.json")
        portal.create_job(other)
    assert call_action("ukharvest_source_list")["count"] == 11
    assert (cost("ukharvest_source_list"), cost("ukharvest_run_list")) == before


def test_the_lists_answer_to_get(app: CKANTestApp, source: str, sysadmin: Person) -> None:
    for action in ("source_list", "run_list", "type_list", "doctor_show"):
        address = f"/api/3/action/ukharvest_{action}"
        assert app.get(address, headers=sysadmin["headers"]).json["success"]


def test_types_with_their_options() -> None:
    kinds = {kind["name"]: kind for kind in call_action("ukharvest_type_list")}
    kind = kinds["data_json"]
    assert kind["enabled"]
    assert "datajson" in kind["aliases"]
    options = {option["name"]: option for option in kind["options"]}
    assert {"paging", "default_tags"} <= set(options)
    assert options["default_tags"]["default"] == []
    assert all(option["help"] for option in options.values())
    json.dumps(kinds)


def test_the_commands_as_json_csv_and_table(cli: Any, source: str) -> None:
    rows = json.loads(cli.invoke(ukharvest, ["sources", "--format", "json"]).output)
    assert [(row["name"], row["last_run"]["stats"]["missing"]) for row in rows] == [("parking", 1)]
    text = cli.invoke(ukharvest, ["runs", "--source", "parking", "--format", "csv"]).output
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["missing"], second["added"], second["outcome"]) == ("1", "3", "finished")
    table = cli.invoke(ukharvest, ["sources"]).output.splitlines()
    assert [line.split()[-1] for line in table] == ["Name", "parking"]
    assert table[1].startswith("Healthy")
    assert max(map(len, table)) <= 100
    limited = cli.invoke(ukharvest, ["runs", "--limit", "1"]).output.splitlines()
    assert len(limited) == 2
    types = cli.invoke(ukharvest, ["types"]).output
    assert "\ndata_json: data.json\n" in types
    assert "other names: datajson" in types
    listed = csv.DictReader(io.StringIO(cli.invoke(ukharvest, ["types", "--format", "csv"]).output))
    assert "default_tags" in {row["option"] for row in listed}
    wrong = cli.invoke(ukharvest, ["runs", "--source", "nobody"])
    assert wrong.exit_code == 2
    assert "ckan ukharvest sources" in wrong.output


def test_a_wrong_name_has_one_exit_code(cli: Any, pooled: None) -> None:
    for words in (
        *("run nobody", "runs --source nobody", "adopt nobody", "approve nobody", "diff nobody x"),
        *("links nobody", "prune --source nobody", "stars nobody"),
    ):
        wrong = cli.invoke(ukharvest, words.split())
        assert wrong.exit_code == 2, (words, wrong.output)
        assert "nobody" in wrong.output, words


def test_json_stands_alone_on_standard_output(
    ckan: Callable[..., subprocess.CompletedProcess[str]], source: str
) -> None:
    model.Session.remove()
    (row,) = json.loads(ckan("ukharvest", "sources", "--format", "json").stdout)
    assert row["name"] == "parking"
    assert model.Session.query(HarvestObject).count() == 3
