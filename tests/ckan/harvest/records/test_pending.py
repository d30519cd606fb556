"""All identifiers of a feed change at the same URL: nothing is doubled or deleted unasked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Change, Record, RecordVersion
from tests.ckan import gemini_records
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.folders import Folder
from tests.ckan.harvest.moved_datasets import remade
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.ckan.logins import member
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher
from tests.publishing.csw import CSW, Catalogue, dublin_core

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]

PATH = "/data.json"
XML = {"Content-Type": "application/xml"}


def http_dataset(number: int, **fields: Any) -> dict[str, Any]:
    """Return a dataset with http everywhere, as ``dataset`` has https."""
    found = dataset(number, **fields)
    files = [
        {**each, "downloadURL": each["downloadURL"].replace("https:", "http:")}
        for each in found["distribution"]
    ]
    return {
        **found,
        "identifier": found["identifier"].replace("https:", "http:"),
        "distribution": files,
    }


def serve(publisher: Publisher, datasets: Any, **more: Any) -> None:
    publisher.serve(PATH, catalogue(datasets), **more)


def ids(portal: Portal) -> dict[str, tuple[str, list[str]]]:
    """Return id of each dataset → its name and resource ids."""
    return {
        each["id"]: (each["name"], [r["id"] for r in each["resources"]])
        for each in portal.datasets()
    }


def changes(source_id: str) -> dict[str, Any]:
    return dict(call_action("ukharvest_pending_list", source_id=source_id, kind="identifier"))


def decide(source_id: str, decision: str, **fields: Any) -> Any:
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": False}
    fields |= {"source_id": source_id, "decision": decision}
    return call_action("ukharvest_pending_decide", context, **fields)


OLD = catalogue([http_dataset(n) for n in range(8)])
NEW = catalogue([dataset(n) for n in range(8)])


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source with eight datasets."""
    return ready_source(PATH, OLD, name="somewhere")


@pytest.fixture
def changed(ready_source: SourceMaker) -> str:
    """The same, after a run that found all of its records under new identifiers."""
    return ready_source(PATH, OLD, name="somewhere", then=[NEW])


