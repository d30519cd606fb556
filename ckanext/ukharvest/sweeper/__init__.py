"""The one sweeper: at each tick of cron, whatever got stuck is sent again or ended.

It goes by what the database says and by the heartbeats of the processes that work, never by
notes in Redis, which a crash leaves behind or loses (docs/decisions/0007-one-sweeper.md).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

from ckan import model
from ckan.model.system_info import get_system_info, set_system_info

from ckanext.ukharvest import compat
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import locks
from ckanext.ukharvest.sweeper import history, jobs, links, objects, trials, workers

log = logging.getLogger(__name__)

Step = Callable[[], list[str]]

# Each does one thing, commits, and returns a sentence for each thing that it did.
STEPS: tuple[Step, ...] = (
    jobs.recover_gathers,
    jobs.send_new,
    objects.recover,
    objects.resend_waiting,
    objects.report_given_up,
    workers.forget_dead,
    history.prune_old_runs,
    history.note_sizes,
    links.enqueue_due,
    trials.forget_old,
)

NOTE = "ukharvest.sweeper"  # key in system_info
_WORDS_KEPT = 100


def sweep() -> list[str]:
    """Do every step, and return what was done in words; raises nothing.

    Of two sweeps at the same time the second does nothing.
    """
    did: list[str] = []
    with locks.alone(locks.SWEEPER) as is_alone:
        if not is_alone:
            log.info("Another sweep is at work; this one leaves it alone")
            return did
        for step in STEPS:
            did += _do(step)
        _note(did)
    return did


def last_sweep() -> dict[str, object]:
    """Return {"at": ISO time in UTC, "did": [sentence, …]} of the last sweep, {} before any."""
    text = get_system_info(NOTE)
    return dict(json.loads(text)) if text else {}


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


def _note(did: list[str]) -> None:
    now = tables.utcnow().isoformat(timespec="seconds")
    try:
        set_system_info(NOTE, json.dumps({"at": now, "did": did[:_WORDS_KEPT]}))
    except Exception:  # noqa: BLE001 - only a note
        log.exception("Sweeper: its note could not be stored")
        compat.rollback()
