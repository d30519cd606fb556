"""Run source previews and dry runs as CKAN background jobs: a web request would time out.

"Test this source" reads a few records of a source that is being edited; a dry run reads all of a
saved source, as its next run would. Both write only the preview's row (model/source_previews.py).
"""

from __future__ import annotations

import json
import logging
import time

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib import jobs
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource
from rq import Worker

from ckanext.ukharvest import compat, config, source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.model import SourcePreview as Row
from ckanext.ukharvest.model import source_previews
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell, failed

log = logging.getLogger(__name__)

BUDGET = Budget()
TIMEOUT = 900  # seconds after which RQ ends a job that hangs
PAUSE = 0.5  # seconds between two saves of the progress
_PREFIX = "ukharvest-trial-"  # prefix of our jobs' ids


def enqueue(preview_id: str, *, at_front: bool) -> None:
    """Queue a preview.

    Args:
        at_front: before other jobs, because a person is waiting for it.
    """
    own = {"job_id": _PREFIX + preview_id, "timeout": TIMEOUT, "at_front": at_front}
    tk.enqueue_job(run, [preview_id], title="Preview a harvest source", rq_kwargs=own)


def queue_before(preview_id: str) -> dict[str, int]:
    """Return {"workers": number of jobs workers, "before": number of jobs before this one}."""
    queue_ = jobs.get_queue()
    ids = queue_.job_ids
    id_ = _PREFIX + preview_id
    before = ids.index(id_) if id_ in ids else 0
    return {"workers": len(Worker.all(queue=queue_)), "before": before}


def run(preview_id: str) -> None:
    """Run one preview: the background job. Never raises."""
    try:
        preview = source_previews.begin(preview_id)
        if preview is None:
            return
        source_previews.finish(preview_id, _result(preview))
    except Exception:  # noqa: BLE001 - without a database only the log is left
        log.exception("The end of preview %s could not be stored", preview_id)
        compat.rollback()


def _result(preview: Row) -> PreviewResult:
    tell = _progress_saver(preview.id)
    try:
        return _dry_run(preview, tell) if preview.source_id else _test(preview, tell)
    except ConfigError as exc:
        return failed(exc)
    except Exception:  # noqa: BLE001 - a person waits for a result
        log.exception("Preview %s failed", preview.id)
        compat.rollback()
        return failed(None, over="fault")


def _progress_saver(preview_id: str) -> Tell:
    saved = ("", 0.0)  # stage, and when it was saved

    def tell(stage: str, done: int) -> bool:
        nonlocal saved
        now = time.monotonic()
        if stage == saved[0] and now - saved[1] < PAUSE:
            return True
        saved = (stage, now)
        return source_previews.save_progress(preview_id, stage, done)

    return tell


def _test(preview: Row, tell: Tell) -> PreviewResult:
    kind = source_types.find(preview.source_type)
    if kind is None:
        raise ConfigError(f"there is no source type '{preview.source_type}'", field="source_type")
    declared = (*kind.options, *source_types.COMMON_OPTIONS)
    given = options.validate(json.loads(preview.config or "{}"), declared)
    url = preview.url
    model.Session.commit()  # no transaction stays open while waiting for the source
    with open_client(given["credential"]) as http:
        source = Source(url, given, http, limits=config.record_limits())
        return SourcePreview(kind, source, Watched(http, BUDGET), tell=tell).run()


def _dry_run(preview: Row, tell: Tell) -> PreviewResult:
    source = HarvestSource.get(preview.source_id)
    result: PreviewResult = queue.get_harvester(source.type).dry_run(source, tell)
    return result
