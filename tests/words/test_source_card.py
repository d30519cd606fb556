"""What a source's page says first, where it is easily wrong."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import ckan.plugins.toolkit as tk
import pytest

from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.words.cards import Told
from ckanext.ukharvest.words.source_card import card

NOW = dt.datetime.fromisoformat("2026-11-20T12:00:00")
HEALTH = SourceHealth(
    value="healthy",
    reason="",
    state="idle",
    since=None,
    last_run=None,
    judged_id=None,
    last_good_run=None,
    next_run=None,
    datasets=1200,
    held=0,
)
RUN = CurrentRun(
    id="r",
    source_id="s",
    name="",
    title="",
    url="",
    state="deleting",
    mode="approval",
    asked_by="ann",
    stopped_by="",
    created=NOW,
    started=NOW,
    is_read=True,
    moved=NOW,
    seen=0,
    total=1312,
    done=40,
    lost=0,
    queue_position=0,
    eta_seconds=None,
)
STOPPED = {"outcome": "stopped", "stopped_by": "ed", "finished": NOW, "reason": "stopped by ed"}
FAILED = {"outcome": "failed", "error": {"code": "timeout", "message": "It took too long."}}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tk, "_", str)
    monkeypatch.setattr(tk, "ungettext", lambda one, many, n: one if n == 1 else many)


def told(health: dict[str, Any], **more: Any) -> Told:
    return Told(health=replace(HEALTH, **health), now=NOW, **more)


def test_approved_deletions_are_no_import_and_cannot_be_stopped() -> None:
    shown = card(told({"state": "deleting", "current": RUN}))
    assert shown.heading == "Deleting 40 of 1,312 datasets"
    assert shown.text[0] == "Decided by ann."
    assert (shown.value, shown.actions) == ("deleting", ())
    shown = card(told({"state": "stuck", "current": replace(RUN, state="stuck")}))
    assert shown.actions == ()


def test_the_reason_of_a_failure_is_not_that_of_the_run_stopped_since() -> None:
    for value in ("failing", "hiccup"):
        shown = card(told({"value": value}, last=STOPPED, judged=FAILED))
        assert shown.heading.endswith("failed: It took too long.")


def test_a_first_run_that_was_stopped_is_a_run() -> None:
    shown = card(told({"value": "new"}, last=STOPPED))
    assert shown.heading == "No run has come to its end so far"
    assert shown.text[0] == "The last run, just now, was stopped by ed."
    assert (shown.kind, shown.value, shown.actions[0]) == ("outcome", "stopped", "refresh")


def test_who_decides_is_said_to_those_who_do_not() -> None:
    waits = {"value": "held", "state": "held", "held": 300}
    mine = card(told(waits, may_decide=True, max_share=0.2))
    theirs = card(told(waits, max_share=0.2))
    assert mine.heading == "Waiting for your decision: 300 datasets would be deleted"
    assert theirs.heading == (
        "Waiting for an administrator's decision: 300 datasets would be deleted"
    )
    assert mine.text[0].startswith("That is 25 % of the datasets of this source; this portal asks")
    assert "above 20 %" in mine.text[0]
