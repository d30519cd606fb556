"""Figures of sources by day: of runs, kept when runs are pruned, and of datasets."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest import daily_figures
from ckanext.ukharvest.harvest.model import DailyFigure, JobReport, utcnow
from ckanext.ukharvest.harvest.run import outcomes, prune
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, end_runs
from tests.ckan.migrations import Ckan, tables_before
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Session = model.Session
PATH = "/data.json"


def figures(**which: Any) -> dict[str, int]:
    query = sa.select(DailyFigure.name, DailyFigure.value).filter_by(**which)
    return {name: value for name, value in Session.execute(query) if value}


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source with two runs of today: one added three datasets, one failed."""
    publisher.serve(PATH, catalogue(3))
    id_ = portal.source(publisher.url(PATH))
    portal.run(id_)
    publisher.serve(PATH, "", status=404)
    portal.run(id_)
    return id_


def test_runs_are_counted_once_however_often_they_are_stored(portal: Portal, source: str) -> None:
    of_runs = {"runs": 2, "failed": 1, "added": 3}
    assert figures(source_id=source, day=utcnow().date()).items() >= of_runs.items()
    ids = list(Session.scalars(sa.select(JobReport.job_id)))
    outcomes.refresh_results(ids)
    assert figures(source_id=source).items() >= of_runs.items()
    prune.prune_all(["data_json"], keep_runs=1)
    assert figures(source_id=source).items() >= of_runs.items(), "they outlive the runs"
    # Approved deletions are no run, but what they delete is counted.
    job = HarvestJob(source_id=source, status="Finished", finished=utcnow())
    Session.add(job)
    Session.flush()
    Session.add(JobReport(job_id=job.id, source_id=source, mode="approval", outcome="finished"))
    end_runs()
    assert figures(source_id=source).items() >= of_runs.items()


def test_datasets_are_counted_each_day_and_kept_for_two_years(source: str) -> None:
    today = utcnow().date()
    long_ago = today - dt.timedelta(days=daily_figures.KEPT + 1)
    Session.add(DailyFigure(source_id=source, day=long_ago, name="datasets", value=7))
    Session.commit()
    for _each in range(2):
        daily_figures.store_datasets()
    assert figures(name="datasets") == {"datasets": 3}
    *before, last = daily_figures.last_days(30)
    assert last == {"day": today.isoformat(), "runs": 2, "failed": 1, "datasets": 3}
    assert len(before) == 29
    assert before[0]["datasets"] is None


def test_migration_counts_the_runs_that_are_here(source: str, ckan: Ckan) -> None:
    def stored() -> dict[str, int]:
        Session.remove()
        return figures(source_id=source)

    before = {name: value for name, value in stored().items() if name != "datasets"}
    with tables_before("0209", ckan):
        pass
    assert stored() == before
