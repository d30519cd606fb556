"""Run tests as CKAN background jobs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import cast

from ckan.lib import jobs
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource
from rq.job import Job

from ckanext.ukharvest import compat, config, source_types
from ckanext.ukharvest.core.errors import Aborted, ConfigError, UkharvestError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.harvest.background import (
    LONGEST,
    PERSON,
    WITHIN,
    Interruption,
    watch_queue,
)
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.dry_run import BUDGET as DRY_RUN_BUDGET
from ckanext.ukharvest.harvest.gather.dry_run import dry_run_move
from ckanext.ukharvest.harvest.gather.previews import SourcePreview as Row
from ckanext.ukharvest.harvest.gather.trial import open_trial_of_form
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.harvest.sources import source_config
from ckanext.ukharvest.harvest.sources.source_moves import is_move
from ckanext.ukharvest.reading.budget import HEAD, MIB, Budget, Over, Watched
from ckanext.ukharvest.reading.preview_result import NOTHING, Lookup, PreviewResult
from ckanext.ukharvest.reading.records import TextClient
from ckanext.ukharvest.reading.refusals import Trial
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell, failed
from ckanext.ukharvest.reading.type_detection import (
    DATA,
    Probe,
    detect,
    find_near,
    look_up,
    nothing_found,
    unrecognised,
    why_no_source,
)
from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.files import read_schema
from ckanext.ukharvest.schema_check.report import Limits, Verdict, storable
from ckanext.ukharvest.sources import rules as source_rules

log = logging.getLogger(__name__)

# A server that sends nothing costs half a minute.
REQUEST = HttpLimits(connect=10, read=20, total=30, retries=0)
_VERDICTS = {Verdict.VALID: "yes", Verdict.INVALID: "problems", Verdict.UNCHECKED: "no"}


class SourceTest:
    """The test of a URL, a text or a file.

    Args:
        row: its row.
        tell: called with the progress.
    """

    def __init__(self, row: Row, tell: Tell) -> None:
        self._type, self._config, self._tell = row.source_type, row.config, tell
        self._given, self._url = dict(row.given), row.url or row.given["name"]
        self._content, self._schema = source_previews.load_content(row.id)
        self._most = config.CHECK_MEGABYTES * MIB

    def result(self) -> tuple[PreviewResult, str]:
        """Read it; return the result and its type, ``DATA`` for data with a schema.

        Raises:
            UkharvestError: it cannot be read, or shows no type.
            Over: the search for its type was stopped, or took too long.
        """
        lookup: Lookup | None = None
        if not self._type and self._content is None and self._given["may_enter"]:
            lookup = self._look_up()
            self._type, self._url = lookup["source_type"], lookup["url"]
        self._type = self._type or self._found_type()
        if self._type == DATA:
            return self._of_data(), DATA
        return cast(PreviewResult, {**self._of_source(), "lookup": lookup}), self._type

    def _document(self, credential: str = "", most: int = 0) -> AbstractContextManager[HttpClient]:
        """Return a client that reads the URL; for a text or a file one that has only that."""
        if self._content is not None:
            return nullcontext(cast(HttpClient, TextClient(self._url, self._content)))
        return self._network(credential, most)

    def _network(self, credential: str = "", most: int = 0) -> HttpClient:
        """Return a client for what the person who asks may read; the caller closes it.

        Args:
            most: bytes of a response.
        """
        is_insider = self._given["may_enter"]
        guard = None if is_insider else config.public_guard()
        limits = replace(REQUEST, max_bytes=most) if most else None if is_insider else REQUEST
        return open_client(credential, limits=limits, guard=guard)

    def _look_up(self) -> Lookup:
        """Return the source that the URL leads to."""
        with self._network() as http:
            probe = Probe(http, tell=lambda: self._tell("searching", 0))
            try:
                place = look_up(self._url, probe)
                title = probe.site_title(place.url) if place else ""
            except Over as exc:
                error = nothing_found(self._url, probe)
                if exc.why != "time" or error.code == "no-source":
                    raise
                raise error from exc  # clear without the other URLs
        if place is None:
            raise nothing_found(self._url, probe)
        entered = why_no_source(self._url, probe)
        is_told = place.how == "place" and entered.code != "html-page"
        return Lookup(
            source_type=place.source_type,
            url=place.url,
            how=place.how,
            site_title=title,
            why_not=entered.message if is_told else "",
        )

    def _found_type(self) -> str:
        """Return the type that the first bytes show.

        Raises:
            SourceError: they cannot be read, or show no type.
        """
        with self._document() as http, http.get(self._url, first=HEAD) as reply:
            head = reply.content[:HEAD]
        if name := detect(head):
            return name
        raise unrecognised(self._url, head, reply.media_type)

    def _of_source(self) -> PreviewResult:
        kind, is_sent = _kind_of(self._type), self._content is not None
        chosen = source_config.read_options(kind, self._config)
        is_large = self._given["may_enter"] and not is_sent
        budget = BUDGET if is_large else Budget(megabytes=config.CHECK_MEGABYTES)
        limits, own_site = config.record_limits(), config.own_site()
        with self._document(chosen["credential"]) as http, self._trial(kind) as trial:
            source = Source(self._url, chosen, http, limits=limits, own_site=own_site)
            watched = Watched(http, budget)
            result = SourcePreview(
                kind, source, watched, tell=self._tell, counts_values=not is_sent, trial=trial
            ).run()
        # No run of a text follows, and there were no requests.
        none = {"asked": [], "requests": 0, "suggested_url": "", "estimate_seconds": None}
        return cast(PreviewResult, {**result, **(none if is_sent else {})})

    @contextmanager
    def _trial(self, kind: source_types.SourceType) -> Iterator[Trial | None]:
        """Return what tries records on the portal, for who may edit the source; else None.

        What a run would change is not told: of a new source it would be "added" for each record.
        """
        tried = self._given.get("tried")
        if not tried:
            yield None
            return
        with open_trial_of_form(kind, self._url, self._config, **tried) as trial:
            yield lambda records: [replace(each, change="") for each in trial(records)]

    def _of_data(self) -> PreviewResult:
        """Check a file of data against its schema."""
        largest = min(self._most, config.data_checks_megabytes() * MIB)
        limits = replace(Limits.for_bytes(largest), data_bytes=self._most)
        schema, most = self._schema, self._most + 1
        if schema is None and self._given["schema"]:
            with self._network(most=limits.schema_bytes + 1) as http:
                schema = read_schema(self._given["schema"], http, limits).content
        with self._document(most=most) as http, http.get(self._url, first=most) as reply:
            self._tell("comparing", 0)
            report = check_data(reply.body, schema, limits)
        stored = storable(report.as_dict())
        return {**NOTHING, "verdict": _VERDICTS[report.verdict], "report": stored}


BUDGET = Budget()
TIMEOUT = 900  # seconds after which RQ ends a job that hangs
TEST_SECONDS = 120.0  # that a test or a check takes at most, with a look-up or a schema
PAUSE = 0.5  # seconds between two saves of the progress


def enqueue(preview: Row) -> Job:
    """Queue a test and return its job; a short one of a user goes before other jobs.

    Jobs that check links end for it wherever it is.
    """
    seconds = DRY_RUN_BUDGET.seconds if preview.source_id else TEST_SECONDS
    at_front = bool(preview.user_name) and not preview.source_id
    own = {"job_id": PERSON + preview.id, "timeout": TIMEOUT, "at_front": at_front}
    own["meta"] = {LONGEST: seconds}
    job: Callable[[str], None] = run
    if preview.source_id and not preview.user_name:  # nobody watches it
        job, own["job_id"], own["meta"] = search, None, {LONGEST: WITHIN}
    return tk.enqueue_job(job, [preview.id], title="Preview a harvest source", rq_kwargs=own)


def hurry(preview: Row) -> bool:
    """Put a search before other jobs, once: a person waits for it. Return True."""
    own = {"job_id": PERSON + preview.id, "timeout": TIMEOUT, "at_front": True}
    if own["job_id"] not in jobs.get_queue().job_ids:
        own["meta"] = {LONGEST: WITHIN}
        tk.enqueue_job(search, [preview.id], title="Search near a source", rq_kwargs=own)
    return True


def search(preview_id: str) -> None:
    """Search near a source's URL: a background job. Where a person waits, it goes on later."""
    with watch_queue() as interruption:
        run(preview_id, interruption=interruption)
    is_left = interruption.is_set() and source_previews.restart_search(preview_id)
    if preview := source_previews.find_preview(preview_id) if is_left else None:
        enqueue(preview)


