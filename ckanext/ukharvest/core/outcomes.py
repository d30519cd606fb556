"""The values that tables have for runs, records and previews; stored, so they never change."""

from __future__ import annotations

from ckanext.ukharvest.core.str_enum import StrEnum


class RunMode(StrEnum):
    """What a run does with its records."""

    NORMAL = "normal"
    FORCE = "force"  # imports every record again, changed or not
    APPROVAL = "approval"  # carries out deletions that a person approved


class RunOutcome(StrEnum):
    """How a run ended; the first four are stored, the others are worked out for people."""

    FINISHED = "finished"
    HELD = "held"
    FAILED = "failed"
    STOPPED = "stopped"
    ERRORS = "errors"
    EMPTY = "empty"
    SHRUNK = "shrunk"
    UNCHANGED = "unchanged"
    RUNNING = "running"
    QUEUED = "queued"
    DECIDED = "decided"  # what waited in a held run is decided
    SETTLED = "settled"  # nothing of a held run waits any more, without a decision


class RecordOutcome(StrEnum):
    """How a record's last import ended, or what its row is without one."""

    ADDED = "added"
    UPDATED = "updated"
    DELETED = "deleted"
    ERRORED = "errored"
    SKIPPED = "skipped"
    ADOPTED = "adopted"
    ADOPTED_BY_GUID = "adopted by guid"
    KEPT = "kept"  # its record is gone, and a person kept its dataset


class PreviewState(StrEnum):
    """How far a source preview is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class PreviewKind(StrEnum):
    """What a source preview is of; not stored."""

    TEST = "test"  # of a form
    LOOKUP = "lookup"  # of a URL whose source type is not known yet
    CHECK = "check"  # of a text, a file or a URL, by anybody
    DRY_RUN = "dry run"  # of a saved source
    MOVE = "move"  # of a saved source at another URL
