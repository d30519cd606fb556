"""Look at a source in a background job of CKAN's: never in a web request, which would hang.

"Test this source" looks at what somebody types into the form, and reads a few records; "Check
only" looks at all of a saved source, as its next run would. Neither writes anything but its own
row (model/trials.py).
"""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib import jobs
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource
from rq import Worker

from ckanext.ukharvest import compat, config, types
from ckanext.ukharvest.check.trial import Tell, Trial, failed
from ckanext.ukharvest.check.watch import Budget, Watched
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.model import Trial as Row
from ckanext.ukharvest.model import trials

log = logging.getLogger(__name__)

BUDGET = Budget()
TIMEOUT = 900  # seconds after which RQ ends a job that hangs
PAUSE = 0.5  # seconds between two notes of how far it is
_PREFIX = "ukharvest-trial-"  # of the ids of our jobs


def enqueue(trial_id: str, *, at_front: bool) -> None:
    """Have a background worker look; ``at_front``: before all else, since somebody waits for it."""
    own = {"job_id": _PREFIX + trial_id, "timeout": TIMEOUT, "at_front": at_front}
    tk.enqueue_job(run, [trial_id], title="Look at a harvest source", rq_kwargs=own)


def queue_before(trial_id: str) -> dict[str, int]:
    """Return the number of background ``workers``, and of jobs ``before`` this one."""
    queue_ = jobs.get_queue()
    ids = queue_.job_ids
    id_ = _PREFIX + trial_id
    before = ids.index(id_) if id_ in ids else 0
    return {"workers": len(Worker.all(queue=queue_)), "before": before}


def run(trial_id: str) -> None:
    """Do one trial: the background job. Never raises."""
    try:
        trial = trials.begin(trial_id)
        if trial is None:
            return
        trials.finish(trial_id, _result(trial))
    except Exception:  # noqa: BLE001 - no database: the log has to do
        log.exception("The end of trial %s could not be stored", trial_id)
        compat.rollback()


def _result(trial: Row) -> dict[str, Any]:
    tell = _telling(trial.id)
    try:
        return _check(trial, tell) if trial.source_id else _test(trial, tell)
    except ConfigError as exc:
        return failed(exc)
    except Exception:  # noqa: BLE001 - what a person waits for has to end in words
        log.exception("Trial %s failed", trial.id)
        compat.rollback()
        return failed(None, over="fault")


def _telling(trial_id: str) -> Tell:
    told = ("", 0.0)  # stage, and when it was noted

    def tell(stage: str, done: int) -> bool:
        nonlocal told
        now = time.monotonic()
        if stage == told[0] and now - told[1] < PAUSE:
            return True
        told = (stage, now)
        return trials.note(trial_id, stage, done)

    return tell


def _test(trial: Row, tell: Tell) -> dict[str, Any]:
    kind = types.find(trial.source_type)
    if kind is None:
        raise ConfigError(f"there is no source type '{trial.source_type}'", field="source_type")
    declared = (*kind.options, *types.COMMON_OPTIONS)
    given = options.validate(json.loads(trial.config or "{}"), declared)
    url = trial.url
    model.Session.commit()  # no transaction stays open while the source is waited for
    with config.http_client(given["credential"]) as http:
        source = Source(url, given, http)
        return Trial(kind, source, Watched(http, BUDGET), tell=tell).run()


def _check(trial: Row, tell: Tell) -> dict[str, Any]:
    source = HarvestSource.get(trial.source_id)
    result: dict[str, Any] = queue.get_harvester(source.type).rehearse(source, tell)
    return result