def run(
    preview_id: str,
    budget: Budget = DRY_RUN_BUDGET,
    also_tell: Tell = lambda *_: True,
    interruption: Interruption | None = None,
) -> None:
    """Run a preview or the dry run of a saved source: the background job. Never raises.

    Args:
        budget: of the dry run of another URL.
        also_tell: called with the progress too, by the command.
        interruption: ends a search.
    """
    try:
        preview = source_previews.begin_preview(preview_id)
        if preview is None:
            return
        save = throttled(partial(source_previews.save_progress, preview.id), PAUSE)
        ended = interruption or Interruption()

        def tell(stage: str, done: int) -> bool:
            return also_tell(stage, done) and not ended.is_set() and save(stage, done)

        result, found = _result(preview, tell, budget, ended)
        source_previews.finish_preview(preview_id, result, **found)
    except Exception:  # noqa: BLE001 - without a database only the log is left
        log.exception("The end of preview %s could not be stored", preview_id)
        compat.rollback()


def _result(
    preview: Row, tell: Tell, budget: Budget, interruption: Interruption
) -> tuple[PreviewResult, dict[str, str]]:
    """Return the result, and the source type or URL if it had to be found."""
    try:
        if not preview.source_id:
            result, name = SourceTest(preview, tell).result()
            return result, {"source_type": name}
        source = HarvestSource.get(preview.source_id)
        if not is_move(preview):
            return queue.get_harvester(source.type).dry_run(source, tell), {}
        kind = _kind_of(preview.source_type)
        url = preview.url or _search(source, kind, tell, interruption)
        move = dry_run_move(source, kind, url, preview.config, tell, budget, interruption)
        return move, {"url": url}
    except (Over, Aborted) as exc:
        return failed(None, over=exc.why if isinstance(exc, Over) else "stopped"), {}
    except UkharvestError as exc:
        return failed(exc), {}
    except Exception:  # noqa: BLE001 - a person waits for a result
        log.exception("Preview %s failed", preview.id)
        compat.rollback()
        return failed(None, over="fault"), {}


