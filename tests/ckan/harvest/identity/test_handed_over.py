"""Datasets that change hands while consumers are killed, or import both sources at once."""

from __future__ import annotations

import itertools

import pytest
from ckan import model

from ckanext.ukharvest.harvest.model import Claim
from ckanext.ukharvest.harvest.run import sweeper
from tests.ckan.harvest.identity.two_routes import ORDERS, TwoRoutes
from tests.ckan.harvest.killed_consumers import (
    an_hour_later,
    gather_run,
    give_back,
    killed_at,
    start_run,
)
from tests.ckan.harvest.moved_datasets import ids
from tests.ckan.harvesting import Consumers, act, figures, tick, until

pytestmark = pytest.mark.in_process


def has_claims() -> bool:
    return bool(model.Session.query(Claim).count())


@pytest.mark.parametrize("types", ORDERS)
def test_killed_consumer_leaves_each_dataset_with_one_source(
    two: TwoRoutes, types: tuple[str, str], ini: str
) -> None:
    two.start(*types)
    before = ids(two.portal)
    two.switch_off(0)
    with Consumers(ini) as consumers:
        job_id = start_run(two.sources[1])
        until(has_claims)
        consumers.processes[-1].kill()
        consumers.processes[-1].wait(30)
    assert two.holders() in ([0, 0, 0], [1, 1, 1])
    assert ids(two.portal) == before
    an_hour_later()
    with Consumers(ini) as consumers:
        until(lambda: tick() or not has_claims())
        consumers.wait(job_id)
    assert figures(two.portal.finish(job_id)) == {"updated": 3}
    assert (ids(two.portal), two.holders()) == (before, [1, 1, 1])
    assert figures(two.run(1)) == {"not modified": 3}


@pytest.mark.parametrize("types", ORDERS)
def test_two_consumers_at_once_import_each_dataset_once(
    two: TwoRoutes, types: tuple[str, str], ini: str
) -> None:
    two.make(*types)
    with Consumers(ini, fetchers=2) as consumers:
        runs = [start_run(source_id) for source_id in two.sources]
        for job_id in runs:
            consumers.wait(job_id)
    done = [figures(two.portal.finish(job_id)) for job_id in runs]
    assert sum(each.get("added", 0) for each in done) == 3
    assert sum(each.get("not modified", 0) for each in done) == 3
    before = ids(two.portal)
    assert len(before) == 3
    for number in (0, 1):
        assert figures(two.run(number)) == {"not modified": 3}
    assert ids(two.portal) == before


# The first test above kills once, this one before each statement of the batch and at its commits.
@pytest.mark.giant
@pytest.mark.timeout(1800)
def test_killed_at_any_statement_datasets_have_one_source(two: TwoRoutes) -> None:
    two.start(*ORDERS[2])
    before, names = ids(two.portal), two.portal.search_names()
    taker, changes = 1, 0
    two.switch_off(0)
    job_id = gather_run(two.portal, two.sources[taker], 3)
    for statement in itertools.count(1):
        is_killed = killed_at(statement)
        holders = two.holders()
        assert ids(two.portal) == before
        give_back()
        if holders == [1 - taker] * 3:
            assert is_killed
            assert len(two.portal.waiting(job_id)) == 3
            continue
        assert holders == [taker] * 3
        changes += 1
        sweeper.sweep()
        assert figures(two.portal.job(job_id)) == {"updated": 3}
        assert two.portal.search_names() == names
        decisions = act("ukharvest_decision_list", source_id=two.sources[taker], limit=1000)[
            "results"
        ]
        taken = [each["text"] for each in decisions if "taken over" in each["text"]]
        assert len(taken) == (changes + taker) // 2
        if not is_killed:
            break
        taker = 1 - taker
        two.switch_on(taker)
        two.switch_off(1 - taker)
        job_id = gather_run(two.portal, two.sources[taker], 3)
    assert changes > 3


@pytest.mark.giant
@pytest.mark.timeout(1800)
def test_killed_at_any_statement_no_dropped_dataset_is_deleted(two: TwoRoutes) -> None:
    two.start(*ORDERS[2])
    before = ids(two.portal)
    two.list_only(0, [0, 1])
    two.run(0)
    job_id = gather_run(two.portal, two.sources[0], 1)
    for statement in itertools.count(1):
        killed_at(statement)
        assert ids(two.portal) == before
        give_back()
        if two.holders() == [0, 0, 1]:
            break
        assert two.holders() == [0, 0, 0]
        assert len(two.portal.waiting(job_id)) == 1
    assert statement > 10
    sweeper.sweep()
    assert two.portal.job(job_id)["status"] == "Finished"
    for number in (0, 1, 0, 1):
        two.run(number)
        assert (ids(two.portal), two.holders()) == (before, [0, 0, 1])
