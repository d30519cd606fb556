"""Deletion rules: which datasets a run may delete, as pure functions.

Only a complete read without errors counts. A dataset is due for deletion after ``after_runs``
complete runs in a row that did not see it, this run included, or at once when the source itself
says that it is deleted. A record that was seen is never due. All deletions that are due are held
for approval when

- the run saw no records at all, or
- they are more than half of the source's active datasets, and it has two or more, or
- they are more than ``floor`` and more than ``max_share`` of them.

What is held stays held until a person decides or the record is seen again, whatever changes
meanwhile: the share, the settings, or what the source says. It goes on counting in the share.

Datasets that are not active are not counted as missing, due or present.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

# As CKAN and catalogues write it.
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# With or without hyphens and braces; SHA-1 and longer digests pass too.
_ANY_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?:[0-9a-f]{8,})?(?![0-9a-f])",
    re.IGNORECASE,
)
# Schemes whose authority assigns each name only once.
_URI = re.compile(r"(?:https?://[^/\s]+\.[^/\s]+/?|(?:urn|doi|hdl|ark|info|tag|oai):)\S+", re.I)


def is_globally_unique(guid: str) -> bool:
    """Tell whether the same identifier in two sources must mean the same dataset."""
    return bool(_ANY_UUID.search(guid) or _URI.match(guid.strip()))


FLOOR = 10  # datasets up to which their share does not count


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """One record of the source as earlier runs left it.

    Attributes:
        missed: complete runs in a row that did not see it.
        active: its dataset exists and is not deleted.
    """

    missed: int
    active: bool


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Missing records, so many that their deletion will need approval.

    Attributes:
        records: missing records, if none comes back.
        of: active datasets of the source at this run.
        asks_after: complete runs until approval is asked for; 1 is the next one.
    """

    records: int
    of: int
    asks_after: int


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """The result of a run for the datasets that it did not see; guids in the order of ``known``.

    Attributes:
        delete: delete now.
        missing: not seen, not due yet; their count of missed runs goes up.
        held: due, but only deleted after approval: all that are due (``delete`` is empty then), or
            those that were held before. Their count of missed runs goes up too.
        back: missing before and seen again; their count of missed runs is reset.
        reason: one sentence: why nothing is deleted or counted; "" if there is no such reason.
        shortfall: the missing records that a later run will hold; None if it would delete them
            without approval, or if deletions are held already.
    """

    delete: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    reason: str = ""
    shortfall: Shortfall | None = None


def plan(
    known: Mapping[str, KnownRecord],
    seen: Collection[str],
    *,
    complete: bool,
    said_deleted: Collection[str] = (),
    held: Collection[str] = (),
    after_runs: int = 2,
    max_share: float = 0.2,
    floor: int = FLOOR,
) -> DeletionPlan:
    """Decide which of the datasets that a run did not see are deleted, missing or held.

    Args:
        known: guid → state before this run; every record of the source that has a dataset.
        seen: guids in this run, including unreadable and skipped records.
        complete: the read proved that it saw every record, and ended without errors.
        said_deleted: guids that the source marked as deleted in this run.
        held: guids whose deletion waits for a person since an earlier run.
        after_runs: 1 or more; else ValueError.
        max_share: share of the active datasets, 0 to 1.
        floor: number of datasets up to which ``max_share`` does not apply.
    """
    if after_runs < 1:
        raise ValueError("after_runs: expected 1 or more")
    seen, held = frozenset(seen), frozenset(held)
    said_deleted = held.union(said_deleted)
    back = tuple(guid for guid, state in known.items() if state.missed and guid in seen)
    if not complete:
        reason = "the read was not complete, so no dataset was deleted or counted as missing"
        return DeletionPlan(back=back, reason=reason)
    active = {guid: state for guid, state in known.items() if state.active}
    gone = [guid for guid in active if guid not in seen]
    due = [g for g in gone if g in said_deleted or active[g].missed + 1 >= after_runs]
    missing = tuple(guid for guid in gone if guid not in frozenset(due))
    reason = _why_held(len(due), len(active), bool(seen), max_share, floor) if gone else ""
    if reason and due:
        return DeletionPlan(missing=missing, held=tuple(due), back=back, reason=reason)
    waiting = tuple(guid for guid in due if guid in held)
    if waiting:
        deleted = tuple(guid for guid in due if guid not in held)
        number = "1 deletion" if len(waiting) == 1 else f"{len(waiting)} deletions"
        reason = f"{number} of an earlier run still to be approved"
        return DeletionPlan(deleted, missing, held=waiting, back=back, reason=reason)
    waits = [after_runs - active[guid].missed - 1 for guid in missing]
    shortfall = _shortfall(waits, len(active), len(due), bool(seen), max_share, floor)
    return DeletionPlan(tuple(due), missing, back=back, reason=reason, shortfall=shortfall)


def _shortfall(
    waits: Collection[int],
    active: int,
    deleted: int,
    any_seen: bool,
    max_share: float,
    floor: int,
) -> Shortfall | None:
    """Return the shortfall of the first later run that holds deletions, if no record comes back.

    Args:
        waits: for each missing record, the complete runs until its deletion is due.
        deleted: datasets that this run deletes.
    """
    left = active - deleted
    for run in sorted(set(waits)):
        due = sum(wait == run for wait in waits)
        if _why_held(due, left, any_seen, max_share, floor):
            return Shortfall(due, active, run)
        left -= due
    return None


def is_more_than_half(due: int, active: int) -> bool:
    """Tell whether so many deletions are held because they are more than half of the datasets."""
    return active >= 2 and 2 * due > active


def _why_held(due: int, active: int, any_seen: bool, max_share: float, floor: int) -> str:
    """Return the sentence that says why ``due`` deletions are held, "" if they are not."""
    # Decimal as written: in binary floating point, 0.07 * 100 is more than 7.
    share = Fraction(str(max_share))
    figures = f"{due} of {active} dataset{'' if active == 1 else 's'}"
    if not any_seen:
        waits = f"; {figures} would be deleted" if due else ""
        return f"the source listed no record at all{waits}, so nothing was deleted"
    if is_more_than_half(due, active):
        return f"{figures} would be deleted, more than half, so the deletions wait for approval"
    if due > floor and due > share * active:
        limit = f"{float(share * 100):g}%"
        return (
            f"{figures} would be deleted, more than {floor} and more than {limit}, "
            "so the deletions wait for approval"
        )
    return ""
