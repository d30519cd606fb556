"""``ckan ukharvest doctor --fix`` says what it will do, and does what cron and the commands do.

The index, and objects of ended runs, are also found here: each fault needs the same preparation.
"""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import doctor
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import (
    datasets,
    fixes,
    runs,
)
from ckanext.ukharvest.harvest.model import Claim, Record, Worker, utcnow
from ckanext.ukharvest.lib import checks
from ckanext.ukharvest.stars import doctor as stars_checks
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.findings import assert_one, stop_clock
from tests.ckan.harvesting import Portal, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
HOURS = datetime.timedelta(hours=1)

Fix = Callable[..., str]


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source whose three datasets were harvested."""
    return ready_source(PATH, catalogue(3), name="parking")


@pytest.fixture
def fix(
    cli: Any, ini: str, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Fix:
    """Run the command and return its output.

    It writes settings into the portal's ini: into a copy, or the tests after it have others.
    """
    monkeypatch.setitem(ckan_config, "__file__", str(shutil.copy(ini, tmp_path / "portal.ini")))

    def run(*words: str, **more: Any) -> str:
        done = cli.invoke(ukharvest, ["doctor", "--fix", *(words or ["--yes"])], **more)
        assert not done.exception or isinstance(done.exception, SystemExit), done.exception
        model.Session.remove()
        return str(done.output)

    return run


def objects() -> list[HarvestObject]:
    return list(model.Session.query(HarvestObject).order_by(HarvestObject.guid))


def test_the_index_is_made_to_agree_with_the_database(
    source: str, portal: Portal, fix: Fix
) -> None:
    assert list(datasets.index()) == []
    first, second, _third = portal.datasets()
    search.clear(first["id"])
    # By SQL: CKAN 2.11 would take it out of the index when the session commits.
    statement = sa.text("UPDATE package SET state = 'deleted' WHERE id = :id")
    model.Session.execute(statement, {"id": second["id"]})
    model.Session.commit()
    missing, ghost = datasets.index()
    words = ("1 harvested dataset ", first["name"], "rebuild -o", "doctor --fix")
    assert_one([missing], "error", *words)
    assert_one([ghost], "error", "1 search result", second["id"], "--fix")
    output = fix()
    assert "index: indexed 1 dataset that the search index lacked" in output
    assert "index: removed 1 search result without a dataset" in output
    assert list(datasets.index()) == []
    found = call_action("package_search", fq="dataset_type:dataset")["results"]
    assert {each["id"] for each in found} == {each["id"] for each in portal.datasets()}


def test_nothing_is_changed_before_you_agree(source: str, portal: Portal, fix: Fix) -> None:
    search.clear(portal.datasets()[0]["id"])
    output = fix("--fix", input="n\n")
    assert "Index the datasets that the search index lacks" in output
    assert "Do it?" in output
    assert len(list(datasets.index())) == 1
    fix("--fix", input="y\n")
    assert list(datasets.index()) == []


def test_adopted_orphan_makes_no_second_dataset(source: str, portal: Portal, fix: Fix) -> None:
    before = portal.datasets()
    model.Session.query(Record).filter_by(package_id=before[0]["id"]).delete()
    model.Session.commit()
    assert len(list(datasets.records())) == 1
    assert "orphans: parking adopted 1 dataset" in fix()
    assert list(datasets.records()) == []
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 2}
    assert [each["id"] for each in portal.datasets()] == [each["id"] for each in before]


def test_the_newest_of_several_current_objects_stays(source: str, portal: Portal, fix: Fix) -> None:
    first, second, _third = objects()
    second.package_id = first.package_id
    second.import_finished = utcnow() + HOURS
    newest = second.id
    model.Session.commit()
    assert "current: left one current harvest object of 1 dataset" in fix()
    assert list(datasets.current_objects()) == []
    assert newest in [each.id for each in objects() if each.current]


def test_a_run_that_is_done_is_closed(portal: Portal, publisher: Publisher, fix: Fix) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH), name="parking")
    job = portal.create_job(source)
    portal.gather(job)
    for obj in objects():
        portal.deliver(obj.id)
    for obj in objects():
        for name in ("fetch_started", "fetch_finished", "import_started", "import_finished"):
            setattr(obj, name, utcnow() - 5 * HOURS)
    stop_clock(job, 5, gather_finished=True)
    assert len(list(runs.stuck_jobs())) == 1
    assert "stuck: closed the run of parking" in fix()
    assert HarvestJob.get(job).status == "Finished"
    assert model.Session.query(HarvestJob).count() == 1


def test_work_of_a_dead_consumer_waits_again(
    portal: Portal, publisher: Publisher, fix: Fix
) -> None:
    publisher.serve(PATH, catalogue(2))
    job = portal.create_job(portal.source(publisher.url(PATH), name="parking"))
    portal.gather(job)
    then = utcnow() - 5 * HOURS
    model.Session.add(Worker(id="dead", kind="fetch", started=then, heartbeat=then))
    first, second = objects()
    first.state, first.fetch_started = "FETCH", then
    second.state, second.report_status = "COMPLETE", "added"
    for each in (first, second):
        model.Session.add(Claim(harvest_object_id=each.id, worker_id="dead", since=then))
    model.Session.commit()
    [found] = runs.held_by_none()
    assert "2 harvest objects" in found.message
    fix()
    assert list(runs.held_by_none()) == []
    assert model.Session.query(Claim).count() == 0
    assert [each.state for each in objects()] == ["WAITING", "COMPLETE"]


def test_claims_of_a_consumer_that_lives_stay(
    portal: Portal, publisher: Publisher, fix: Fix
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.gather(portal.create_job(portal.source(publisher.url(PATH))))
    model.Session.add(Worker(id="alive", kind="fetch"))
    long_ago = utcnow() - 5 * HOURS
    model.Session.add(Claim(harvest_object_id=objects()[0].id, worker_id="alive", since=long_ago))
    model.Session.commit()
    assert list(runs.held_by_none()) == []
    fix()
    assert model.Session.query(Claim).count() == 1


def test_objects_left_by_ended_runs_are_removed(
    portal: Portal, publisher: Publisher, fix: Fix
) -> None:
    publisher.serve(PATH, catalogue(3))
    job = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job)
    HarvestJob.get(job).status = "Finished"
    for obj in objects():
        obj.state = "GATHERED"
        obj.gathered -= HOURS
    model.Session.commit()
    assert_one(runs.leftovers(), "warning", "3 harvest objects", job)
    assert "leftovers: removed 3 harvest objects that ended runs never released" in fix()
    assert objects() == []
    assert list(runs.leftovers()) == []


def test_stars_are_scored(source: str, fix: Fix) -> None:
    model.Session.execute(model.meta.metadata.tables["ukharvest_stars"].delete())
    model.Session.commit()
    assert len(list(stars_checks.unscored_datasets())) == 1
    assert "stars: gave 3 datasets their stars of openness" in fix()
    assert list(stars_checks.unscored_datasets()) == []


def test_settings_are_written_into_the_ini(
    fix: Fix, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ini = tmp_path / "ckan.ini"
    stock = "[app:main]\nckan.site_id = x\nckan.redis.url = redis://127.0.0.1:1/2?a=b\n"
    ini.write_text(stock)
    monkeypatch.setitem(ckan_config, "__file__", str(ini))
    monkeypatch.setitem(ckan_config, "ckan.search.solr_commit", True)
    output = fix()
    written = ini.read_text()
    assert f"settings: wrote ckan.search.solr_commit to {ini}" in output
    assert "ckan.search.solr_commit = false" in written


def test_a_fix_that_fails_does_not_stop_the_others(
    source: str, portal: Portal, fix: Fix, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Any:
        raise RuntimeError("no disk\nand more")

    broken = checks.Fix("orphans", "Fail.", fail)
    monkeypatch.setattr(fixes, "FIXES", (broken, *fixes.FIXES))
    first = portal.datasets()[0]["id"]
    model.Session.query(Record).filter_by(package_id=first).delete()
    model.Session.commit()
    output = fix()
    assert "orphans: This could not be fixed: RuntimeError: no disk\n" in output
    assert list(datasets.records()) == []


def test_fix_says_if_it_can_fix_nothing(source: str, fix: Fix, ckan_config: Any) -> None:
    ckan_config["ckan.search.solr_commit"] = False
    found = [each for each in doctor.examine() if each.fix]
    assert found == []
    assert "There is nothing that this command can fix." in fix()


def test_every_fix_of_a_finding_exists() -> None:
    codes = ("STUCK", "LEFTOVERS", "ORPHANS", "CURRENT", "INDEX", "SETTINGS", "PRUNE")
    assert {getattr(checks, name) for name in codes} == {fix.code for fix in fixes.FIXES}
