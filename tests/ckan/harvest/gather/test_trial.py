"""Dry runs put records through the portal's own form, and save nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ckan.plugins as p
import lxml.html
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestObjectError, HarvestSource
from click.testing import CliRunner, Result

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import datasets as doctor_datasets
from ckanext.ukharvest.harvest.gather import previews
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.previews import jobs
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, figures
from tests.ckan.previews.previewing import as_, start_preview, work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

SECOND = Path(__file__).parents[2] / "second_package"
PATH = "/data.json"


@pytest.fixture(autouse=True)
def second(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other extension is installed."""
    monkeypatch.syspath_prepend(str(SECOND))


def serve(publisher: Publisher, *rows: dict[str, Any]) -> str:
    publisher.serve(PATH, catalogue(rows))
    return publisher.url(PATH)


def dry_run(source_id: str) -> dict[str, Any]:
    source = HarvestSource.get(source_id)
    result = queue.get_harvester(source.type).dry_run(source, lambda *_: True)
    model.Session.remove()
    return dict(result)


def table_sizes() -> dict[str, int]:
    """Return the number of rows of each table."""
    model.Session.remove()
    names = sa.inspect(model.meta.engine).get_table_names()
    count = {
        name: model.Session.scalar(sa.select(sa.func.count()).select_from(sa.table(name)))
        for name in names
    }
    model.Session.remove()
    return count


def failed_titles() -> set[str]:
    model.Session.remove()
    return {row.title for row in model.Session.query(Record).filter_by(outcome="errored")}


def test_dry_run_lists_what_the_form_refuses(portal: Portal, publisher: Publisher) -> None:
    rows = [dataset(0), dataset(1, title="Parks"), dataset(2, title="Roads", version=1)]
    with portal_with("", "strict_form"):
        source = portal.source(serve(publisher, *rows))
        before = table_sizes()
        result = dry_run(source)
        assert table_sizes() == before
        refused = result["refused"]
        assert (refused["tried"], refused["records"]) == (3, 3)
        of_author = next(row for row in refused["fields"] if row["field"] == "author")
        assert of_author["records"] == 3
        assert of_author["reasons"] == [{"text": "Missing value", "records": 3}]
        assert [row["title"] for row in refused["examples"]] == ["Dataset 00000", "Parks", "Roads"]
        assert (result["verdict"], result["fates"]) == ("no", {"lost": 3})
        assert figures(portal.run(source)) == {"errored": 3}
        assert failed_titles() == {row["title"] for row in refused["examples"]}
        [message] = {row.message for row in model.Session.query(HarvestObjectError)}
        for name, text in refused["examples"][0]["fields"].items():
            assert f"{name}: {text}" in message


