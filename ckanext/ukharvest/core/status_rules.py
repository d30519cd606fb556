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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
# With fewer finished records, the remaining time would be a guess.
RATED = 10


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """A run that has not ended; times are naive UTC.

    Attributes:
        id, status: of the harvest job.
        source_id, name, title, url: of its source; the last three "" if that is gone.
        mode: "normal", "force" or "approval".
        asked_by, stopped_by: names of people; "" for the schedule, and if nobody stopped it.
        now: the time to which these facts apply.
        created: when it was asked for.
        gather_started, gather_finished: when its source began to be read, and was; or None.
        heartbeat, sign: of the process that reads; when an object was last taken or imported.
        import_began: when the first object was taken.
        gathers, fetches: time of the last sign of work of such a consumer, on any run.
        seen: records that the source has listed so far, while it is read.
        total, done, waiting, lost: numbers of harvest objects: all, finished, not yet claimed by a
            consumer, failed.
        before: number of runs that wait before it.
    """

    id: str
    status: str
    created: dt.datetime
    now: dt.datetime
    source_id: str = ""
    name: str = ""
    title: str = ""
    url: str = ""
    mode: str = RunMode.NORMAL
    asked_by: str = ""
    stopped_by: str = ""
    gather_started: dt.datetime | None = None
    gather_finished: dt.datetime | None = None
    heartbeat: dt.datetime | None = None
    sign: dt.datetime | None = None
    import_began: dt.datetime | None = None
    gathers: dt.datetime | None = None
    fetches: dt.datetime | None = None
    seen: int = 0
    total: int = 0
    done: int = 0
    waiting: int = 0
    lost: int = 0
    before: int = 0

    @property
    def unfinished(self) -> int:
        """Number of records that are not imported yet."""
        return self.total - self.done

    @property
    def is_read(self) -> bool:
        """Whether its records are known."""
        return self.gather_finished is not None

    @property
    def moved(self) -> dt.datetime:
        """Time of its last progress."""
        signs = (self.gather_started, self.gather_finished, self.heartbeat, self.sign)
        return max(filter(None, (self.created, *signs)))

    @property
    def state(self) -> str:
        """What it does now, a key of ``lib.texts.STATES``."""
        is_begun = self.status == "Running" and self.gather_started is not None
        if self.now - self._last_work(is_begun) > STUCK:
            return "stuck"
        if self.stopped_by:
            return "stopping"
        if not is_begun:
            return "queued"
        if not self.is_read:
            return "gathering"
        if not self.unfinished:
            return "finishing"
        return "deleting" if self.mode == RunMode.APPROVAL else "importing"

    def _last_work(self, is_begun: bool) -> dt.datetime:
        """Return its last progress; one that waits progresses as long as a consumer works."""
        ahead = None
        if self.status == "Running" and not is_begun:
            ahead = self.gathers
        elif self.is_read and self.unfinished and self.waiting == self.unfinished:
            ahead = self.fetches
        return max(self.moved, ahead or self.moved)

    @property
    def queue_position(self) -> int:
        """Number of runs that wait before it; 0 if it has begun."""
        return self.before if self.state == "queued" else 0

    @property
    def eta_seconds(self) -> float | None:
        """Remaining seconds by the progress so far, None if unknown."""
        is_importing = self.state in ("importing", "deleting")
        if not is_importing or self.done < RATED or self.import_began is None:
            return None
        return (self.now - self.import_began).total_seconds() / self.done * self.unfinished


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is known of a source, and what follows from it; times are naive UTC.

    Attributes:
        active: it may run.
        now: the time to which these facts apply.
        held: number of pending deletions.
        renamed: number of datasets whose records seem to have new identifiers.
        waits_since: since when the first of these two waits.
        kept: number of datasets that a person kept although their records are gone.
        unseen: number of other datasets whose records are missing now; 0 unless one source is
            asked for: lists do not say it, and a source can miss very many.
        datasets: number of its datasets, including private ones.
        is_checked: a dry run of it is under way.
        next_run: time of the next scheduled run, None without a schedule.
        due: when that is late; not before the last change of the source.
        current: the run that is running or queued, None if there is none.
        judged_id, judged_ended, outcome, lost, records, shortfall: id of the last run that ended
            and was not stopped, by which health is judged; its end, its outcome (``RunOutcome``,
            "" if there is none), its failed records, all that it imported, failed or found
            unchanged, and ``core.deletions.Shortfall`` as a mapping if so many were missing that
            a later run will ask.
        passes: that run failed, and such failures often pass by themselves.
        streak, failing_since: number of the latest runs in a row that failed; when the first of
            them ended.
        last_id, last_ended, last_outcome, last_lost: of the last run that ended.
        good_id, good_ended: of the last run that did not fail and found records.
        harvested: when the last run ended that did not fail and was not stopped.
        max_share: share of the datasets, 0 to 1, above which the portal asks before it deletes.
        cron_minutes: minutes between two starts of the portal's cron job.
        last, judged: the last run and the one that health is judged by, as
            ``harvest.run.runs.list_runs`` has them, for the card; None where nobody loaded them.
        checked: records that a dry run under way has read.
        notice: heading of a feature, where its runs work; "" for none.
    """

    active: bool
    now: dt.datetime
    held: int = 0
    renamed: int = 0
    waits_since: dt.datetime | None = None
    kept: int = 0
    unseen: int = 0
    datasets: int = 0
    is_checked: bool = False
    next_run: dt.datetime | None = None
    due: dt.datetime | None = None
    current: CurrentRun | None = None
    judged_id: str | None = None
    judged_ended: dt.datetime | None = None
    outcome: str = ""
    lost: int = 0
    records: int = 0
    shortfall: Mapping[str, int] | None = None
    passes: bool = False
    streak: int = 0
    failing_since: dt.datetime | None = None
    last_id: str | None = None
    last_ended: dt.datetime | None = None
    last_outcome: str = ""
    last_lost: int = 0
    good_id: str | None = None
    good_ended: dt.datetime | None = None
    harvested: dt.datetime | None = None
    max_share: float = 1.0
    cron_minutes: int = 10
    last: Mapping[str, Any] | None = None
    judged: Mapping[str, Any] | None = None
    checked: int = 0
    notice: str = ""

    @property
    def utc(self) -> dt.datetime:
        """The time with its zone."""
        return self.now.replace(tzinfo=dt.timezone.utc)

    @property
    def value(self) -> Health:
        """Its health, a key of ``lib.texts.HEALTHS``."""
        return health(self)[0]

    @property
    def reason(self) -> str:
        """Why, as ``health`` names it."""
        return health(self)[1]

    @property
    def state(self) -> str:
        """What it does now, a key of ``lib.texts.STATES``."""
        if not self.active:
            return "off"
        if self.current is not None:
            return self.current.state
        if self.held or self.renamed:
            return "held"
        if self.is_checked:
            return "checking"
        return "idle" if self.last_id else "new"

    @property
    def is_failing(self) -> bool:
        """Whether the run that health is judged by failed."""
        return self.outcome == RunOutcome.FAILED

    @property
    def failures(self) -> int:
        """The number of failed runs in a row, up to the one that health is judged by."""
        return self.streak if self.is_failing else 0

    @property
    def since(self) -> dt.datetime | None:
        """When the first of the failed runs ended, or a late source should have begun."""
        if self.value == Health.LATE:
            return self.due
        return self.failing_since if self.is_failing else None

    @property
    def is_to_do(self) -> bool:
        """Whether a person has to do something: not where fewer than half of the records failed."""
        if self.value == Health.ERRORS:
            return 2 * self.lost > self.records
        return self.value in ATTENTION

    @property
    def to_do_since(self) -> dt.datetime | None:
        """Since when something waits, runs fail or are late; else when the last run ended."""
        if self.value == Health.HELD:
            return self.waits_since
        return self.since or self.judged_ended

    @property
    def missing(self) -> Mapping[str, int] | None:
        """How many records are missing, where that is what its health is about."""
        return self.shortfall if self.value in MISSING else None


def health(facts: SourceStatus) -> tuple[Health, str]:
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
    if facts.failures >= MANY_FAILURES:
        return Health.FAILING, "failed-often"
    if facts.is_failing and not facts.passes:
        return Health.FAILING, "failed"
    if is_late(facts):
        return Health.LATE, "overdue"
    if facts.is_failing:
        return Health.HICCUP, "failed-once"
    return _of_last_run(facts) if facts.outcome else (Health.NEW, "no-run")


def _of_last_run(facts: SourceStatus) -> tuple[Health, str]:
    """Return health and reason if the last run ended without a failure."""
    if facts.outcome == RunOutcome.EMPTY:
        return Health.EMPTY, "no-records"
    if facts.shortfall is not None:
        return Health.SHRUNK, "records-missing"
    if facts.lost:
        return Health.ERRORS, "lost"
    return Health.HEALTHY, ""


def is_late(facts: SourceStatus) -> bool:
    """Tell whether a run was due and did not begin."""
    return bool(facts.due and facts.current is None and facts.now - GRACE > facts.due)
