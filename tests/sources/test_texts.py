"""The status card of a source's page, in its difficult cases."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import ckan.plugins.toolkit as tk
import pytest

from ckanext.ukharvest.core.status_rules import CurrentRun, SourceStatus
from ckanext.ukharvest.links.texts import describe_count
from ckanext.ukharvest.sources.texts import Card, status_card

NOW = dt.datetime.fromisoformat("2026-11-20T12:00:00")
HOUR = dt.timedelta(hours=1)
HEALTH = SourceStatus(active=True, now=NOW, last_id="r", outcome="finished", datasets=1200)
RUN = CurrentRun(
    id="r",
    status="Running",
    created=NOW,
    now=NOW,
    mode="approval",
    asked_by="ann",
    gather_started=NOW,
    gather_finished=NOW,
    total=1312,
    done=40,
)
FAILS = {"outcome": "failed", "streak": 1}
STOPPED = {"outcome": "stopped", "stopped_by": "ed", "finished": NOW, "reason": "stopped by ed"}
FAILED = {"outcome": "failed", "error": {"code": "timeout", "message": "It took too long."}}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tk, "_", str)
    monkeypatch.setattr(tk, "ungettext", lambda one, many, n: one if n == 1 else many)


def card_of(**facts: Any) -> Card:
    return status_card(replace(HEALTH, **facts))


def test_approved_deletions_are_no_import_and_cannot_be_stopped() -> None:
    shown = card_of(current=RUN)
    assert shown.heading == "Deleting: 40 of 1,312"
    assert shown.text[0] == "Decided by ann."
    assert (shown.value, shown.actions) == ("deleting", ())
    shown = card_of(current=replace(RUN, now=NOW + HOUR))
    assert shown.actions == ()


def test_a_source_with_broken_links_is_not_all_good() -> None:
    shown = card_of(notice=describe_count(2))
    assert shown.heading == "2 links do not work"
    assert shown.actions[0] == "mend"


def test_reason_of_a_failure_is_not_that_of_a_stopped_run() -> None:
    for passes in (False, True):
        shown = card_of(**FAILS, passes=passes, last=STOPPED, judged=FAILED)
        assert shown.heading.endswith(": It took too long.")


def test_a_first_run_that_was_stopped_is_a_run() -> None:
    shown = card_of(outcome="", last=STOPPED)
    assert shown.heading == "Stopped"
    assert shown.text[:2] == ("Last run: just now", "Stopped by ed.")
    assert (shown.kind, shown.value, shown.actions[0]) == ("outcome", "stopped", "refresh")


def test_pending_deletions_are_shown_with_their_share() -> None:
    shown = card_of(held=300, max_share=0.2)
    assert shown.heading == "Waiting for a decision: 300 datasets would be deleted"
    assert shown.text[0].endswith("leave them out. That is 25%.")
    assert "more than 20%" in shown.text[1]


@pytest.mark.parametrize(
    ("held", "limit"),
    [
        (300, "20%"),
        (600, "20%"),
        (601, "50%"),
    ],
)
def test_the_limit_that_a_deletion_passed_is_named(held: int, limit: str) -> None:
    shown = card_of(held=held, max_share=0.2)
    words = f"This portal asks before deleting more than {limit} of a source's datasets."
    assert words in shown.text


def test_up_to_ten_deletions_pass_no_share() -> None:
    shown = card_of(held=4, datasets=8, max_share=0.2)
    assert shown.text[0].endswith("That is 50%.")
    assert "asks before" not in " ".join(shown.text)


@pytest.mark.parametrize(("datasets", "is_said"), [(1, False), (3, True)])
def test_old_versions_are_named_only_if_there_are_some(datasets: int, is_said: bool) -> None:
    judged = {"outcome": "errors", "counts": {"added": 1, "lost": 1}}
    shown = card_of(lost=1, datasets=datasets, judged=judged)
    assert ("old version" in " ".join(shown.text)) is is_said


MISSING = {"records": 9, "of": 11, "asks_after": 2}


def test_missing_records_are_shown_with_the_time_of_approval() -> None:
    last = {"counts": {"missing": 9}, "shortfall": MISSING}
    mine = card_of(shortfall=MISSING, last=last)
    assert mine.heading == "Many records missing: 9 of 11"
    assert mine.text[0] == (
        "If they are missing from the next 2 complete runs too, an administrator of the "
        "organisation will be asked before they are deleted."
    )
    assert len(mine.text) == 2  # the number is in the heading
    lost = card_of(shortfall={**MISSING, "asks_after": 1}, judged=LOST)
    assert lost.text[0].startswith("If they are missing from the next complete run too")
    assert lost.actions[-1] == "mend"


LOST = {"outcome": "shrunk", "counts": {"lost": 2}}


def test_an_empty_list_that_counts_says_so() -> None:
    empty = {"outcome": "empty", "datasets": 12}
    shown = card_of(**empty, shortfall={**MISSING, "asks_after": 1})
    assert shown.heading == "No records found"
    assert shown.text[0] == "Nothing was imported, and nothing was deleted."
    assert shown.text[1].startswith("If they are missing from the next complete run too")
    shown = card_of(**empty)
    assert shown.text[1] == "Nothing is deleted as long as the source lists no records."
    assert shown.text[2].startswith("Check that the source's URL is right")


def test_a_switched_off_source_says_how_to_switch_it_on() -> None:
    shown = card_of(active=False, datasets=0)
    assert (shown.text, shown.actions) == ((), ("switch_on",))
    shown = card_of(active=False, datasets=5)
    assert shown.text[-1] == "The source is not harvested. Its datasets are kept as they are."
    assert shown.actions == ("switch_on",)
