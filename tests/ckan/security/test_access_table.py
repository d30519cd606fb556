"""Who may call each action: one table, over the API, for all roles and for tokens that ended.

A new action without its row fails. A refused call has changed nothing in the database and queues.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest import previews as source_previews
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.previews import jobs as preview_jobs
from tests.ckan.access import (
    ADMINS,
    ALL,
    ANY_EDITOR,
    EDITORS,
    LOGGED_IN,
    MEMBERS,
    ROLES,
    SYSADMINS,
    Headers,
    headers_of_roles,
    stored_state,
)
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Session = model.Session


class Row(NamedTuple):
    """An action, who may call it, and with what; "@name" stands for an id of the place."""

    action: str
    who: frozenset[str]
    given: dict[str, Any] = {}


SOURCE = {"source_id": "@source"}
ID_OF_SOURCE = {"id": "@source"}
RUN = {"id": "@run"}
LAST = {"id": "@last run"}
TAGS = '{"default_tags": ["a"]}'
TESTED = {"source_type": "data_json", "url": "@url"}
URL = "https://data.example/another.json"
NEW = {"name": "parking", "title": "Parking", "url": "https://data.example/new.json"}
MAIL = {**SOURCE, "addresses": ["data@somewhere.example"], "events": ["failed"]}
CREATED = {**NEW, "source_type": "data_json", "owner_org": "@organization"}
KIND = {
    "code": "bad-date",
    "field": "modified",
    "reason": "Known",
    "until": (datetime.now(timezone.utc).date() + timedelta(days=30)).isoformat(),
}
TABLE = [
    # What is public, or is shown as far as the user may see it.
    Row("harvest_source_list", ALL),
    Row("harvest_source_show", ALL, ID_OF_SOURCE),
    Row("harvest_source_show", MEMBERS, {"id": "@private source"}),
    Row("harvest_source_show_status", ALL, ID_OF_SOURCE),
    Row("harvest_source_show_status", MEMBERS, {"id": "@private source"}),
    Row("harvesters_info_show", ALL),
    Row("ukharvest_source_list", ALL),
    Row("ukharvest_source_show", ALL, SOURCE),
    Row("ukharvest_source_show", MEMBERS, {"source_id": "@private source"}),
    Row("ukharvest_stars_list", ALL, {"organization": "@organization"}),
    Row("ukharvest_stars_list", ALL, {"group_by": "organization"}),
    Row("ukharvest_data_check_list", ALL),
    Row("ukharvest_data_check_list", ALL, {"group_by": "schema"}),
    Row("ukharvest_type_list", ALL),
    Row("ukharvest_place_list", ALL, {"q": "Leeds"}),
    # Tests: who has the id; who may start one, as long as visitors may not.
    Row("ukharvest_source_preview_show", ALL, {"id": "@check"}),
    Row("ukharvest_source_preview_show", ALL, {"id": "@preview"}),
    Row("ukharvest_source_preview_show", ALL, {"id": "@dry run"}),
    Row("ukharvest_source_preview_stop", SYSADMINS, {"id": "@check"}),
    Row("ukharvest_source_preview_create", LOGGED_IN, {"text": "{}"}),
    # Datasets: who may read them; harvest objects without one: who may update the source.
    Row("harvest_object_show", ALL, {"id": "@object"}),
    Row("harvest_object_show", MEMBERS, {"id": "@private object"}),
    Row("harvest_object_show", EDITORS, {"id": "@failed object"}),
    Row("ukharvest_dataset_change_list", ALL, {"id": "@dataset"}),
    Row("ukharvest_dataset_change_list", MEMBERS, {"id": "@private dataset"}),
    Row("ukharvest_dataset_show", ALL, {"id": "@dataset"}),
    Row("ukharvest_dataset_show", MEMBERS, {"id": "@private dataset"}),
    Row("ukharvest_link_show", ALL, {"id": "@resource"}),
    Row("ukharvest_link_show", MEMBERS, {"id": "@private resource"}),
    Row("ukharvest_data_check_show", ALL, {"id": "@resource"}),
    Row("ukharvest_data_check_show", MEMBERS, {"id": "@private resource"}),
    Row("ukharvest_stars_show", ALL, {"id": "@dataset"}),
    Row("ukharvest_stars_show", MEMBERS, {"id": "@private dataset"}),
    Row("ukharvest_theme_suggest", LOGGED_IN, {"title": "Roads"}),
    # Runs, problems and settings of a source: who may update it.
    Row("harvest_object_list", EDITORS, SOURCE),
    Row("harvest_object_list", SYSADMINS),
    Row("harvest_job_list", EDITORS, SOURCE),
    Row("harvest_job_report", EDITORS, RUN),
    Row("harvest_job_show", EDITORS, RUN),
    Row("ukharvest_deletion_list", EDITORS, SOURCE),
    Row("ukharvest_identifier_change_list", EDITORS, SOURCE),
    Row("ukharvest_link_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_link_list", SYSADMINS),
    Row("ukharvest_broken_link_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_broken_link_list", EDITORS, {"organization": "@organization"}),
    Row("ukharvest_broken_link_list", SYSADMINS),
    Row("ukharvest_broken_link_list", EDITORS, {"source": "@source", "group_by": "host"}),
    Row("ukharvest_broken_link_list", SYSADMINS, {"group_by": "source"}),
    Row("ukharvest_mail_show", EDITORS, SOURCE),
    Row("ukharvest_problem_group_list", EDITORS, SOURCE),
    Row("ukharvest_problem_group_list", EDITORS, {"job_id": "@run"}),
    Row("ukharvest_problem_list", EDITORS, SOURCE),
    Row("ukharvest_problem_list", EDITORS, {"job_id": "@run"}),
    Row("ukharvest_record_list", EDITORS, SOURCE),
    Row("ukharvest_record_list", EDITORS, {"job_id": "@run"}),
    Row("ukharvest_record_show", EDITORS, {"id": "@record"}),
    Row("ukharvest_record_version_list", EDITORS, {**SOURCE, "guid": "@guid"}),
    Row("ukharvest_run_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_run_list", SYSADMINS),
    Row("ukharvest_decision_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_decision_list", SYSADMINS),
    Row("ukharvest_run_show", EDITORS, RUN),
    Row("ukharvest_source_preview_show", EDITORS, SOURCE),
    Row("ukharvest_source_preview_show", EDITORS, {"id": "@move"}),
    # The portal.
    Row("harvest_get_notifications_recipients", SYSADMINS, SOURCE),
    Row("harvest_log_list", SYSADMINS),
    Row("ukharvest_dashboard_show", SYSADMINS),
    Row("ukharvest_doctor_show", SYSADMINS),
    Row("ukharvest_notice_show", ANY_EDITOR),
    Row("ukharvest_notice_update", SYSADMINS, {"text": "Closed on Monday"}),
    # What changes something. A user has one dry run at a time: the first is under way already.
    Row("ukharvest_source_preview_create", EDITORS, SOURCE),
    Row("ukharvest_source_move", EDITORS, {**SOURCE, "dry_run_id": "@move"}),
    Row("harvest_source_create", EDITORS, CREATED),
    Row("harvest_source_patch", EDITORS, {**ID_OF_SOURCE, "title": "Another"}),
    Row("harvest_source_reindex", EDITORS, ID_OF_SOURCE),
    Row(
        "harvest_source_update",
        EDITORS,
        {**CREATED, "id": "@source", "name": "somewhere", "url": URL},
    ),
    Row("ukharvest_link_check", EDITORS, {"id": "@dataset"}),
    Row("ukharvest_mail_update", EDITORS, MAIL),
    Row("ukharvest_mail_update", EDITORS, {**SOURCE, "test": True}),
    Row("ukharvest_schedule_update", EDITORS, {**SOURCE, "time": "03:00"}),
    Row("ukharvest_source_preview_create", EDITORS, {**SOURCE, "url": "@moved url"}),
    Row("ukharvest_source_preview_create", ANY_EDITOR, {**TESTED, "config": TAGS}),
    Row("ukharvest_source_preview_create", EDITORS, {**TESTED, "id": "@source"}),
    Row("ukharvest_source_preview_stop", EDITORS, {"id": "@dry run"}),
    Row("ukharvest_run_create", EDITORS, {"record_id": "@record"}),
    Row("ukharvest_run_stop", EDITORS, LAST),
    Row("ukharvest_run_create", EDITORS, SOURCE),
    Row("ukharvest_run_stop", EDITORS, LAST),
    Row("harvest_job_create", EDITORS, SOURCE),
    Row("harvest_send_job_to_gather_queue", EDITORS, {**LAST, **SOURCE}),
    Row("harvest_job_abort", SYSADMINS, LAST),
    Row("harvest_job_create_all", SYSADMINS, {"run": False}),
    Row("harvest_jobs_run", SYSADMINS),
    Row("harvest_abort_failed_jobs", SYSADMINS, {"life_span": 7}),
    Row("harvest_object_create", SYSADMINS, {"guid": "one", "job_id": "@run"}),
    Row("harvest_objects_import", SYSADMINS, {"harvest_object_id": "@object"}),
    Row("harvest_sources_reindex", SYSADMINS),
    Row("ukharvest_source_adopt", SYSADMINS, {**SOURCE, "dry_run": True}),
    Row("ukharvest_run_stop", EDITORS, LAST),
    # What removes datasets or history: administrators.
    Row("ukharvest_identifier_change_decide", ADMINS, {**SOURCE, "decision": "same"}),
    Row("ukharvest_identifier_change_decide", ADMINS, {**SOURCE, "decision": "different"}),
    Row("ukharvest_problem_decide", ADMINS, {**SOURCE, **KIND, "decision": "accept"}),
    Row("ukharvest_problem_decide", ADMINS, {**SOURCE, **KIND, "decision": "list"}),
    Row("ukharvest_deletion_decide", ADMINS, {**SOURCE, "decision": "keep"}),
    Row("ukharvest_deletion_decide", ADMINS, {**SOURCE, "decision": "approve"}),
    Row("harvest_source_index_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_source_job_history_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_sources_job_history_clear", SYSADMINS),
    Row("harvest_source_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_source_delete", EDITORS, ID_OF_SOURCE),
]
# ckanext-harvest has no auth function for it: an error for all but sysadmins.
REFUSED = {"harvest_log_list": 500}
# What a role is answered after another one made the change: it exists, or is gone.
AGAIN = {
    "harvest_job_create": {500},  # ckanext-harvest's
    "harvest_source_delete": {200, 404},
    "ukharvest_source_move": {404},
}
# Once loaded again, ckanext-harvest also registers its auth functions as actions (one default
# argument collects both). This one is no action; it only returns whether something is allowed.
AUTH_ONLY = {"harvest_sources_clear"}


@pytest.fixture
def people(
    organization: dict[str, str], tables: None, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Headers]:
    # As CKAN sets it; the tests' ini lets every user create datasets without an organisation.
    monkeypatch.setitem(ckan_config, "ckan.auth.create_unowned_dataset", False)
    return headers_of_roles(organization["id"])


@pytest.fixture
def place(portal: Portal, publisher: Publisher, organization: dict[str, str]) -> dict[str, str]:
    """The ids that the table names: a source with one dataset, a private and a failed one."""
    failed = dataset(2, title="")
    publisher.serve("/data.json", catalogue([dataset(0), dataset(1, modified="soon"), failed]))
    publisher.serve("/other.json", catalogue(1))
    source = portal.source(publisher.url("/data.json"), name="somewhere")
    hidden = portal.source(publisher.url("/other.json"), name="hidden", private=True)
    run = portal.run(source)["id"]
    shown, private = portal.datasets()
    act("package_patch", id=private["id"], private=True)
    objects = {
        each.package_id: each.id
        for each in Session.query(HarvestObject).filter_by(harvest_job_id=run)
    }
    record = Session.query(Record).filter_by(source_id=source, package_id=shown["id"]).one()
    tested = {"source_type": "data_json", "url": publisher.url("/other.json")}
    moved = {"source_type": "data_json", "url": publisher.url("/moved.json"), "config": ""}
    move = source_previews.add("nobody", source_id=source, **moved).id
    publisher.serve("/moved.json", catalogue([dataset(0), dataset(1), failed]))
    preview_jobs.run(move)
    return {
        "url": publisher.url("/other.json"),
        "organization": organization["id"],
        "source": source,
        "private source": hidden,
        "run": run,
        "dataset": shown["id"],
        "private dataset": private["id"],
        "resource": shown["resources"][0]["id"],
        "private resource": private["resources"][0]["id"],
        "object": objects[shown["id"]],
        "private object": objects[private["id"]],
        "failed object": objects[None],
        "record": record.id,
        "guid": record.guid,
        "dry run": act("ukharvest_source_preview_create", source_id=source)["id"],
        "preview": act("ukharvest_source_preview_create", **tested)["id"],
        "check": act("ukharvest_source_preview_create", text="{}")["id"],
        "moved url": publisher.url("/moved.json"),
        "move": move,
    }


def filled(given: dict[str, Any], place: dict[str, str]) -> dict[str, Any]:
    return {
        key: place[value[1:]] if isinstance(value, str) and value.startswith("@") else value
        for key, value in given.items()
    }


def call(app: CKANTestApp, row: Row, place: dict[str, str], headers: Headers) -> Any:
    Session.remove()
    runs = Session.query(HarvestJob.id).filter_by(source_id=place["source"])
    place["last run"] = runs.order_by(HarvestJob.created.desc()).limit(1).scalar()
    return app.post(
        f"/api/3/action/{row.action}", json=filled(row.given, place), headers=headers, status=None
    )


def test_each_action_has_its_row() -> None:
    tk.get_action("package_show")  # CKAN collects them at the first question
    from ckan.logic import _actions

    registered = {name for name in _actions if "harvest" in name} - AUTH_ONLY
    assert {row.action for row in TABLE} ^ registered == set()
    assert len(registered) > 60


def test_refused_role_changes_nothing(
    app: CKANTestApp, place: dict[str, str], people: dict[str, Headers]
) -> None:
    wrong = []
    before = stored_state()
    for row in TABLE:
        for role in (role for role in ROLES if role not in row.who):
            status = call(app, row, place, people[role]).status_code
            refused = status == REFUSED.get(row.action, 403) or status == 403
            wrong += [] if refused else [(row.action, role, status)]
        after = stored_state()
        changed = [name for name in {*after, *before} if after.get(name) != before.get(name)]
        wrong += [(row.action, "changed", changed)] if changed else []
        before = after
    assert not wrong, "\n".join(map(str, wrong))


def test_allowed_role_can_call_each_action(
    app: CKANTestApp, place: dict[str, str], people: dict[str, Headers]
) -> None:
    """The first of them succeeds; a change that was made already may be refused as such (409)."""
    wrong = []
    for row in TABLE:
        for number, role in enumerate(role for role in ROLES if role in row.who):
            answer = call(app, row, place, people[role])
            allowed = {200} if number == 0 or row.who == ALL else AGAIN.get(row.action, {200, 409})
            if answer.status_code not in allowed:
                wrong.append((row.action, row.given, role, answer.status_code, answer.body[:300]))
    assert not wrong, "\n".join(map(str, wrong))
