"""The sweeper: at each tick of cron, send stuck work again or end it.

It relies on the database and the heartbeats of the consumers, not on keys in Redis, which a crash
leaves behind or loses (docs/decisions/0004-queue-and-sweeper.md).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import locks, notes
from ckanext.ukharvest.operations.sweeper import (
    history,
    jobs,
    links,
    lost_work,
    objects,
    search_index,
)

log = logging.getLogger(__name__)

Step = Callable[[], list[str]]

# Each does one thing, commits, and returns a sentence for each thing that it did.
STEPS: tuple[Step, ...] = (
    jobs.recover_gathers,
    jobs.send_new,
    objects.recover,
    objects.end_leftovers,
    objects.resend_waiting,
    objects.report_given_up,
    jobs.store_results,
    search_index.index_pending,
    search_index.compare_all,
    lost_work.forget_dead,
    history.prune_old_runs,
    links.enqueue_due,
    history.delete_old_previews,
)

NOTE = "ukharvest.sweeper"  # key in system_info: {"at": ISO time in UTC} of the last sweep


def sweep() -> list[str]:
    """Run every step, and return sentences that say what was done; raise nothing.

    Of two sweeps at the same time the second does nothing.
    """
    did: list[str] = []
    with locks.alone(locks.SWEEPER) as is_alone:
        if not is_alone:
            log.info("Another sweep is at work; this one leaves it alone")
            return did
        for step in STEPS:
            did += _do(step)
        _note()
    return did


def _do(step: Step) -> list[str]:
    try:
        did = step()
        model.Session.commit()
    except Exception:  # noqa: BLE001 - the other steps, and the tick, have to go on
        log.exception("Sweeper: %s failed", step.__name__)
        compat.rollback()
        return [f"{step.__name__} failed; the portal's log says why"]
    for words in did:
        log.info("Sweeper: %s", words)
    return did


def _note() -> None:
    now = tables.utcnow().isoformat(timespec="seconds")
    try:
        notes.set_note(NOTE, json.dumps({"at": now}))
    except Exception:  # noqa: BLE001 - only a note
        log.exception("Sweeper: its note could not be stored")
        compat.rollback()
