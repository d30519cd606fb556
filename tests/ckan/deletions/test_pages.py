"""Pending deletions: the page, the choices, and that only what was seen is deleted."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestObject
from lxml import html

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.records import decisions
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.logins import member, sysadmin
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1"),
]

PATH = "/data.json"
PAGE = "/harvest/somewhere/deletions"


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source with 6 of 10 datasets pending deletion."""
    return ready_source(PATH, catalogue(10), name="somewhere", then=[catalogue(4)])


@pytest.fixture
def pending_run(source: str, ready_source: SourceMaker) -> str:
    return ready_source.job_id


@pytest.fixture
def admin(organization: dict[str, str]) -> dict[str, str]:
    return member(organization, "admin")


def version(app: CKANTestApp, headers: dict[str, str]) -> str:
    found = re.search(r'name="version" value="(\w+)"', app.get(PAGE, headers=headers).body)
    assert found
    return found.group(1)


def decide(app: CKANTestApp, headers: dict[str, str], choice: str, seen: str) -> Any:
    fields = {"choice": choice, "version": seen}
    return app.post(PAGE, data=fields, headers=headers, follow_redirects=False)


def decide_by_api(decision: str, guids: list[str]) -> dict[str, Any]:
    values = {"source_id": "somewhere", "decision": decision, "guids": guids}
    return dict(call_action("ukharvest_pending_decide", **values))


def waiting() -> int:
    return int(call_action("ukharvest_pending_list", source_id="somewhere")["count"])


def test_page_shows_reason_and_datasets_to_who_may_see_them(
    app: CKANTestApp, pending_run: str, organization: dict[str, str], admin: dict[str, str]
) -> None:
    body = app.get(PAGE, headers=admin).body
    for words in (
        "6 datasets would be deleted",
        "Nothing has been deleted.",
        "That is 60% of this source",
        "This portal asks before deleting more than 50% of a source",
        'value="wait" aria-describedby="ukharvest-help-wait" checked',
        "Dataset 00004",
    ):
        assert words in body
    assert "20%" not in body
    (table,) = html.fromstring(body).xpath("//table[.//button[@name='guid']]")
    assert [each.text for each in table.iterfind(".//th[@scope='col']")][1:] == [
        "Last seen",
        "Action",
    ]
    answer = app.get(f"{PAGE}.csv", headers=admin).body
    assert [row["title"] for row in csv.DictReader(io.StringIO(answer))] == [
        f"Dataset {number:05}" for number in range(4, 10)
    ]
    run = app.get(f"/harvest/somewhere/job/{pending_run}", headers=admin).body
    assert f'href="{PAGE}"' in run

    editor = member(organization, "editor")
    body = app.get(PAGE, headers=editor).body
    assert "An administrator of Somewhere Council can decide this" in body
    assert 'name="choice"' not in body
    seen = version(app, admin)
    decide(app, editor, "keep", seen)
    app.get(f"{PAGE}/delete?version={seen}", headers=editor, status=403)
    app.post(f"{PAGE}/delete", data={"version": seen}, headers=editor, status=403)
    assert waiting() == 6, "an editor decides nothing"

    private = {"private": True, "owner_org": factories.Organization()["id"]}
    call_action("package_patch", id="dataset-00005", **private)
    for page in (PAGE, f"{PAGE}.csv"):
        body = app.get(page, headers=admin).body
        assert "Dataset 00004" in body
        assert "Dataset 00005" not in body, "another organisation's private dataset"
        assert "dataset-00005" not in body
    answer = decide(app, admin, "wait", version(app, admin))
    assert answer.status_code == 302
    assert waiting() == 6, "“not yet” changes nothing"


def test_deleting_takes_a_second_page(
    app: CKANTestApp, portal: Portal, pending_run: str, admin: dict[str, str]
) -> None:
    seen = version(app, admin)
    answer = decide(app, admin, "delete", seen)
    assert answer.headers["Location"].endswith(f"{PAGE}/delete?version={seen}")
    body = app.get(f"{PAGE}/delete?version={seen}", headers=admin).body
    assert "Delete 6 datasets" in body
    assert "A sysadmin can restore them until the trash is emptied." in body
    assert len(portal.datasets()) == 10
    done = app.post(f"{PAGE}/delete", data={"version": seen}, headers=admin).body
    assert "6 datasets were deleted. Next run: Not scheduled." in done
    assert len(portal.datasets()) == 4
    assert "Nothing is waiting for a decision" in app.get(PAGE, headers=admin).body
    [decision] = call_action("ukharvest_run_show", id=pending_run)["decisions"]
    assert decision["text"] == "Deletions approved: 6"


