"""The rules of source status and run status: facts in, status out.

The first rule that applies decides a source's health:

- off: the source is inactive;
- held: deletions are pending, or identifiers seem to have changed;
- failing: the last run failed in a way that does not pass by itself, or
  three runs in a row failed;
- late: a run was due an hour ago and did not begin;
- hiccup: one or two failures in a row of a kind that often passes;
- empty: the last run ended, and the source listed no records;
- shrunk: so many records are missing that their deletion will need approval;
- errors: the last run ended, and records failed in it;
- new: no run has ended yet;
- healthy: anything else.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.text import StrEnum


class Health(StrEnum):
    """In the order of the rules; their texts are in lib/texts.py."""

    OFF = "off"
    HELD = "held"
    FAILING = "failing"
    LATE = "late"
    HICCUP = "hiccup"
    EMPTY = "empty"
    SHRUNK = "shrunk"
    ERRORS = "errors"
    NEW = "new"
    HEALTHY = "healthy"


# What needs a person, in the order in which it does.
ATTENTION = (
    Health.HELD,
    Health.FAILING,
    Health.LATE,
    Health.EMPTY,
    Health.SHRUNK,
    Health.ERRORS,
)
# So many records are missing that a person should check.
MISSING = (Health.EMPTY, Health.SHRUNK)
MANY_FAILURES = 3
GRACE = dt.timedelta(hours=1)  # several ticks of cron
# Without any sign of work for this long, the site's consumers may be down.
STUCK = dt.timedelta(minutes=25)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about one source; times are naive UTC.

    Attributes:
        active: it may run.
        now: the time to which these facts apply.
        held: number of pending deletions.
        renamed: number of datasets whose records seem to have new identifiers.
        outcome: of its last run that ended and was not stopped: "finished", "held", "failed"; ""
            if there is none.
        passes: that run failed, and such failures often pass by themselves.
        failures: number of the latest runs in a row that failed.
        lost: records that failed in that run.
        is_empty: the source listed no records in that run.
        is_shrunk: so many records were missing in that run that their deletion will need
            approval.
        due: next scheduled start; None without a schedule.
        is_running: a run is under way.
    """

    active: bool
    now: dt.datetime
    held: int = 0
    renamed: int = 0
    outcome: str = ""
    passes: bool = False
    failures: int = 0
    lost: int = 0
    is_empty: bool = False
    is_shrunk: bool = False
    due: dt.datetime | None = None
    is_running: bool = False


def health(facts: Facts) -> tuple[Health, str]:
    """Return a source's health, and the reason.

    The reason is one of: "inactive", "identifiers", "deletions", "failed", "failed-often",
    "overdue", "failed-once", "no-records", "records-missing", "lost", "no-run", "" (all is well).
    """
    if not facts.active:
        return Health.OFF, "inactive"
    if facts.renamed:
        return Health.HELD, "identifiers"
    if facts.held:
        return Health.HELD, "deletions"
    if facts.outcome == RunOutcome.FAILED and facts.failures >= MANY_FAILURES:
        return Health.FAILING, "failed-often"
    if facts.outcome == RunOutcome.FAILED and not facts.passes:
        return Health.FAILING, "failed"
    if is_late(facts):
        return Health.LATE, "overdue"
    if facts.outcome == RunOutcome.FAILED:
        return Health.HICCUP, "failed-once"
    return _of_last_run(facts) if facts.outcome else (Health.NEW, "no-run")


def _of_last_run(facts: Facts) -> tuple[Health, str]:
    """Return health and reason if the last run ended without a failure."""
    if facts.is_empty:
        return Health.EMPTY, "no-records"
    if facts.is_shrunk:
        return Health.SHRUNK, "records-missing"
    if facts.lost:
        return Health.ERRORS, "lost"
    return Health.HEALTHY, ""


def is_late(facts: Facts) -> bool:
    """Tell whether a run was due and did not begin."""
    return bool(facts.due and not facts.is_running and facts.now - GRACE > facts.due)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about a run that has not ended; times are naive UTC.

    Attributes:
        is_sent: it is in the queue of the gather consumers, or was taken from it.
        is_read: its records are known.
        moved: time of its last progress.
        now: the time to which these facts apply.
        is_begun: a consumer reads, or has read, the source.
        unfinished, waiting: records that are not imported yet; those not claimed by a consumer.
        is_stopped: someone asked to stop it.
        mode: "normal", "force" or "approval".
        gathers, fetches: time of the last sign of work of such a consumer, on any run.
    """

    is_sent: bool
    is_read: bool
    moved: dt.datetime
    now: dt.datetime
    is_begun: bool = False
    unfinished: int = 0
    waiting: int = 0
    is_stopped: bool = False
    mode: str = RunMode.NORMAL
    gathers: dt.datetime | None = None
    fetches: dt.datetime | None = None


def run_state(run: RunFacts) -> str:
    """Return the state of a run that has not ended (a key of ``lib.texts.STATES``)."""
    if run.now - _moved(run) > STUCK:
        return "stuck"
    if run.is_stopped:
        return "stopping"
    if not (run.is_sent and run.is_begun):
        return "queued"
    if not run.is_read:
        return "gathering"
    if not run.unfinished:
        return "finishing"
    return "deleting" if run.mode == RunMode.APPROVAL else "importing"


def _moved(run: RunFacts) -> dt.datetime:
    """Return a run's last progress; queued runs progress as long as a consumer works at all."""
    ahead = None
    if run.is_sent and not run.is_begun:
        ahead = run.gathers
    elif run.is_read and run.unfinished and run.waiting == run.unfinished:
        ahead = run.fetches
    return max(run.moved, ahead or run.moved)
