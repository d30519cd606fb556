"""Rules of a source's status, as a table."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from ckanext.ukharvest.core.status_rules import STUCK, CurrentRun, SourceStatus, health

NOW = dt.datetime.fromisoformat("2026-11-20T12:00:00")
SECOND, HOUR, DAY = (dt.timedelta(**{each: 1}) for each in ("seconds", "hours", "days"))
RUN = CurrentRun(id="r", status="Running", created=NOW, now=NOW)
WELL = SourceStatus(active=True, now=NOW, outcome="finished", due=NOW + DAY)
OVERDUE = NOW - HOUR - SECOND
AGO = NOW - STUCK - SECOND


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param({}, ("healthy", ""), id="well"),
        pytest.param({"outcome": "held"}, ("healthy", ""), id="held-then-decided"),
        pytest.param({"active": False, "held": 3}, ("off", "inactive"), id="off-before-all"),
        pytest.param({"held": 1, "outcome": "failed"}, ("held", "deletions"), id="held-first"),
        pytest.param({"outcome": "failed", "streak": 1}, ("failing", "failed"), id="failed"),
        pytest.param(
            {"outcome": "failed", "streak": 1, "passes": True},
            ("hiccup", "failed-once"),
            id="failed-once",
        ),
        pytest.param(
            {"outcome": "failed", "streak": 2, "passes": True},
            ("hiccup", "failed-once"),
            id="failed-twice",
        ),
        pytest.param(
            {"outcome": "failed", "streak": 3, "passes": True},
            ("failing", "failed-often"),
            id="failed-three-times",
        ),
        pytest.param({"streak": 3}, ("healthy", ""), id="failures-over"),
        pytest.param({"due": OVERDUE}, ("late", "overdue"), id="late"),
        pytest.param({"due": NOW - HOUR}, ("healthy", ""), id="due"),
        pytest.param({"due": OVERDUE, "current": RUN}, ("healthy", ""), id="under-way"),
        pytest.param({"due": None}, ("healthy", ""), id="by-hand"),
        pytest.param({"due": OVERDUE, "outcome": ""}, ("late", "overdue"), id="never-began"),
        pytest.param(
            {"due": OVERDUE, "outcome": "failed", "passes": True},
            ("late", "overdue"),
            id="late-before-hiccup",
        ),
        pytest.param({"outcome": "empty"}, ("empty", "no-records"), id="no-records"),
        pytest.param(
            {"outcome": "empty", "held": 3}, ("held", "deletions"), id="held-before-no-records"
        ),
        pytest.param(
            {"shortfall": {}, "lost": 1}, ("shrunk", "records-missing"), id="missing-before-lost"
        ),
        pytest.param({"lost": 1}, ("errors", "lost"), id="lost"),
        pytest.param({"outcome": ""}, ("new", "no-run"), id="new"),
    ],
)
def test_source_status_follows_the_rules(more: dict[str, Any], expected: tuple[str, str]) -> None:
    assert health(replace(WELL, **more)) == expected


READ = replace(RUN, gather_started=NOW, gather_finished=NOW)
QUEUED = replace(RUN, created=AGO)
WAITS = replace(QUEUED, gather_started=AGO, gather_finished=AGO, total=2, waiting=2)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        pytest.param(replace(RUN, status="New"), "queued", id="new"),
        pytest.param(RUN, "queued", id="sent"),
        pytest.param(replace(READ, gather_finished=None), "gathering", id="reading"),
        pytest.param(replace(READ, total=1), "importing", id="importing"),
        pytest.param(replace(READ, total=1, mode="approval"), "deleting", id="deleting"),
        pytest.param(READ, "finishing", id="all-in"),
        pytest.param(replace(READ, stopped_by="ed", total=1), "stopping", id="stopping"),
        pytest.param(replace(WAITS, stopped_by="ed", waiting=0), "stuck", id="stop-hangs"),
        pytest.param(QUEUED, "stuck", id="nobody-reads"),
        pytest.param(replace(QUEUED, gathers=NOW), "queued", id="behind-another"),
        pytest.param(replace(QUEUED, gathers=AGO), "stuck", id="behind-one-that-hangs"),
        pytest.param(replace(QUEUED, fetches=NOW), "stuck", id="others-import"),
        pytest.param(replace(QUEUED, status="New", gathers=NOW), "stuck", id="never-sent"),
        pytest.param(
            replace(QUEUED, gather_started=AGO, gathers=NOW), "stuck", id="its-reader-is-gone"
        ),
        pytest.param(WAITS, "stuck", id="nobody-imports"),
        pytest.param(replace(WAITS, fetches=NOW), "importing", id="behind-other-records"),
        pytest.param(replace(WAITS, waiting=1, fetches=NOW), "stuck", id="one-hangs"),
    ],
)
def test_state_of_a_run_follows_its_facts(run: CurrentRun, expected: str) -> None:
    assert run.state == expected
