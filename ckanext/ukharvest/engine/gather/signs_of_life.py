"""Save a gather's heartbeat; end the gather if a person stopped the run or another replaced it."""

from __future__ import annotations

import logging
import os
import time

from ckanext.ukharvest import compat
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.model import stopping

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 2.0  # least seconds between two heartbeats


class Stopped(Exception):
    """A person asked to stop the run."""


def end_process() -> None:
    """End this process at once, like a kill; its supervisor starts another."""
    logging.shutdown()
    os._exit(1)


def end_if_replaced(state: GatherState) -> None:
    """End this process if it hung for so long that another gather replaced it."""
    if state.gathers_lost is not None and stopping.is_replaced(state.job_id, state.gathers_lost):
        log.error(
            "The gather of job %s made no progress for too long and was started again by "
            "another consumer. This process ends now.",
            state.job_id,
        )
        compat.rollback()
        # Any other ending makes ckanext-harvest store the end of the other gather.
        end_process()


def show_life(state: GatherState) -> None:
    """Save the heartbeat, at most every HEARTBEAT_SECONDS.

    Raises:
        Stopped: a person asked to stop the run.
    """
    now = time.monotonic()
    if now - state.last_heartbeat < HEARTBEAT_SECONDS:
        return
    state.last_heartbeat = now
    end_if_replaced(state)
    if stopping.show_life(state.job_id, state.counts["seen"]):
        raise Stopped
