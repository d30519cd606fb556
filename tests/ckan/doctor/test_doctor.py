"""The doctor finds and names each fault, and says what to do."""

from __future__ import annotations

import datetime
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins as p
import pysolr
import pytest
import rq
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs, search
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config, doctor
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import datasets, runs, services
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import Record, Worker, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.lib.checks import Check, Finding
from ckanext.ukharvest.notifications import mails
from tests.ckan.adoption.stock_harvests import Stock, numbered
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.doctor.findings import HOUR, assert_one, stop_clock
from tests.ckan.harvesting import Consumers, Portal
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source whose three datasets were harvested."""
    return ready_source(PATH, catalogue(3), name="parking")


@pytest.fixture
def jobs_worker(clean: None) -> Iterator[None]:
    """A jobs worker that is alive, and has nothing to do."""
    call_action("job_clear")
    worker = rq.Worker([jobs.get_queue()])
    worker.register_birth()
    yield
    worker.register_death()


@pytest.fixture
def healthy(jobs_worker: None) -> None:
    """Consumers, jobs worker, cron and mail in working order."""
    for kind in ("gather", "fetch"):
        model.Session.add(Worker(id=f"test-{kind}", kind=kind))
    model.Session.commit()
    http_client.delete_from_redis(mails._FAILURE)
    swept(utcnow())


def swept(moment: datetime.datetime) -> None:
    model.set_system_info(sweeper.NOTE, json.dumps({"at": moment.isoformat()}))
    model.Session.commit()


def test_a_healthy_portal_is_fine(healthy: None, portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    portal.run(portal.source(publisher.url(PATH)))
    findings = doctor.examine()
    assert [each for each in findings if each.level not in ("ok", "info")] == []
    assert {each.code for each in findings} == {code for code, *_rest in doctor.checks()}
    assert doctor.status_of(findings) == 0


def test_the_command_has_an_exit_status_for_monitoring(healthy: None, cli: Any) -> None:
    fine = cli.invoke(ukharvest, ["doctor"])
    assert fine.exit_code == 0, fine.output
    [line] = fine.output.splitlines()
    assert line.startswith("All is well: ")
    assert len(cli.invoke(ukharvest, ["doctor", "--all"]).output.splitlines()) > 10
    model.Session.query(Worker).filter_by(kind="fetch").delete()
    model.Session.commit()
    assert cli.invoke(ukharvest, ["doctor"]).exit_code == 1
    swept(utcnow() - 30 * HOUR)
    sick = cli.invoke(ukharvest, ["doctor"])
    assert sick.exit_code == 2
    assert "→ Make cron call 'ckan harvester run'" in sick.output
    levels = [line.split()[0] for line in sick.output.splitlines() if not line.startswith(" ")]
    assert levels[0] == "error"
    assert levels[-1].isdigit()  # so many checks found nothing wrong
    assert set(levels[:-1]) == {"error", "warning"}
    report = json.loads(cli.invoke(ukharvest, ["doctor", "--format", "json"]).output)
    assert report["status"] == 2
    assert set(report["findings"][0]) == {"level", "code", "message", "what_to_do", "fix"}


def test_doctor_command_sees_real_consumers(
    consumers: Consumers,
    jobs_worker: None,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    swept(utcnow())
    deadline = time.monotonic() + 60
    while list(runs.workers()):
        assert consumers.are_alive
        assert time.monotonic() < deadline
        model.Session.rollback()
        time.sleep(0.2)
    done = ckan("ukharvest", "doctor", "--format", "json", check=False)
    report = json.loads(done.stdout)
    assert done.returncode == report["status"] == 0, done.stdout


def test_a_check_that_fails_is_a_finding_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> list[Finding]:
        raise ValueError("no such column\nand more")

    checks = [Check("a", "Fine.", broken), Check("b", "Fine.", list)]
    monkeypatch.setattr(doctor, "checks", lambda: checks)
    first, second = doctor.examine()
    assert (first.level, second.level) == ("error", "ok")
    assert "ValueError: no such column" in first.message


def test_without_tables_one_finding_names_what_was_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_table() -> list[Finding]:
        model.Session.execute(sa.text("SELECT * FROM ukharvest_missing"))
        return []

    def old() -> list[Finding]:
        return [Finding("error", "migrations", "Old.", "Upgrade.")]

    checks = [Check("a", "Fine.", without_table), Check("migrations", "", old)]
    checks += [Check("b", "Fine.", without_table), Check("c", "Fine.", list)]
    checks += [Check("d", "Fine.", without_table)]
    monkeypatch.setattr(doctor, "CHECKS", checks)
    first, *_others, last = doctor.examine()
    assert (first.code, "ukharvest_missing" in first.message) == ("a", True)
    assert (last.code, last.level) == ("migrations", "error")
    assert last.message.endswith("missing or old: b, d.")


# ckanext-harvest#581, consumers end after 5 s with redis-py 8.
def test_a_redis_that_does_not_answer_is_found_at_once(
    monkeypatch: pytest.MonkeyPatch, ckan_config: Any
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.redis.url", "redis://127.0.0.1:9/0")
    assert_one(services.redis_queue(), "error", "Redis does not answer", "ckan.redis.url")


def test_a_wrong_order_of_plugins_is_found(
    monkeypatch: pytest.MonkeyPatch, ckan_config: Any
) -> None:
    line = "harvest ukharvest ukharvest_data_json"
    monkeypatch.setitem(ckan_config, "ckan.plugins", line.split())
    assert_one(services.plugins(), "error", "'ukharvest' must stand before 'harvest'")


def test_a_source_that_nobody_harvests_is_found(source: str) -> None:
    HarvestSource.get(source).type = "datajson"
    model.Session.commit()
    assert_one(
        services.source_types(),
        "error",
        "1 active source ",
        "'datajson'",
        "'data_json'",
    )


def test_risky_settings_are_found(monkeypatch: pytest.MonkeyPatch, ckan_config: Any) -> None:
    assert [each.level for each in services.settings()] in ([], ["info"])
    monkeypatch.setitem(ckan_config, "ckan.search.solr_commit", False)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}http.allow_private", "0.0.0.0/0")
    assert_one(
        services.settings(),
        "warning",
        "http.allow_private has 0.0.0.0/0",
        "10.1.0.0/16",
    )
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}http.allow_private", "10.0.0.0/8")
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.after_runs", 1)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.max_share", 1.0)
    assert_one(services.settings(), "warning", "without asking", "delete.max_share")
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.after_runs", 2)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}proxy", "http://proxy:3128")
    assert_one(services.settings(), "info", "proxy")


def test_patches_in_force_are_named_with_their_issue() -> None:
    named = [finding.message for finding in services.patches()]
    assert len(named) == len(compat.applied_patches)
    assert any("ckanext-harvest#581" in message for message in named)


def test_replaced_function_of_unknown_source_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compat.applied_patches, "rabbits", ["ckanext.harvest.queue.get_consumer"])
    (warning,) = [finding.message for finding in services.patches() if finding.level == "warning"]
    assert "ckanext.harvest.queue.get_consumer was replaced (rabbits)" in warning


def test_a_migration_that_was_forgotten_is_found() -> None:
    assert list(services.migrations()) == []
    model.Session.execute(sa.text("UPDATE ukharvest_alembic_version SET version_num = '0001'"))
    try:
        assert_one(services.migrations(), "error", "0001", "ckan db upgrade -p ukharvest")
    finally:
        model.Session.rollback()


def test_a_solr_that_does_not_answer_or_lacks_fields_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(services.solr()) == []
    monkeypatch.setattr(p, "plugin_loaded", lambda _name: True)
    monkeypatch.setattr(services, "SPATIAL_FIELDS", {"solr-bbox": {"id", "minnx"}})
    assert_one(services.solr(), "error", "lacks the fields minnx", "solr-bbox")
    nobody = pysolr.Solr("http://127.0.0.1:9/solr/ckan")
    monkeypatch.setattr(search, "make_connection", lambda: nobody)
    assert_one(services.solr(), "error", "Solr does not answer", "solr_url")


def test_missing_workers_are_an_error_only_when_something_waits(
    portal: Portal, publisher: Publisher
) -> None:
    assert {each.level for each in runs.workers()} == {"warning"}
    model.Session.add(Worker(id="old", kind="fetch", heartbeat=utcnow() - HOUR))
    model.Session.add(Worker(id="new", kind="gather"))
    model.Session.commit()
    publisher.serve(PATH, catalogue(3))
    job = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job)
    HarvestJob.get(job).gather_finished = utcnow()
    model.Session.commit()
    assert_one(runs.workers(), "error", "No fetch consumer", "3 harvest objects", "fetch-consumer")


@pytest.mark.usefixtures("healthy")
def test_runs_that_wait_for_a_busy_gather_consumer_are_found(
    portal: Portal, publisher: Publisher
) -> None:
    source, other = (portal.source(publisher.url(path)) for path in (PATH, "/other.json"))
    waiting = HarvestJob(source_id=other, status="Running")
    busy = HarvestJob(source_id=source, status="Running", gather_started=utcnow())
    model.Session.add_all([waiting, busy])
    model.Session.commit()
    assert not list(runs.workers())
    waiting.created = utcnow() - HOUR
    model.Session.commit()
    assert not list(runs.workers())
    model.Session.get(Worker, "test-gather").busy_with = busy.id
    model.Session.commit()
    assert_one(runs.workers(), "warning", "1 run without", "60 minutes", "Start another")


def test_stuck_runs_are_named_with_the_reason(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    job = portal.create_job(portal.source(publisher.url(PATH), name="parking"))
    portal.gather(job)
    assert list(runs.stuck_jobs()) == []
    stop_clock(job, 5)
    assert_one(runs.stuck_jobs(), "error", job, "parking", "gathering for 5 h")
    stop_clock(job, 3, gather_finished=True)
    assert_one(runs.stuck_jobs(), "error", "3 harvest objects have waited for 3 h")
    now = utcnow()
    busy = Worker(id="w", kind="fetch", started=now, heartbeat=now, busy_with="of another run")
    model.Session.add(busy)
    model.Session.commit()
    assert list(runs.stuck_jobs()) == []
    model.Session.delete(busy)
    for obj in model.Session.query(HarvestObject):
        obj.state = "COMPLETE"
    model.Session.commit()
    assert_one(runs.stuck_jobs(), "error", "has not been closed", "ckan harvester run")


def test_a_cron_that_does_not_come_is_found() -> None:
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.NOTE).delete()
    model.Session.commit()
    assert_one(runs.cron(), "warning", "never", "cron")
    swept(utcnow() - 7 * HOUR)
    assert_one(runs.cron(), "error", "7 h ago", "ckan harvester run")
    swept(utcnow())
    assert list(runs.cron()) == []


def test_records_that_lost_their_dataset_are_found(source: str) -> None:
    assert list(datasets.records()) == []
    purged, deleted, forgotten = model.Session.query(Record).order_by(Record.guid).all()
    forgotten_guid, purged_guid, deleted_id = forgotten.guid, purged.guid, deleted.package_id
    user = factories.Sysadmin()["name"]
    call_action("dataset_purge", {"user": user}, id=purged.package_id)
    call_action("package_delete", {"user": user}, id=deleted_id)
    model.Session.query(Record).filter_by(guid=forgotten_guid).delete()
    model.Session.commit()
    lost, by_hand, unknown = datasets.records()
    assert_one([lost], "warning", "Records whose dataset was purged (1)", purged_guid)
    assert_one([by_hand], "info", "dataset-00001", "forced run")
    assert_one([unknown], "warning", "Current harvest objects without a record (1)", forgotten_guid)


def test_datasets_not_read_by_us_yet_are_no_fault(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(publisher.url(PATH))
    Stock(source, portal.organization_id).fill(numbered(2))
    publisher.serve(PATH, "no JSON")
    assert portal.run(source)["ukharvest"]["outcome"] == "failed"
    assert list(datasets.records()) == []


def test_the_index_is_compared_in_batches(
    source: str, portal: Portal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "BATCH", 2)
    assert list(datasets.index()) == []
    assert [len(batch) for batch in datasets._harvested_ids()] == [2, 1]
    assert sorted(len(batch) for batch in datasets._solr_ids()) == [1, 2]
    for each in portal.datasets():
        search.clear(each["id"])
    assert_one(datasets.index(), "error", "3 harvested datasets")


def test_two_datasets_of_one_record_are_found(source: str, publisher: Publisher) -> None:
    assert list(datasets.duplicates()) == []
    first, second, _third = model.Session.query(HarvestObject).order_by(HarvestObject.guid)
    guid = second.guid = first.guid
    model.Session.commit()
    assert_one(datasets.duplicates(), "error", "Records of one source with more", guid)


def test_one_guid_twice_in_an_organisation_is_found(
    source: str, organization: dict[str, str]
) -> None:
    guid = dataset(0)["identifier"]
    extras = [{"key": "guid", "value": guid}]
    factories.Dataset(owner_org=organization["id"], extras=extras)
    assert_one(datasets.duplicates(), "warning", "GUIDs of more than one dataset", guid)
    factories.Dataset(owner_org=factories.Organization()["id"], extras=extras)
    assert_one(datasets.duplicates(), "warning", "GUIDs of more than one dataset", guid)


def test_several_current_objects_of_a_dataset_are_found(
    source: str, portal: Portal, publisher: Publisher
) -> None:
    assert list(datasets.current_objects()) == []
    other = portal.source(publisher.url("/other.json"))
    first, second, third = model.Session.query(HarvestObject).order_by(HarvestObject.guid)
    second.package_id = first.package_id
    model.Session.commit()
    assert_one(
        datasets.current_objects(),
        "warning",
        "Datasets with more than one current",
        "dataset-00000",
    )
    third.package_id = first.package_id
    third.harvest_source_id = other
    model.Session.commit()
    assert_one(datasets.current_objects(), "error", "more than one harvest source", "dataset-00000")


def test_doctor_says_what_prune_would_free(
    source: str, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(datasets.sizes()) == []
    publisher.serve(PATH, catalogue([dataset(number, title="New") for number in range(3)]))
    portal.run(source)
    monkeypatch.setattr(config, "prune_keep_runs", lambda: 1)
    assert_one(datasets.sizes(), "info", "3 of its rows", "1 jobs", "ckan ukharvest prune")
    monkeypatch.setattr(datasets, "MANY_ROWS", 2)
    assert_one(datasets.sizes(), "warning")
