"""Which datasets a run may delete. Pure: what to do about it is the store's business.

DESIGN 3.6 in full. Only a complete read without error counts. A dataset is due when ``after_runs``
such runs in a row, this one included, did not see it, or at once when the source itself says that
it is deleted. What was seen is never due, whatever else the source says of it. All that is due is
held instead of deleted when

- the run saw no record at all, or
- it is more than half of the source's active datasets, of which there are two or more, or
- it is more than ``floor`` and more than ``max_share`` of them.

Datasets that are not active are neither missing nor due nor counted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Known:
    """What we know of one record of the source from earlier runs.

    Attributes:
        missed: complete runs in a row that did not see it.
        active: its dataset exists and is not deleted.
    """

    missed: int
    active: bool


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """What a run means for the datasets that it did not see; guids in the order of ``known``.

    Attributes:
        delete: to be deleted now.
        missing: not seen, not yet due; their count of missed runs goes up.
        held: due, but not deleted without a person's word; ``delete`` is empty then. Their count
            goes up too.
        back: missed before and seen again; their count starts anew.
        reason: one sentence, why nothing is deleted or counted; "" if the run was like any other.
    """

    delete: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    reason: str = ""


def plan(
    known: Mapping[str, Known],
    seen: Collection[str],
    *,
    complete: bool,
    said_deleted: Collection[str] = (),
    after_runs: int = 2,
    max_share: float = 0.2,
    floor: int = 10,
) -> DeletionPlan:
    """Decide what becomes of the datasets that a run did not see.

    Args:
        known: guid → what earlier runs left; every record of the source that has a dataset.
        seen: guids that this run met, unreadable records and skipped ones included.
        complete: the read proved that it saw every record, and ended without an error.
        said_deleted: guids that the source marked as deleted in this run.
        after_runs: 1 or more; else ValueError.
        max_share: share of the active datasets, 0 to 1.
        floor: number of datasets that ``max_share`` leaves alone.
    """
    if after_runs < 1:
        raise ValueError("after_runs: expected 1 or more")
    seen, said_deleted = frozenset(seen), frozenset(said_deleted)
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
    return DeletionPlan(delete=tuple(due), missing=missing, back=back, reason=reason)


def _why_held(due: int, active: int, any_seen: bool, max_share: float, floor: int) -> str:
    """Return the sentence that says why ``due`` deletions wait, "" if they do not."""
    # The decimal as written: 0.07 * 100 is more than 7 in binary.
    share = Fraction(str(max_share))
    figures = f"{due} of {active} dataset{'' if active == 1 else 's'}"
    if not any_seen:
        waits = f"; {figures} would be deleted" if due else ""
        return f"the source listed no record at all{waits}, so nothing was deleted"
    if active >= 2 and 2 * due > active:
        return f"{figures} would be deleted, more than half, so the deletions wait for approval"
    if due > floor and due > share * active:
        limit = f"{float(share * 100):g} %"
        return (
            f"{figures} would be deleted, more than {floor} and more than {limit}, "
            "so the deletions wait for approval"
        )
    return ""
