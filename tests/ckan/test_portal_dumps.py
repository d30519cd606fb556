"""A portal of an earlier commit after ``ckan db upgrade``: nothing lost, nothing imported again."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import __version__, model
from ckan.lib import jobs, search
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestSource
from rq.job import Job

from ckanext.ukharvest.model import (
    Change,
    Record,
    RecordProblem,
    SourcePreview,
    SourceState,
    privileged_options,
    utcnow,
)
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_dumps import dump
from tests.ckan.portal_dumps.portal import (
    FAULTY,
    GONE,
    HELD,
    LEFT,
    RECORDS,
    places,
    publishers,
    serve_last,
)

pytestmark = pytest.mark.in_process
# Dumps by the last migration of ours that they contain.
DUMPS = {"before-floors": "0007"}
# The source types that there were then; each has a source of its name.
TYPES = (
    "ckan",
    "data_json",
    "dcat_rdf",
    "dkan",
    "gemini-csw",
    "gemini-single",
    "gemini-waf",
    "inventory",
)
VERSION = ".".join(__version__.split(".")[:2])
Session = model.Session
CONFIRMED = {"default_groups": ["transport"]}


@pytest.fixture(params=DUMPS)
def upgraded(
    request: pytest.FixtureRequest,
    clean: None,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> Iterator[None]:
    """The portal, upgraded as a sysadmin does it, with the same publishers."""
    with publishers() as found:
        Session.remove()
        ckan("db", "downgrade", "-p", "ukharvest", "-v", DUMPS[request.param])
        real = {place: url for url, place in places(found).items()}
        dump.load(dump.path(request.param, VERSION), real)
        confirm_as_before(source_of(HELD))
        ckan("db", "upgrade", "-p", "ukharvest")
        search.rebuild(force=True)
        serve_last(found)
        yield


def confirm_as_before(source_id: str) -> None:
    """Note options as a sysadmin confirmed them before migration 0008."""
    noted = sa.text("UPDATE ukharvest_source SET recipients = :noted WHERE source_id = :id")
    values = {"id": source_id, "noted": json.dumps({"confirmed": CONFIRMED})}
    Session.execute(noted, values)
    Session.commit()


def recipients(source_id: str) -> Any:
    """Return what processes of before migration 0008 read."""
    Session.remove()
    asked = sa.text("SELECT recipients FROM ukharvest_source WHERE source_id = :id")
    return Session.scalar(asked, {"id": source_id})


def source_of(name: str) -> str:
    return str(model.Package.get(name).id)


def packages() -> set[tuple[Any, ...]]:
    Session.remove()
    columns = model.Package.id, model.Package.name, model.Package.metadata_modified
    return set(Session.query(*columns).filter_by(type="dataset", state="active"))


def test_the_next_run_of_every_source_changes_nothing(upgraded: None) -> None:
    portal = Portal(model.Group.by_name("somewhere-council").id)
    # All are due since the day of the dump; the runs here are started one by one.
    Session.query(HarvestSource).update({"next_run": utcnow() + timedelta(days=1)})
    Session.commit()
    before = packages()
    for type_ in TYPES:
        assert figures(portal.run(source_of(type_))) == {"not modified": RECORDS}, type_
    assert figures(portal.run(source_of(FAULTY))) == {"not modified": 2}
    job = portal.run(source_of(HELD))
    assert figures(job) == {"not modified": LEFT, "missing": GONE}
    assert job["ukharvest"]["outcome"] == "held"
    assert packages() == before


def test_history_problems_decisions_and_schedules_are_there(upgraded: None) -> None:
    for type_ in TYPES:
        assert Session.query(HarvestJob).filter_by(source_id=source_of(type_)).count() == 3
        source = HarvestSource.get(source_of(type_))
        assert (source.frequency, source.type) == ("DAILY", type_)
    assert Session.query(Change).filter_by(kind="updated").count() == len(TYPES)
    faulty = Session.query(RecordProblem).join(Record).filter_by(source_id=source_of(FAULTY)).all()
    assert {(each.code, each.field) for each in faulty} == {("bad-date", "modified")}
    listed = act("ukharvest_deletion_list", source_id=source_of(HELD))
    assert len(listed["deletions"]) == GONE
    state = Session.get(SourceState, source_of(FAULTY))
    assert "data@council.test" in str(state.mail)
    assert Session.query(HarvestJob).filter(HarvestJob.status != "Finished").count() == 0


def test_confirmed_options_are_found_under_both_names(
    upgraded: None, ckan: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    held = source_of(HELD)
    assert privileged_options.confirmed_options(held) == CONFIRMED
    assert privileged_options.confirmed_options(source_of(FAULTY)) == {}
    assert recipients(held) == {"confirmed": CONFIRMED}  # consumers of before go on reading it
    privileged_options.remember(held, {"default_groups": ["water"]})
    Session.commit()
    Session.remove()
    ckan("db", "downgrade", "-p", "ukharvest", "-v", "0007")
    assert recipients(held) == {"confirmed": {"default_groups": ["water"]}}
    assert recipients(source_of(FAULTY)) is None
    Session.remove()
    ckan("db", "upgrade", "-p", "ukharvest")
    assert privileged_options.confirmed_options(held) == {"default_groups": ["water"]}


# Paths of functions as RQ stored them with the jobs that were queued then.
@pytest.mark.parametrize("path", ["trial_job.run", "link_job.look_at_due"])
def test_a_job_that_was_queued_before_ends_well(
    upgraded: None, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_about: Any, **_how: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    if path == "link_job.look_at_due":  # links lead to hosts of no test
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    # Asked for just now: a preview that waited since the day of the dump is given up.
    Session.query(SourcePreview).update({"created": utcnow()})
    Session.commit()
    waiting = call_action("ukharvest_source_preview_show", source_id=source_of(FAULTY))
    arguments = [waiting["id"]] if path == "trial_job.run" else []
    function = f"ckanext.ukharvest.{path}"
    queued = Job.create(function, args=arguments, connection=jobs.get_queue().connection)
    queued.perform()
    Session.remove()
    if arguments:
        shown = call_action("ukharvest_source_preview_show", source_id=source_of(FAULTY))
        assert shown["state"] == "done"
        assert shown["result"]["changes"] == {"unchanged": 2, "missing": 0}
