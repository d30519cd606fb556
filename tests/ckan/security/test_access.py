"""Permissions: errors and runs for those who may update a source; sources and datasets for all."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import (
    HarvestGatherError,
    HarvestJob,
    HarvestObject,
    HarvestObjectError,
)

from ckanext.ukharvest.harvest.model import JobReport, Record, RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, statements
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Response

pytestmark = pytest.mark.in_process

PATH = "/data.json"
NAME = "somewhere"
# A logged-in user without a role may do no more than an editor elsewhere.
OUTSIDERS = ("anonymous", "member", "editor of another organisation")
Session = model.Session


class Place(NamedTuple):
    """What an outsider may see, and what they must not read anywhere."""

    source: str
    jobs: list[str]
    objects: list[str]
    records: list[str]
    dataset: str
    secrets: list[str]


@pytest.fixture
def place(portal: Portal, ready_source: SourceMaker) -> Place:
    """A source with a failed record, one with a problem, and a failed run."""
    lost = dataset(1, title="")
    faulty = dataset(2, modified="the tenth of Brumaire")
    served, gone = catalogue([dataset(0), lost, faulty]), Response(b"gone", status=410)
    source = ready_source(PATH, served, name=NAME, then=[gone])
    jobs = [row[0] for row in Session.query(HarvestJob.id).order_by(HarvestJob.created)]
    told = (
        *(row[0] for row in Session.query(HarvestGatherError.message)),
        *(row[0] for row in Session.query(HarvestObjectError.message)),
        *(row[0] for row in Session.query(RecordProblem.message)),
        *(row[0] for row in Session.query(JobReport.reason) if row[0]),
    )
    assert len(told) >= 4
    return Place(
        source,
        jobs,
        [row[0] for row in Session.query(HarvestObject.id).filter_by(harvest_source_id=source)],
        [str(row[0]) for row in Session.query(Record.id).filter_by(source_id=source)],
        portal.datasets()[0]["name"],
        sorted(set(told)),
    )


@pytest.fixture(params=OUTSIDERS)
def outsider(request: pytest.FixtureRequest, organization: dict[str, str]) -> dict[str, str]:
    """{"name", "token"}, both empty for an anonymous user."""
    if request.param == "anonymous":
        return {"name": "", "token": ""}
    user = factories.UserWithToken()
    if request.param == "member":
        join(organization["id"], user["name"], "member")
    elif request.param.startswith("editor"):
        join(factories.Organization()["id"], user["name"], "editor")
    return {"name": user["name"], "token": user["token"]}


def join(organization_id: str, user: str, role: str) -> None:
    call_action("organization_member_create", id=organization_id, username=user, role=role)


def reading_actions() -> list[str]:
    """Return the names of all harvest actions that change nothing."""
    tk.get_action("package_show")  # CKAN collects them at the first question
    from ckan.logic import _actions

    return sorted(
        name
        for name, action in _actions.items()
        if "harvest" in name and getattr(action, "side_effect_free", False)
    )


def questions(place: Place) -> Iterator[dict[str, Any]]:
    """Return parameters for any action, whatever its parameters are called."""
    yield {}
    of_the_run = {"job_id": place.jobs[0], "dataset_id": place.dataset}
    for each in (place.source, NAME, *place.jobs, place.objects[0], *place.records, place.dataset):
        yield {"id": each, "source_id": place.source, "source": NAME}
    for each in place.objects[:2]:
        yield {"id": each, **of_the_run}
    yield {"source_id": place.source, "outcome": "lost", "code": "missing-title"}


def addresses(app: CKANTestApp, place: Place) -> Iterator[str]:
    """Return the URLs of every harvest page, with all values of its parts."""
    ids = {
        "name": (NAME,),
        "source": (NAME,),
        "package_type": ("harvest",),
        "id": (NAME, *place.jobs, place.objects[0], place.dataset, *place.records),
    }
    for rule in app.flask_app.url_map.iter_rules():
        if "harvest" not in rule.rule or "GET" not in (rule.methods or ()):
            continue
        if rule.rule.startswith(("/api", "/webassets")) or "/resource" in rule.rule:
            continue
        names = sorted(rule.arguments)
        for values in itertools.product(*(ids.get(each, ids["id"][:2]) for each in names)):
            address = rule.rule
            for name, value in zip(names, values, strict=True):
                address = re.sub(rf"<([^<>]+:)?{name}>", value, address)
            if "<" not in address:
                yield address


def test_an_editor_sees_them(place: Place, organization: dict[str, str]) -> None:
    user = factories.User()
    join(organization["id"], user["name"], "editor")
    context = {"user": user["name"], "model": model, "session": Session}
    status = tk.get_action("harvest_source_show_status")(context, {"id": place.source})
    assert status["last_job"]["gather_error_summary"]
    shown = [
        tk.get_action("harvest_object_show")(dict(context), {"id": each}) for each in place.objects
    ]
    assert [each["errors"] for each in shown if each["report_status"] == "errored"][0]


def test_the_short_status(place: Place) -> None:
    context = {"user": "", "model": model, "session": Session}
    with statements() as sent:
        status = tk.get_action("harvest_source_show_status")(context, {"id": place.source})
    finished = HarvestJob.get(place.jobs[0]).finished  # the later one failed
    assert status == {"job_count": 2, "last_job": {"finished": str(finished)}, "total_datasets": 2}
    assert len(sent) <= 8


def test_the_index_keeps_no_errors(place: Place) -> None:
    """A run's result is in the index, which everybody can search."""
    context = {"user": "", "ignore_auth": False}
    found = call_action("package_search", context=context, fq="dataset_type:harvest")
    assert found["count"] == 1
    text = json.dumps(found, ensure_ascii=False)
    assert '"total_datasets": 2' in text
    for secret in place.secrets:
        assert json.dumps(secret, ensure_ascii=False)[1:-1] not in text
