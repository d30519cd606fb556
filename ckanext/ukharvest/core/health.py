"""Whether a source is all right, and what its run does, from what is known of them. Pure.

The first rule of health that applies counts:

- off: nobody runs it;
- held: deletions wait for a person's word;
- failing: the last run failed in a way that does not pass by itself, or three in a row failed;
- late: a run was due an hour ago, and none began;
- hiccup: one or two failures in a row that often pass;
- errors: the last run ended, and records were lost in it;
- new: no run has ended yet;
- healthy: anything else.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

# In the order of the rules; what they are called on pages says words/status.py.
HEALTHS = ("off", "held", "failing", "late", "hiccup", "errors", "new", "healthy")
MANY_FAILURES = 3
GRACE = dt.timedelta(hours=1)  # several ticks of cron
# Nobody reads, imports or beats for so long: the workers of the site may be down.
STUCK = dt.timedelta(minutes=25)

APPROVAL = "approval"  # mode of a run that carries out deletions


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one source; times are naive UTC.

    Attributes:
        active: it may run.
        now: the moment that all this is true of.
        held: deletions that wait for a decision.
        outcome: of its last run that ended and was not stopped: "finished", "held", "failed"; ""
            if there is none.
        passes: that run failed, and such failures often pass by themselves.
        failures: failed runs in a row up to now.
        lost: records lost in that run.
        due: when it is to begin next, which a clock that works moves on; None without a schedule.
        is_running: a run is under way.
    """

    active: bool
    now: dt.datetime
    held: int = 0
    outcome: str = ""
    passes: bool = False
    failures: int = 0
    lost: int = 0
    due: dt.datetime | None = None
    is_running: bool = False


def health(facts: Facts) -> tuple[str, str]:
    """Return what the source's health is called (one of ``HEALTHS``), and why.

    The reason is one of: "inactive", "deletions", "failed", "failed-often", "overdue",
    "failed-once", "lost", "no-run", "" (all is well).
    """
    if not facts.active:
        return "off", "inactive"
    if facts.held:
        return "held", "deletions"
    if facts.outcome == "failed" and facts.failures >= MANY_FAILURES:
        return "failing", "failed-often"
    if facts.outcome == "failed" and not facts.passes:
        return "failing", "failed"
    if is_late(facts):
        return "late", "overdue"
    if facts.outcome == "failed":
        return "hiccup", "failed-once"
    if facts.outcome and facts.lost:
        return "errors", "lost"
    if not facts.outcome:
        return "new", "no-run"
    return "healthy", ""


def is_late(facts: Facts) -> bool:
    """Tell whether a run was due and nobody began it."""
    return bool(facts.due and not facts.is_running and facts.now - GRACE > facts.due)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run that has not ended; times are naive UTC.

    Attributes:
        is_sent: it is in the gather workers' queue, or was taken out of it.
        is_read: its records are known.
        moved: when anything of it moved last.
        now: the moment that all this is true of.
        is_begun: somebody reads, or has read, the source.
        unfinished, waiting: records that are not worked off; those that nobody has taken up.
        is_stopped: somebody asked to stop it.
        mode: "normal", "force" or "approval".
        gathers, fetches: when a worker of this kind last gave a sign of work on anything.
    """

    is_sent: bool
    is_read: bool
    moved: dt.datetime
    now: dt.datetime
    is_begun: bool = False
    unfinished: int = 0
    waiting: int = 0
    is_stopped: bool = False
    mode: str = "normal"
    gathers: dt.datetime | None = None
    fetches: dt.datetime | None = None


def run_state(run: RunFacts) -> str:
    """Return what a run that has not ended does (key of ``words.status.STATES``)."""
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
    return "deleting" if run.mode == APPROVAL else "importing"


def _moved(run: RunFacts) -> dt.datetime:
    """What stands in a queue gives no sign of its own: it moves as long as somebody works there."""
    ahead = None
    if run.is_sent and not run.is_begun:
        ahead = run.gathers
    elif run.is_read and run.unfinished and run.waiting == run.unfinished:
        ahead = run.fetches
    return max(run.moved, ahead or run.moved)