def test_a_list_that_changed_is_refused(
    app: CKANTestApp,
    portal: Portal,
    publisher: Publisher,
    source: str,
    admin: dict[str, str],
) -> None:
    seen = version(app, admin)
    publisher.serve(PATH, catalogue(3))
    portal.run(source)
    for choice in ("keep", "delete"):
        decide(app, admin, choice, seen)
    app.post(f"{PAGE}/delete", data={"version": seen}, headers=admin, follow_redirects=False)
    app.post(f"{PAGE}/delete", headers=admin, follow_redirects=False)
    body = app.get(f"{PAGE}/delete?version={seen}", headers=admin).body
    assert "The source has changed since you opened this page. Check it again." in body
    assert len(portal.datasets()) == 10
    assert waiting() == 7


def test_kept_datasets_stay_and_come_back_into_step(
    app: CKANTestApp,
    portal: Portal,
    publisher: Publisher,
    source: str,
    pending_run: str,
    admin: dict[str, str],
) -> None:
    run = f"/harvest/somewhere/job/{pending_run}"
    assert "Review the deletions" in app.get(run, headers=admin).body
    decide(app, admin, "keep", version(app, admin))
    assert waiting() == 0
    body = app.get(run, headers=admin).body
    assert "Review the deletions" not in body
    assert re.search(r"<p>\S+: Datasets kept: 6", body)
    job = portal.run(source)
    assert job["ukharvest"]["outcome"] == "unchanged"
    assert job["stats"]["missing"] == 0
    assert len(portal.datasets()) == 10
    [kept] = [each for each in portal.datasets() if each["title"] == "Dataset 00005"]
    told = call_action("ukharvest_dataset_show", id=kept["id"])
    assert (told["state"], told["runs_left"]) == ("kept", None)
    assert call_action("ukharvest_record_show", id=told["record_id"])["outcome"] == "kept"
    listed = call_action("ukharvest_record_list", source_id=source, outcome="kept")
    assert (listed["count"], listed["listed"]) == (6, {"unchanged": 4, "kept": 6})
    for address, words in (
        (f"/dataset/{kept['name']}", "the dataset was kept. Edits made here are lost only if"),
        (f"/harvest/somewhere/record/{told['record_id']}", "Kept: no longer in the source"),
    ):
        assert words in app.get(address, headers=admin).body
    publisher.serve(PATH, catalogue([*(dataset(n) for n in range(4)), dataset(5, title="New")]))
    assert portal.run(source)["stats"]["updated"] == 1
    assert "New" in [each["title"] for each in portal.datasets()]
    [decision] = call_action("ukharvest_run_show", id=pending_run)["decisions"]
    assert (decision["decision"], decision["number"]) == ("datasets kept", 6)


def test_single_datasets_are_kept_and_the_rest_deleted(
    app: CKANTestApp,
    portal: Portal,
    pending_run: str,
    organization: dict[str, str],
    admin: dict[str, str],
) -> None:
    rows = call_action("ukharvest_pending_list", source_id="somewhere")["results"]
    keep = {"choice": "keep", "guid": rows[1]["guid"]}
    app.post(PAGE, data=keep, headers=member(organization, "editor"), status=403)
    answer = app.post(PAGE, data=keep, headers=admin, follow_redirects=False)
    assert answer.headers["Location"].endswith(PAGE)
    assert waiting() == 5
    body = app.post(PAGE, data={**keep, "guid": "of another source"}, headers=admin).body
    assert "Nothing changes." in body
    assert waiting() == 5
    assert call_action("ukharvest_run_show", id=pending_run)["outcome"] == "held"
    body = app.get(PAGE, headers=admin).body
    assert "5 datasets would be deleted" in body
    assert f'value="{rows[2]["guid"]}" id="keep-2" aria-labelledby="keep-2 row-2"' in body
    assert "1 dataset is kept" in body
    form = {"version": version(app, admin)}
    app.post(f"{PAGE}/delete", data=form, headers=admin, follow_redirects=False)
    titles = sorted(package["title"] for package in portal.datasets())
    assert titles == [f"Dataset {number:05}" for number in (0, 1, 2, 3, 5)]
    texts = [row["text"] for row in call_action("ukharvest_run_show", id=pending_run)["decisions"]]
    assert texts == ["Datasets kept: 1", "Deletions approved: 5"]


