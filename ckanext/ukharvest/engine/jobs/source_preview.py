"""Run source previews and dry runs as CKAN background jobs: a web request would time out.

"Test this source" reads a few records of a source that is being edited, or of the source that an
address leads to if no type is chosen yet; a dry run reads all of a saved source, as its next run
would, here or at another URL. All write only the preview's row (model/source_previews.py).
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config, source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, FetchError, UkharvestError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.engine.dry_run import BUDGET as DRY_RUN_BUDGET
from ckanext.ukharvest.engine.dry_run import dry_run_move
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.jobs.check import Check
from ckanext.ukharvest.engine.jobs.interruption import LONGEST, PERSON
from ckanext.ukharvest.engine.jobs.queue_position import QueuePosition, queue_position
from ckanext.ukharvest.model import SourcePreview as Row
from ckanext.ukharvest.model import source_previews
from ckanext.ukharvest.model.source_moves import is_move
from ckanext.ukharvest.reading.address_lookup import Probe, look_up, nothing_found
from ckanext.ukharvest.reading.budget import Budget, Over, Watched
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell, failed

log = logging.getLogger(__name__)

BUDGET = Budget()
TIMEOUT = 900  # seconds after which RQ ends a job that hangs
TEST_SECONDS = 120.0  # that a test or a check takes at most, with a look-up or a schema
PAUSE = 0.5  # seconds between two saves of the progress


def enqueue(preview_id: str, *, at_front: bool, seconds: float = TEST_SECONDS) -> None:
    """Queue a preview.

    Args:
        at_front: before other jobs, because a person is waiting for it. Jobs that check links end
            for it wherever it is.
        seconds: that it takes at most.
    """
    own = {"job_id": PERSON + preview_id, "timeout": TIMEOUT, "at_front": at_front}
    own["meta"] = {LONGEST: seconds}
    tk.enqueue_job(run, [preview_id], title="Preview a harvest source", rq_kwargs=own)


def position_of(preview_id: str) -> QueuePosition:
    """Return what a preview that has not begun waits for."""
    return queue_position(PERSON + preview_id)


def run(
    preview_id: str, budget: Budget = DRY_RUN_BUDGET, also_tell: Tell = lambda *_: True
) -> None:
    """Run a preview or the dry run of a saved source: the background job. Never raises.

    Args:
        budget: of the dry run of another URL.
        also_tell: called with the progress too, by the command.
    """
    try:
        preview = source_previews.begin(preview_id)
        if preview is None:
            return
        save = _progress_saver(preview.id)
        result, name = _result(preview, lambda *now: also_tell(*now) and save(*now), budget)
        source_previews.finish(preview_id, result, **({"source_type": name} if name else {}))
    except Exception:  # noqa: BLE001 - without a database only the log is left
        log.exception("The end of preview %s could not be stored", preview_id)
        compat.rollback()


def _result(preview: Row, tell: Tell, budget: Budget) -> tuple[PreviewResult, str]:
    """Return the result, and the source type if it had to be found."""
    try:
        if preview.given is not None:
            return Check(preview, tell).result()
        if preview.source_id:
            return _dry_run(preview, tell, budget), ""
        if preview.source_type:
            return _test(preview, tell), ""
        result = _look_up(preview, tell)
        return result, result["lookup"]["source_type"] if result["lookup"] else ""
    except UkharvestError as exc:
        return failed(exc), ""
    except Exception:  # noqa: BLE001 - a person waits for a result
        log.exception("Preview %s failed", preview.id)
        compat.rollback()
        return failed(None, over="fault"), ""


def _progress_saver(preview_id: str) -> Tell:
    """Return a function that saves the progress, and tells whether the preview is still wanted."""
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
    kind = _kind_of(preview)
    declared = (*kind.options, *source_types.COMMON_OPTIONS)
    chosen = options.validate(json.loads(preview.config or "{}"), declared)
    url = preview.url
    model.Session.commit()  # no transaction stays open while waiting for the source
    with open_client(chosen["credential"]) as http:
        source = _source(url, chosen, http)
        watched = Watched(http, BUDGET)
        return SourcePreview(kind, source, watched, tell=tell, counts_values=True).run()


def _look_up(preview: Row, tell: Tell) -> PreviewResult:
    """Find the source that an address leads to, and read it with its type's default options."""
    url = preview.url
    model.Session.commit()
    with open_client() as http:
        probe = Probe(http, tell=lambda: tell("searching", 0))
        try:
            place = look_up(url, probe)
            title = probe.site_title(place.url) if place else ""
        except Over as exc:
            error = nothing_found(url, probe)
            is_clear = exc.why == "time" and error.code != "no-source"  # without the other URLs
            return failed(error) if is_clear else failed(None, over=exc.why)
        except FetchError as exc:
            return failed(exc)
        if place is None:
            return failed(nothing_found(url, probe))
        kind = source_types.TYPES[place.source_type]
        chosen = options.validate({}, (*kind.options, *source_types.COMMON_OPTIONS))
        source = _source(place.url, chosen, http)
        result = SourcePreview(kind, source, Watched(http, BUDGET), tell=tell).run()
    result["lookup"] = {
        "source_type": place.source_type,
        "url": place.url,
        "how": place.how,
        "site_title": title,
    }
    return result


def _source(url: str, given: Mapping[str, Any], http: HttpClient) -> Source:
    return Source(url, given, http, limits=config.record_limits(), own_site=config.own_site())


def _kind_of(preview: Row) -> source_types.SourceType:
    kind = source_types.find(preview.source_type)
    if kind is None:
        raise ConfigError(f"there is no source type '{preview.source_type}'", field="source_type")
    return kind


def _dry_run(preview: Row, tell: Tell, budget: Budget) -> PreviewResult:
    source = HarvestSource.get(preview.source_id)
    if is_move(preview):
        return dry_run_move(source, _kind_of(preview), preview.url, preview.config, tell, budget)
    result: PreviewResult = queue.get_harvester(source.type).dry_run(source, tell)
    return result
