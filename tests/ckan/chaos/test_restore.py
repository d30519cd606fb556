"""A portal restored from a backup is right again after one tick and one night.

Yesterday's database with today's index, and today's database with yesterday's index.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.lib.search.common import make_connection
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.chaos.backup import Backup
from tests.ckan.chaos.services import Services
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.gemini_records import uuid
from tests.ckan.harvesting import Portal, act, figures, tick, work_off
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.giant,
    pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1"),
]

PATH, FOLDER = "/data.json", "/waf/"
PATIENCE = 120.0  # seconds


@pytest.fixture
def backup(services: Services, tmp_path: Path) -> Backup:
    return Backup(services, tmp_path)


@pytest.fixture
def sources(portal: Portal, publisher: Publisher) -> list[str]:
    publish(publisher, range(6), range(4))
    return [
        portal.source(publisher.url(PATH), frequency="DAILY"),
        portal.source(publisher.url(FOLDER), "gemini-waf", frequency="DAILY"),
        # Nobody runs this one at night.
        portal.source(publisher.url("/by-hand.json"), frequency="MANUAL"),
    ]


def publish(publisher: Publisher, numbers: Any, files: Any, words: str = "") -> dict[str, str]:
    """Serve records; the first three of each kind have these words. Return their titles."""
    made = [dataset(n, title=f"Table {n}{words * (n < 3)}") for n in numbers]
    publisher.serve(PATH, catalogue(made))
    publisher.serve(
        "/by-hand.json", catalogue([dataset(n, title=f"By hand {n}") for n in (90, 91)])
    )
    titles = {f"{n}.xml": f"Rivers {n}{words * (n < 3)}" for n in files}
    rows = "".join(
        f'<a href="{name}">{name}</a>  2026-05-01 10:3{len(words) % 10}  4.1K\n' for name in titles
    )
    publisher.serve(FOLDER, f"<html><head><title>Index of /</title></head><pre>{rows}</pre></html>")
    for n, (name, title) in zip(files, titles.items(), strict=True):
        publisher.serve(FOLDER + name, gemini(uuid(n), title))
    return {each["identifier"]: each["title"] for each in made} | {
        uuid(n): title for n, title in zip(files, titles.values(), strict=True)
    }


def night(*by_hand: str) -> list[dict[str, Any]]:
    """Let cron start what is due once a day, and work it off; return the runs."""
    model.Session.remove()
    model.Session.query(HarvestSource).filter_by(frequency="DAILY").update({"next_run": utcnow()})
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.INDEX_NOTE).delete()
    model.Session.commit()
    for source in by_hand:
        act("ukharvest_run_create", source_id=source)
    tick()
    started = [row[0] for row in model.Session.query(HarvestJob.id).filter_by(status="Running")]
    deadline = time.monotonic() + PATIENCE
    while model.Session.query(HarvestJob).filter(HarvestJob.status != "Finished").count():
        assert time.monotonic() < deadline
        work_off()
        tick()
    return [Portal("").job(id_) for id_ in started]


def state() -> dict[str, tuple[str, str]]:
    """Return guid → id and title of active datasets, told by CKAN's API."""
    datasets = Portal("").datasets()
    guids = [
        extra["value"] for each in datasets for extra in each["extras"] if extra["key"] == "guid"
    ]
    assert len(set(guids)) == len(datasets), "a guid has several datasets"
    return {guid: (each["id"], each["title"]) for guid, each in zip(guids, datasets, strict=True)}


def titles() -> dict[str, str]:
    return {guid: title for guid, (_id, title) in state().items() if "By hand" not in title}


def in_index() -> dict[str, str]:
    """Return id → title of all search results, of datasets and of harvest sources."""
    make_connection().commit()
    found = make_connection().search("entity_type:package", fl="id,title", rows=1000)
    return {each["id"]: each["title"] for each in found}


def in_database() -> dict[str, str]:
    model.Session.remove()
    query = model.Session.query(model.Package.id, model.Package.title).filter_by(state="active")
    return {row[0]: row[1] for row in query}


def today(
    portal: Portal, publisher: Publisher, save: Callable[[], None], sources: list[str]
) -> dict[str, str]:
    """Harvest, back up, and harvest what has changed on the day after."""
    night(sources[2])
    assert in_index() == in_database()
    save()
    wanted = publish(publisher, range(8), range(1, 6), ", counted again")
    new = portal.source(publisher.url("/new.json"), name="added-today", frequency="DAILY")
    publisher.serve("/new.json", catalogue([dataset(n) for n in (70, 71)]))
    runs = night()
    assert new in {run["source_id"] for run in runs}
    assert not [run for run in runs if figures(run).get("errored")]
    return wanted


def test_yesterdays_database_with_todays_index(
    portal: Portal, publisher: Publisher, backup: Backup, sources: list[str]
) -> None:
    wanted = today(portal, publisher, backup.save_database, sources)
    after = state()
    messages = [f'{{"harvest_object_id": "{queued}"}}' for queued in ("gone-1", "gone-2")]
    backup.restore_database()
    queue.get_connection().rpush(queue.get_fetch_routing_key(), *messages)  # left of today
    before = state()
    assert len(before) == 12
    night()
    assert titles() == wanted
    assert in_index() == in_database()
    kept = before.keys() & wanted.keys()
    assert {guid: state()[guid][0] for guid in kept} == {guid: before[guid][0] for guid in kept}
    assert len(state()) == len(wanted) + 2
    assert after.keys() - state().keys() == {dataset(n)["identifier"] for n in (70, 71)}


def test_todays_database_with_yesterdays_index(
    portal: Portal,
    publisher: Publisher,
    backup: Backup,
    sources: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = today(portal, publisher, backup.save_index, sources)
    monkeypatch.setattr(search_index, "MOMENT", dt.timedelta())  # a restore takes longer
    act("harvest_source_patch", id=sources[2], title="Renamed today")
    before = state()
    backup.restore_index()
    assert in_index() != in_database()
    night()
    assert state() == before
    assert {guid: before[guid][1] for guid in wanted} == wanted
    assert in_index() == in_database()


@pytest.mark.long
def test_a_tick_mends_the_index_of_sources_that_do_not_run(
    portal: Portal, publisher: Publisher, backup: Backup, sources: list[str]
) -> None:
    night(sources[2])
    backup.save_index()
    by_hand = dataset(90, title="By hand, again")
    publisher.serve("/by-hand.json", catalogue([by_hand, dataset(92)]))
    night(sources[2])
    backup.restore_index()
    assert in_index() != in_database()
    model.Session.query(HarvestSource).update({"next_run": utcnow() + dt.timedelta(days=1)})
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.INDEX_NOTE).delete()
    model.Session.commit()
    tick()
    assert in_index() == in_database()


def test_an_index_that_is_right_is_left_alone(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.serve(PATH, catalogue(5))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    publisher.serve(PATH, catalogue([dataset(n, title=f"Changed {n}") for n in range(5)]))
    portal.run(source)
    act("package_patch", id=portal.datasets()[0]["id"], notes="By a person.")
    indexed: list[list[str]] = []
    monkeypatch.setattr(search_index, "put_in_index", lambda ids: indexed.append(list(ids)))
    portal.run(source)
    model.Session.query(model.SystemInfo).filter_by(key=sweeper.INDEX_NOTE).delete()
    model.Session.commit()
    assert sweeper.mend_all() == 0
    assert [ids for ids in indexed if ids] == []