@pytest.mark.parametrize("decision", ["approve", "withdraw"])
def test_no_list_of_datasets_narrows_another_decision(
    pending_run: str, portal: Portal, decision: str
) -> None:
    [row, *_others] = call_action("ukharvest_pending_list", source_id="somewhere")["results"]
    with pytest.raises(tk.ValidationError) as refused:
        decide_by_api(decision, [row["guid"]])
    assert refused.value.error_dict.keys() == {"guids"}
    assert decide_by_api("keep", [])["kept"] == 0
    assert waiting() == 6
    assert len(portal.datasets()) == 10


def test_many_are_deleted_by_the_consumers(
    app: CKANTestApp, portal: Portal, publisher: Publisher, admin: dict[str, str]
) -> None:
    publisher.serve(PATH, catalogue(30))
    source_id = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source_id)
    publisher.serve(PATH, catalogue(2))
    portal.run(source_id)
    seen = version(app, admin)
    app.post(f"{PAGE}/delete", data={"version": seen}, headers=admin, follow_redirects=False)
    assert len(portal.datasets()) == 30
    newest = model.Session.query(HarvestJob).order_by(HarvestJob.created.desc()).first()
    job_id = newest.id
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert portal.finish(job_id)["stats"]["deleted"] == 28
    assert len(portal.datasets()) == 2
    body = app.get(f"/harvest/somewhere/job/{job_id}", headers=sysadmin()).body
    assert "Deleted <strong>28</strong>" in body


def test_a_record_that_came_back_is_not_deleted_any_more(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    """As soon as a run saw it, and not when it is imported, which may be hours later."""
    changed = [dataset(number, description="Back again.") for number in range(10)]
    publisher.serve(PATH, catalogue(changed))
    job_id = portal.create_job(source)
    portal.gather(job_id)
    assert call_action("ukharvest_pending_list", source_id=source)["results"] == []
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert len(portal.datasets()) == 10


def test_approved_deletion_checks_again(portal: Portal, publisher: Publisher, source: str) -> None:
    kind = DecisionKind.DELETIONS_APPROVED
    done = decisions.decide_pending(source, kind, factories.Sysadmin()["name"])
    back = model.Session.query(Record).filter_by(source_id=source, missed_runs=1).first()
    guid, back.missed_runs = back.guid, 0
    model.Session.commit()
    source_type = TYPES[HarvestObject.get(done.object_ids[0]).source.type]
    import_stage.import_batch(source_type, done.object_ids, lambda _id: None)
    assert done.job_id
    kept = model.Session.query(Record).filter_by(source_id=source, guid=guid).one()
    assert model.Package.get(kept.package_id).state == "active"
    assert len(portal.datasets()) == 5


def test_kept_datasets_make_no_run_read_all(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    call_action("ukharvest_pending_decide", source_id=source, decision="keep")
    publisher.serve(PATH, catalogue(4), etag='"v2"')
    portal.run(source)
    portal.run(source)
    assert publisher.requests[-1].headers.get("If-None-Match") == '"v2"'


def test_decisions_about_kept_datasets_end_with_the_next_run(
    app: CKANTestApp, source: str, admin: dict[str, str]
) -> None:
    keep = {"choice": "keep", "version": version(app, admin)}
    kept = app.post(PAGE, data=keep, headers=admin).body
    assert "They are no longer updated. Next run: Not scheduled." in kept
    (form,) = html.fromstring(app.get(PAGE, headers=admin).body).xpath("//form[.//@name='run']")
    act("harvest_source_patch", id=source, frequency="DAILY")
    sent = {field.get("name"): field.get("value") for field in form.xpath(".//*[@name]")}
    withdrawn = app.post(PAGE, data={**sent, "run": ""}, headers=admin).body
    assert re.search(r"deletes them, or .+ they are many\. Next run: \d+ \w+ 20", withdrawn)
    assert "Run requested." in app.post(PAGE, data=sent, headers=admin).body


def test_a_decision_about_identifiers_can_start_a_run(
    app: CKANTestApp, portal: Portal, publisher: Publisher, admin: dict[str, str]
) -> None:
    publisher.serve(PATH, catalogue(4))
    portal.run(portal.source(publisher.url(PATH), name="parking"))
    publisher.serve(PATH, catalogue([dataset(n, identifier=f"urn:new-{n}") for n in range(4)]))
    portal.run(model.Package.get("parking").id)
    page = "/harvest/parking/identifiers"
    seen = re.search(r'name="version" value="(\w+)"', app.get(page, headers=admin).body)
    assert seen
    form = {"choice": "same", "version": seen[1], "run": "1"}
    assert "Run requested" in app.post(page, data=form, headers=admin).body
    (run,) = call_action("ukharvest_run_list", source="parking", limit=1)["results"]
    assert run["finished"] is None
    assert (
        call_action("ukharvest_pending_list", source_id="parking", kind="identifier")["count"] == 0
    )
