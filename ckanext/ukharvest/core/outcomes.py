"""The values that tables have for runs, records and previews; stored, so they never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import StrEnum


class RunMode(StrEnum):
    """What a run does with its records."""

    NORMAL = "normal"
    FORCE = "force"  # imports every record again, changed or not
    APPROVAL = "approval"  # carries out deletions that a person approved


class RunOutcome(StrEnum):
    """How a run ended; the last two are of runs that have not.

    The end of reading stores one of the first four, the end of the run the final one.
    """

    FINISHED = "finished"
    HELD = "held"
    FAILED = "failed"
    STOPPED = "stopped"
    ERRORS = "errors"
    EMPTY = "empty"
    SHRUNK = "shrunk"
    UNCHANGED = "unchanged"
    DECIDED = "decided"  # what waited in a held run is decided
    SETTLED = "settled"  # nothing of a held run waits any more, without a decision
    RUNNING = "running"
    QUEUED = "queued"


# Of runs that did not read their source; "": not ended, or ended while it read.
NOT_READ = ("", RunOutcome.FAILED, RunOutcome.STOPPED)
# Of runs whose outcome depends on what became of their records.
_BY_RECORDS = (
    RunOutcome.FINISHED,
    RunOutcome.ERRORS,
    RunOutcome.EMPTY,
    RunOutcome.SHRUNK,
    RunOutcome.UNCHANGED,
)


def final_outcome(
    stored: str, counts: Mapping[str, Any], figures: Mapping[str, int]
) -> RunOutcome | str:
    """Return the outcome of a run that has ended.

    Args:
        stored: the end of its reading, or the outcome before a later import.
        counts: what the reading counted (``JobReport.counts``).
        figures: numbers of records: "added", "updated", "deleted", "lost".
    """
    if stored not in _BY_RECORDS:
        return stored
    if is_empty(counts):
        return RunOutcome.EMPTY
    if counts.get("shortfall"):
        return RunOutcome.SHRUNK
    if figures["lost"]:
        return RunOutcome.ERRORS
    is_changed = any(figures[key] for key in ("added", "updated", "deleted"))
    return RunOutcome.FINISHED if is_changed else RunOutcome.UNCHANGED


def is_empty(counts: Mapping[str, Any]) -> bool:
    """Tell whether a run listed no records, from what its reading counted.

    False for runs without that figure, and for those that asked for changes only.
    """
    return counts.get("seen") == 0 and "not_asked" not in counts


class RecordState(StrEnum):
    """What a run did with a record, or what the record is now; the worst first."""

    LOST = "lost"  # failed
    HELD = "held"  # missing, and its deletion is pending
    MISSING = "missing"
    DELETED = "deleted"
    ADDED = "added"
    UPDATED = "updated"
    WAITING = "waiting"  # not imported yet
    SKIPPED = "skipped"
    KEPT = "kept"  # missing, and a person kept its dataset
    DELETED_HERE = "deleted_here"  # a person deleted its dataset
    UNCHANGED = "unchanged"


# A filter beside these states: records imported with problems.
CHANGED = "changed"  # filters of records beside their states
WITH_PROBLEMS = "problems"


class RecordOutcome(StrEnum):
    """How a record's last import ended."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    ERRORED = "errored"
    SKIPPED = "skipped"


class AdoptedBy(StrEnum):
    """By what adoption found the dataset of a record."""

    SOURCE = "source"  # a harvest object or an extra of the dataset names this source
    GUID = "guid"  # the same identifier alone


class PendingKind(StrEnum):
    """What waits for a person."""

    DELETION = "deletion"
    IDENTIFIER = "identifier"  # records seem to have new ones
    DUPLICATE = "duplicate"  # another dataset seems to be the same
    SOURCE = "source"  # its URL and type wait for a sysadmin


class DecisionKind(StrEnum):
    """What a person decided about a source."""

    DELETIONS_APPROVED = "deletions approved"
    DELETIONS_REFUSED = "datasets kept"
    NOT_KEPT = "datasets no longer kept"
    SAME_DATASETS = "same datasets"  # under new identifiers
    OTHER_DATASETS = "different datasets"
    OPTIONS_CONFIRMED = "options confirmed"
    SWITCHED_OFF = "switched off"
    SWITCHED_ON = "switched on"
    MOVED = "moved"  # to another URL
    RUN_STOPPED = "run stopped"
    PROBLEM_ACCEPTED = "problem accepted"
    PROBLEM_LISTED_AGAIN = "problem listed again"
    HANDED_OVER = "datasets handed over"  # to another source that lists them too
    TAKEN_OVER = "datasets taken over"
    JOINED = "datasets joined"
    NOT_JOINED = "different datasets of two sources"
    PARTED = "datasets parted"
    SOURCE_ACCEPTED = "source accepted"  # with a URL and a type
    SOURCE_REFUSED = "source refused"


class PreviewState(StrEnum):
    """How far a source preview is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class PreviewKind(StrEnum):
    """What a source preview is of; not stored."""

    TEST = "test"  # of a URL, a text or a file
    DRY_RUN = "dry run"  # of a saved source
    MOVE = "move"  # of a saved source at another URL