def _search(
    source: HarvestSource, kind: source_types.SourceType, tell: Tell, interruption: Interruption
) -> str:
    """Return the URL near a source's, on its host, at which one of its type answers.

    Raises:
        ConfigError: the source's options cannot be used.
        SourceError: there is none, or another source has it.
        Over: it took too long.
        Aborted: it was interrupted.
    """
    own = {"source_type": source.type, "config": source.config or ""}
    credential = source_config.read_options(kind, source.config)["credential"]
    with open_client(credential, limits=REQUEST) as http:
        interruption.then(http.abort)
        probe = Probe(http, tell=lambda: tell("searching", 0))
        url = find_near(source.url, kind.name, probe)
        if not url or source_rules.find_faults(source, {**own, "url": url}):
            raise nothing_found(source.url, probe)
    return url


def delete_old() -> list[str]:
    """Delete tests after a day, and the bytes of lost ones."""
    went = source_previews.delete_old_previews()
    return [f"Forgot {went:,} tests and checks of sources"] if went else []


TICK = (delete_old,)


def throttled(tell: Tell, seconds: float) -> Tell:
    """Return a function that calls this one at each new stage, else after so many seconds."""
    last = ("", 0.0)  # stage, and when it was called

    def tell_sometimes(stage: str, done: int) -> bool:
        nonlocal last
        now = time.monotonic()
        if stage == last[0] and now - last[1] < seconds:
            return True
        last = (stage, now)
        return tell(stage, done)

    return tell_sometimes


def _kind_of(name: str) -> source_types.SourceType:
    kind = source_types.find(name)
    if kind is None:
        raise ConfigError(f"there is no source type '{name}'", field="source_type")
    return kind