def test_dry_run_of_known_datasets_tries_updates(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(serve(publisher, dataset(0), dataset(1)))
    assert figures(portal.run(source)) == {"added": 2}
    serve(publisher, dataset(0), dataset(1, title="Changed"), dataset(2))
    before = table_sizes()
    result = dry_run(source)
    assert result["changes"] == {"unchanged": 1, "updated": 1, "added": 1, "missing": 0}
    assert result["refused"] == {"tried": 2, "records": 0, "fields": [], "examples": []}
    with portal_with("", "strict_form"):
        result = dry_run(source)
        assert table_sizes() == before
        assert result["refused"]["records"] == 2
        assert result["changes"] == {"unchanged": 1, "missing": 0}
        assert figures(portal.run(source)) == {"errored": 2, "not modified": 1}


def test_hooks_are_called_in_dry_runs(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "second_hook"):
        rows = [dataset(0, title="Parks"), dataset(1, title="Parks elsewhere")]
        result = dry_run(portal.source(serve(publisher, *rows)))
    assert result["fates"] == {"fine": 1, "skipped": 1}
    assert result["sample"][1]["why"] == "second_hook: of another council"


@pytest.mark.parametrize("past_patches", [False, True])
def test_hook_that_commits_fails_in_a_dry_run(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, past_patches: bool
) -> None:
    with portal_with("", "committing_hook"):
        plugin = type(p.get_plugin("committing_hook"))
        monkeypatch.setattr(plugin, "past_patches", past_patches)
        source = portal.source(serve(publisher, dataset(0), dataset(1)))
        before = table_sizes()
        result = dry_run(source)
        assert table_sizes() == before
    assert result["fates"] == {"lost": 2}
    [group] = [group for group in result["problems"] if group["severity"] == "lost"]
    assert group["code"] == "hook-failed"
    assert "the plugin committing_hook of this portal failed" in group["examples"][0]["message"]
    assert "commits" in group["examples"][0]["message"]


def run_command(*words: str) -> Result:
    result = CliRunner().invoke(ukharvest, [*words])
    model.Session.remove()
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_commands_show_what_would_be_refused(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "strict_form"):
        source = portal.source(serve(publisher, dataset(0), dataset(1)), name="council")
        words = ["This portal’s own form refuses 2 records", "author: 2", "Missing value (2)"]
        result = run_command("run", "council", "--dry-run")
        assert result.exit_code == 1
        assert [word for word in words if word not in result.output] == []

        config = '{"package_schema": "form"}'
        stored = model.Session.query(HarvestSource).filter_by(id=source)
        stored.update({"type": "dcat_json", "config": config})
        model.Session.commit()
        before = table_sizes()
        result = run_command("adopt", "council", "--dry-run", "--read")
        assert result.exit_code == 1
        assert [word for word in words if word not in result.output] == []
        # Its result is kept for a day.
        assert table_sizes() == {**before, "ukharvest_trial": 1}
        assert run_command("adopt", "council", "--dry-run").exit_code == 0
        model.Session.query(HarvestSource).filter_by(id=source).update({"config": ""})
        model.Session.commit()
        result = run_command("adopt", "council", "--dry-run", "--read")
        assert result.exit_code == 0, "as ckanext-dcat did, past the form"
        assert 'package_schema: added: "stock"' in result.output
        assert run_command("adopt", "council", "--read").exit_code != 0


def test_page_of_a_test_shows_what_the_form_refuses(
    portal: Portal, publisher: Publisher, app: CKANTestApp
) -> None:
    with portal_with("", "strict_form"):
        url = serve(publisher, dataset(0))
        source = portal.source(url, name="council")
        place = {"source_id": source, "source_type": "data_json", "url": url}
        preview = previews.add_preview("somebody", **place)
        jobs.run(preview.id)
        shown = call_action("ukharvest_source_preview_show", id=preview.id)
        assert shown["result"]["refused"]["records"] == 1
        assert "This portal’s own form refuses 1 record." in shown["text"]
        page = lxml.html.fromstring(app.get(f"/harvest/test/{preview.id}").body)
        row = page.xpath("//tr[contains(., 'Missing value')]")[0].text_content().split()
        assert row == ["author", "Missing", "value", "1"]


def show_test(user: dict[str, str], publisher: Publisher, **more: Any) -> dict[str, Any]:
    """Test what a form sends that is not saved; return the test."""
    begun = start_preview(user, publisher, **more)
    work()
    return dict(as_(user, "ukharvest_source_preview_show", id=begun["id"]))


def test_unsaved_source_is_tried_as_a_run_ends_it(
    portal: Portal, publisher: Publisher, editor: dict[str, str]
) -> None:
    with portal_with("", "strict_form", "second_hook"):
        rows = [dataset(0), dataset(1, title="Parks elsewhere"), dataset(2, title="Roads")]
        url = serve(publisher, *rows)
        before = table_sizes()
        shown = show_test(editor, publisher, owner_org=portal.organization_id)
        assert table_sizes() == {**before, "ukharvest_trial": 1}
        refused = shown["result"]["refused"]
        assert (refused["tried"], refused["records"]) == (3, 2)
        assert "This portal’s own form refuses 2 records." in shown["text"]
        assert shown["result"]["fates"] == {"lost": 2, "skipped": 1}
        config = {"default_extras": ["author=Roads"]}
        own = {"owner_org": portal.organization_id, "config": json.dumps(config)}
        assert show_test(editor, publisher, **own)["result"]["refused"]["records"] == 0
        source = portal.source(url)
        assert figures(portal.run(source)) == {"errored": 2, "not modified": 1}
        [message] = {row.message for row in model.Session.query(HarvestObjectError)}
        for name, text in refused["examples"][0]["fields"].items():
            assert f"{name}: {text}" in message
        # The form of the saved source, with options that are not saved.
        own = {"id": source, "config": json.dumps(config)}
        assert show_test(editor, publisher, **own)["result"]["refused"]["records"] == 0
        assert show_test(editor, publisher, id=source)["result"]["refused"]["records"] == 2


def test_unsaved_source_is_another_route_as_in_a_run(
    portal: Portal, publisher: Publisher, editor: dict[str, str]
) -> None:
    url = serve(publisher, dataset(0), dataset(1))
    portal.run(portal.source(url))
    publisher.serve("/2.json", catalogue([dataset(0), dataset(2)]))
    own = {"owner_org": portal.organization_id, "url": publisher.url("/2.json")}
    shown = show_test(editor, publisher, **own)
    assert shown["result"]["fates"] == {"skipped": 1, "fine": 1}
    second = portal.source(publisher.url("/2.json"))
    assert figures(portal.run(second)) == {"not modified": 1, "added": 1}


def test_portal_is_asked_only_for_editors_of_the_organisation(
    portal: Portal, publisher: Publisher, editor: dict[str, str], app: CKANTestApp
) -> None:
    other = factories.Organization(users=[{"name": editor["name"], "capacity": "member"}])
    stranger = factories.User()
    with portal_with("", "strict_form"):
        serve(publisher, dataset(0))
        for name in (other["id"], "nonsense"):
            with pytest.raises(tk.NotAuthorized):
                start_preview(editor, publisher, owner_org=name)
        with pytest.raises(tk.ValidationError, match="no organisation"):
            start_preview(factories.Sysadmin(), publisher, owner_org="nonsense")
        assert show_test(editor, publisher)["result"]["refused"] is None
        shown = show_test(editor, publisher, owner_org=portal.organization_id)
        assert shown["result"]["refused"]["records"] == 1
        with pytest.raises(tk.NotAuthorized):
            as_(stranger, "ukharvest_source_preview_show", id=shown["id"])
        sent = {"source_type": "data_json", "url": publisher.url(PATH), "owner_org": other["id"]}
        headers = {"Authorization": factories.APIToken(user=editor["name"])["token"]}
        for owner_org, refused in ((other["id"], 0), (portal.organization_id, 1)):
            sent["owner_org"] = owner_org
            app.post("/harvest/test", data=sent, headers=headers, follow_redirects=False)
            work()
            latest = model.Session.query(previews.SourcePreview)
            latest = latest.order_by(previews.SourcePreview.created.desc()).first()
            assert ((latest.result["refused"] or {}).get("records", 0)) == refused


def test_doctor_names_sources_that_the_form_refuses(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "strict_form"):
        url = serve(publisher, dataset(0), dataset(1, title="Parks"))
        source = portal.source(url, name="council")
        assert list(doctor_datasets.refused_by_form()) == []
        preview = previews.add_preview(
            "somebody", source_id=source, source_type="data_json", url=url
        )
        jobs.run(preview.id)
        [finding] = doctor_datasets.refused_by_form()
        assert (finding.level, finding.code) == ("error", "form")
        assert "1 source in their last test: council (2 of 2)" in finding.message
        portal.run(source)
        [finding] = doctor_datasets.refused_by_form()
        assert "1 source in their last run: council (2 of 2)" in finding.message
    portal.run(source)
    assert list(doctor_datasets.refused_by_form()) == []