def test_new_identifiers_of_all_records_wait_for_decision(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    before = ids(portal)
    publisher.serve(PATH, NEW)
    for _ in range(3):
        job = portal.run(source)
        assert figures(job) == {}
        assert job["ukharvest"]["outcome"] == "held"
        assert job["ukharvest"]["counts"]["new_identifiers"] == 8
        assert "8 of 8 missing records have a new record" in job["ukharvest"]["reason"]
        assert ids(portal) == before
    found = changes(source)
    assert found["count"] == 8
    assert found["job_id"] == job["id"]
    first = found["results"][0]
    assert first["guid"] == "http://data.example/id/00000"
    assert first["new_guid"] == "https://data.example/id/00000"
    assert first["dataset_name"] == "dataset-00000"
    assert call_action("ukharvest_pending_list", source_id=source)["count"] == 0
    publisher.serve(PATH, OLD)
    assert figures(portal.run(source)) == {"not modified": 8}
    assert changes(source)["count"] == 0, "old identifiers that come back end the question"


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_small_source_deletes_nothing_unasked(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    before = ids(portal)
    serve(publisher, [remade(n) for n in range(8)])
    for _ in range(2):
        portal.run(source)
        assert ids(portal) == before


@pytest.mark.parametrize("new", [dataset, remade])
def test_same_datasets_keep_pages_ids_and_history(
    portal: Portal, publisher: Publisher, source: str, new: Callable[..., dict[str, Any]]
) -> None:
    before = ids(portal)
    serve(publisher, [new(n, description="New words.") for n in range(8)])
    portal.run(source)
    assert decide(source, "same")["datasets"] == 8
    guids = {new(n)["identifier"] for n in range(8)}
    assert {extras(each)["guid"] for each in portal.datasets()} == guids
    assert figures(portal.run(source)) == {"updated": 8}
    assert ids(portal) == before
    assert {each["notes"] for each in portal.datasets()} == {"New words."}
    assert model.Session.query(Record).count() == 8
    assert {row.guid for row in model.Session.query(Record)} == guids
    assert model.Session.query(RecordVersion).count() == 16
    assert model.Session.query(Change).filter_by(kind="updated").count() == 8
    assert figures(portal.run(source)) == {"not modified": 8}
    assert changes(source)["count"] == 0
    assert decide(source, "same")["datasets"] == 0


def test_different_datasets_go_their_own_ways(
    portal: Portal, publisher: Publisher, changed: str
) -> None:
    before = ids(portal)
    assert decide(changed, "different")["datasets"] == 8
    assert figures(portal.run(changed)) == {"added": 8, "missing": 8}
    assert call_action("ukharvest_pending_list", source_id=changed)["count"] == 8
    assert before.items() <= ids(portal).items()
    # The new ones count in the share from now on; what waits goes on waiting.
    assert figures(portal.run(changed)) == {"not modified": 8, "missing": 8}
    assert call_action("ukharvest_pending_list", source_id=changed)["count"] == 8
    assert before.items() <= ids(portal).items()


def test_other_records_of_the_run_go_on(portal: Portal, publisher: Publisher, source: str) -> None:
    others = [dataset(20, title="Quite new"), http_dataset(7, description="Changed.")]
    serve(publisher, [*(dataset(n) for n in range(5)), *others])
    job = portal.run(source)
    assert figures(job) == {"added": 1, "updated": 1, "missing": 2}
    assert job["ukharvest"]["counts"]["new_identifiers"] == 5
    assert changes(source)["count"] == 5
    decide(source, "same")
    assert figures(portal.run(source)) == {"updated": 5, "not modified": 2, "deleted": 2}


@pytest.mark.parametrize("same", [1, 2])
def test_few_equal_titles_are_no_change(
    portal: Portal, publisher: Publisher, source: str, same: int
) -> None:
    new = [remade(n) for n in range(same)]
    new += [remade(n, title=f"Other {n}", distribution=[]) for n in range(same, 6)]
    serve(publisher, [*new, http_dataset(6), http_dataset(7)])
    job = portal.run(source)
    assert figures(job) == {"added": 6, "not modified": 2, "missing": 6}
    assert job["ukharvest"]["outcome"] == "shrunk"


def test_incomplete_run_imports_none_that_waits(
    portal: Portal, publisher: Publisher, changed: str
) -> None:
    nameless = dataset(9)
    del nameless["identifier"]
    old = http_dataset(0)
    serve(publisher, [old, *(dataset(n) for n in range(1, 8)), nameless])
    job = portal.run(changed)
    assert not job["ukharvest"]["complete"]
    assert figures(job) == {"not modified": 1, "errored": 1}
    assert changes(changed)["count"] == 7
    assert len(portal.datasets()) == 8


def test_unchanged_document_does_not_end_the_question(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    serve(publisher, [dataset(n) for n in range(8)], etag='"2"')
    portal.run(source)
    assert figures(portal.run(source)) == {}
    assert changes(source)["count"] == 8
    last = [each for each in publisher.requests if each.path == PATH][-1]
    assert "If-None-Match" not in last.headers


def test_one_record_that_waits_is_not_imported_alone(
    portal: Portal, changed: str, cli: Any
) -> None:
    guid = "https://data.example/id/00003"
    output = cli.invoke(ukharvest, ["run", "somewhere", "--guid", guid]).output
    assert "waits for a decision" in output
    assert len(portal.datasets()) == 8


def test_list_without_titles_is_fetched_before_the_first_import(
    portal: Portal,
    folder: Folder,
) -> None:
    folder.is_listing = True
    source_id = portal.source("http://folder.example/")
    assert figures(portal.run(source_id)) == {"added": 5}
    before = ids(portal)
    folder.files = {n + 10: ("1", {"title": f"Dataset {n:05}"}) for n in range(5)}
    assert figures(portal.run(source_id)) == {}
    assert ids(portal) == before
    decide(source_id, "same")
    assert figures(portal.run(source_id)) == {"updated": 5}
    assert ids(portal).keys() == before.keys()
    assert figures(portal.run(source_id)) == {"not modified": 5}


def test_contents_that_were_fetched_to_compare_are_kept(
    portal: Portal,
    folder: Folder,
) -> None:
    folder.is_listing = True
    source_id = portal.source("http://folder.example/")
    portal.run(source_id)
    folder.files = {n + 10: ("1", {"title": f"Quite new {n}"}) for n in range(5)}
    job_id = portal.create_job(source_id)
    portal.gather(job_id)
    assert sorted(folder.read) == [10, 11, 12, 13, 14]
    contents = model.Session.query(HarvestObject.content).filter_by(harvest_job_id=job_id)
    assert all(row[0] for row in contents)
    folder.read = []
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert folder.read == []
    assert figures(portal.finish(job_id)) == {"added": 5, "missing": 5}


def serve_folder(publisher: Publisher, guids: list[str], name: str = "{}.xml") -> str:
    """Serve a folder of GEMINI records, with titles by their number. Return its URL."""
    names = [name.format(number) for number in range(len(guids))]
    for number, guid in enumerate(guids):
        record = gemini_records.dataset(guid, f"Rivers {number}")
        publisher.serve(f"/waf/{names[number]}", record, headers=XML)
    links = "".join(f'<li><a href="{name}">x</a></li>' for name in names)
    page = f"<html><head><title>Records</title></head><body><ul>{links}</ul></body></html>"
    publisher.serve("/waf/", page, headers={"Content-Type": "text/html"})
    return publisher.url("/waf/")


def serve_csw(publisher: Publisher, guids: list[str], _name: str = "") -> str:
    """Serve a catalogue that lists identifiers alone; records are read by them. Return its URL."""
    whole = {}
    for number, guid in enumerate(guids):
        record = gemini_records.dataset(guid, f"Rivers {number}")
        whole[guid] = record.partition("?>")[2]
    listed = [dublin_core(guid) for guid in guids]
    return Catalogue(listed, whole=whole, schemas=(CSW,)).serve(publisher)


@pytest.mark.parametrize(
    ("type_", "serve_records", "name"),
    [
        ("gemini-waf", serve_folder, "{}.xml"),
        ("gemini-waf", serve_folder, "new-{}.xml"),
        ("gemini-csw", serve_csw, ""),
    ],
    ids=["same files", "other files", "by id"],
)
def test_gemini_records_under_new_identifiers_wait(
    portal: Portal,
    publisher: Publisher,
    type_: str,
    serve_records: Callable[..., str],
    name: str,
) -> None:
    url = serve_records(publisher, [gemini_records.uuid(n) for n in range(4)])
    source_id = portal.source(url, type_)
    assert figures(portal.run(source_id)) == {"added": 4}
    before = ids(portal)
    publisher.routes.clear()
    serve_records(publisher, [gemini_records.uuid(n + 50) for n in range(4)], name)
    assert figures(portal.run(source_id)) == {}
    assert changes(source_id)["count"] == 4
    decide(source_id, "same")
    assert figures(portal.run(source_id)) == {"updated": 4}
    assert ids(portal) == before
    assert figures(portal.run(source_id)) == {"not modified": 4}


def test_unchanged_runs_ask_nothing_more(portal: Portal, publisher: Publisher, source: str) -> None:
    portal.run(source)
    job_id = portal.create_job(source)
    with statements("harvest_object_extra") as extra, statements("ukharvest_pending") as state:
        portal.gather(job_id)
    assert not [each for each in extra if each.startswith("SELECT")]
    # The end of a run also looks, in one statement, whether an earlier one still waits.
    asked = [each for each in state if "UPDATE ukharvest_job AS run" not in each]
    assert len(asked) == 1
    assert asked[0].startswith("SELECT")
    assert len(state) - len(asked) <= 1


def test_record_without_current_titles_is_matched_by_its_dataset(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    model.Session.query(Record).update({"title": "", "resources": None})
    model.Session.commit()
    serve(publisher, [remade(n, distribution=[]) for n in range(8)])
    assert figures(portal.run(source)) == {}
    assert changes(source)["count"] == 8


def test_dataset_that_a_person_deleted_leaves_the_list(portal: Portal, changed: str) -> None:
    version = changes(changed)["version"]
    act("package_delete", id="dataset-00003")
    assert changes(changed)["count"] == 7
    with pytest.raises(tk.ValidationError, match="has changed since"):
        decide(changed, "same", version=version)
    assert decide(changed, "same", version=changes(changed)["version"])["datasets"] == 7


def test_nothing_is_decided_while_the_source_is_read(portal: Portal, changed: str) -> None:
    job = HarvestJob.get(portal.create_job(changed))
    job.status = "Running"
    job.save()
    with pytest.raises(tk.ValidationError, match="has not ended"):
        decide(changed, "same")
    assert changes(changed)["count"] == 8


def test_command_shows_datasets_and_decides(portal: Portal, changed: str, cli: Any) -> None:
    shown = cli.invoke(ukharvest, ["identifiers", "somewhere"]).output
    assert "https://data.example/id/00007" in shown
    assert "--same or --different" in shown
    assert changes(changed)["count"] == 8
    done = cli.invoke(ukharvest, ["identifiers", "somewhere", "--same"]).output
    assert "Kept under their new identifiers: 8." in done
    assert "No identifiers" in cli.invoke(ukharvest, ["identifiers", "somewhere"]).output
    assert figures(portal.run(changed)) == {"updated": 8}


PAGE = "/harvest/somewhere/identifiers"


def choose(app: CKANTestApp, headers: dict[str, str], choice: str, **more: Any) -> Any:
    page = app.get(PAGE, headers=headers).body
    version = re.search(r'name="version" value="(\w+)"', page)
    fields = {"choice": choice, "version": version.group(1) if version else ""}
    return app.post(PAGE, data=fields, headers=headers, follow_redirects=False, **more)


def test_page_offers_administrators_the_choice(
    app: CKANTestApp, portal: Portal, changed: str, organization: dict[str, str]
) -> None:
    admin = member(organization, "admin")
    source = app.get("/harvest/somewhere", headers=admin).body
    assert "Waiting for a decision: 8 datasets may have new identifiers" in source
    assert f'href="{PAGE}"' in source
    run = app.get(f"/harvest/somewhere/job/{changes(changed)['job_id']}", headers=admin).body
    assert f'href="{PAGE}"' in run
    assert "The new records were not imported, and nothing was deleted." in run
    page = app.get(PAGE, headers=admin).body
    assert "8 datasets may have new identifiers" in page
    assert "These are the same datasets: keep pages and ids" in page
    assert "They are different" in page
    assert "https://data.example/id/00007" in page

    editor = member(organization, "editor")
    page = app.get(PAGE, headers=editor).body
    assert "An administrator of Somewhere Council can decide this" in page
    assert 'name="choice"' not in page
    app.post(PAGE, data={"choice": "same", "version": "x"}, headers=editor, status=403)
    assert changes(changed)["count"] == 8, "editors only look"
    fields = {"choice": "same", "version": "0123"}
    answer = app.post(PAGE, data=fields, headers=admin, follow_redirects=True)
    assert "The source has changed since" in answer.body
    assert changes(changed)["count"] == 8, "a list that has changed is refused"
    choose(app, admin, "wait")
    assert changes(changed)["count"] == 8
    answer = choose(app, admin, "same")
    assert answer.status_code == 302
    assert "Nothing is waiting for a decision" in app.get(PAGE, headers=admin).body
    assert figures(portal.run(changed)) == {"updated": 8}
