"""The table of actions: who may call each, and with which parameters."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from ckan import model
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob

from tests.ckan.access import (
    ADMINS,
    ALL,
    ANY_EDITOR,
    EDITORS,
    LOGGED_IN,
    MEMBERS,
    SYSADMINS,
    Headers,
)

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
WAITING = {"source_id": "@private source", "url": "@url", "source_type": "data_json"}
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
VALUES = [{"field": "theme", "value": "Wheels", "ours": "Transport"}]
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
    Row("ukharvest_to_do_list", LOGGED_IN),
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
    Row("ukharvest_pending_list", EDITORS, SOURCE),
    Row("ukharvest_pending_list", EDITORS, {**SOURCE, "kind": "identifier"}),
    Row("ukharvest_link_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_link_list", SYSADMINS),
    Row("ukharvest_broken_link_list", EDITORS, {"source": "@source"}),
    Row("ukharvest_broken_link_list", EDITORS, {"organization": "@organization"}),
    Row("ukharvest_broken_link_list", SYSADMINS),
    Row("ukharvest_broken_link_list", EDITORS, {"source": "@source", "group_by": "host"}),
    Row("ukharvest_broken_link_list", SYSADMINS, {"group_by": "source"}),
    Row("ukharvest_mail_show", EDITORS, SOURCE),
    Row("ukharvest_value_list", EDITORS, SOURCE),
    Row("ukharvest_value_list", SYSADMINS),
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
    Row("ukharvest_duplicate_list", ANY_EDITOR),
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
    Row("ukharvest_value_update", EDITORS, {**SOURCE, "values": VALUES}),
    Row("ukharvest_value_update", SYSADMINS, {"values": VALUES}),
    Row("ukharvest_schedule_update", EDITORS, {**SOURCE, "time": "03:00"}),
    Row("ukharvest_schedule_update", EDITORS, {**SOURCE, "cron": "0 3 * * *"}),
    Row("ukharvest_dataset_attach", EDITORS, {**SOURCE, "pairs": [], "dry_run": True}),
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
    Row("ukharvest_source_refuse", SYSADMINS, {**WAITING, "reason": "No agreement"}),
    Row("ukharvest_source_approve", SYSADMINS, WAITING),
    Row("harvest_jobs_run", SYSADMINS),
    Row("harvest_abort_failed_jobs", SYSADMINS, {"life_span": 7}),
    Row("harvest_object_create", SYSADMINS, {"guid": "one", "job_id": "@run"}),
    Row("harvest_objects_import", SYSADMINS, {"harvest_object_id": "@object"}),
    Row("harvest_sources_reindex", SYSADMINS),
    Row("ukharvest_source_adopt", SYSADMINS, {**SOURCE, "dry_run": True}),
    Row("ukharvest_run_stop", EDITORS, LAST),
    Row("ukharvest_duplicate_decide", EDITORS, {"id": "@pair", "decision": "different"}),
    Row("ukharvest_duplicate_undo", EDITORS, {"id": "@join"}),
    # What removes datasets or history: administrators.
    Row("ukharvest_pending_decide", ADMINS, {**SOURCE, "decision": "same"}),
    Row("ukharvest_pending_decide", ADMINS, {**SOURCE, "decision": "different"}),
    Row("ukharvest_problem_decide", ADMINS, {**SOURCE, **KIND, "decision": "accept"}),
    Row("ukharvest_problem_decide", ADMINS, {**SOURCE, **KIND, "decision": "list"}),
    Row("ukharvest_pending_decide", ADMINS, {**SOURCE, "decision": "keep"}),
    Row("ukharvest_pending_decide", ADMINS, {**SOURCE, "decision": "approve"}),
    Row("harvest_source_index_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_source_job_history_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_sources_job_history_clear", SYSADMINS),
    Row("harvest_source_clear", ADMINS, ID_OF_SOURCE),
    Row("harvest_source_delete", EDITORS, ID_OF_SOURCE),
]


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
