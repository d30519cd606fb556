"""Let consumers look for work of ours in the tables that they claim it from.

A consumer waits for messages one second at a time and looks in between: gather consumers at runs
that nobody reads, fetch consumers at waiting harvest objects. Messages serve other harvesters; one
about ours, such as the first of a run's that is read, only makes its consumer look at once.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers import claims, failures, workers
from ckanext.ukharvest.harvest.consumers.workers import FETCH, GATHER, Heart, read_id
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.run import run_end
from ckanext.ukharvest.source_types.source_type import SourceType

log = logging.getLogger(__name__)
Session = model.Session

_heart: Heart | None = None  # of this consumer process
_is_idle = False  # it found nothing when it looked last
_gathers_ours = False


@contextlib.contextmanager
def use_heart(heart: Heart) -> Iterator[None]:
    """Look for work within the block; a consumer claims it in the name of this heartbeat."""
    global _heart, _is_idle  # noqa: PLW0603 - one consumer is one process
    before, _heart, _is_idle = _heart, heart, False
    try:
        yield
    finally:
        _heart = before


def waits_for_the_queue() -> bool:
    """Tell whether messages of this process are needed: a consumer's, if not about ours."""
    return _heart is not None and not _gathers_ours


class _OneMessage:
    """A publisher of a gather's first message alone: it makes a fetch consumer look at once."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect: Callable[[], Any] | None = connect

    def send(self, body: dict[str, str]) -> None:
        if self._connect is not None:
            failures.try_to_queue(partial(self._send, self._connect, body))
            self._connect = None

    @staticmethod
    def _send(connect: Callable[[], Any], body: dict[str, str]) -> None:
        publisher = connect()
        publisher.send(body)
        publisher.close()

    def close(self) -> None: ...


class _NoChannel:
    """The channel of a message that never was."""

    def basic_ack(self, _delivery_tag: Any) -> None: ...


@contextlib.contextmanager
def with_one_message(job_id: str) -> Iterator[None]:
    """Send no more than one message at the end of a gather of ours.

    Not in a process without a heartbeat: then the fetch consumers have none either.
    """
    global _gathers_ours  # noqa: PLW0603 - one consumer is one process
    if _heart is None or not _is_ours(HarvestJob, job_id):
        yield
        return
    stock = queue.get_fetch_publisher
    queue.get_fetch_publisher, _gathers_ours = partial(_OneMessage, stock), True
    try:
        yield
    finally:
        queue.get_fetch_publisher, _gathers_ours = stock, False


def is_about_ours(channel: Any, kind: str, body: str) -> bool:
    """Tell whether a message is about work that this consumer finds by itself.

    What belongs to a run that has ended goes ckanext-harvest's way, which ends it.

    Args:
        kind: the message's key, GATHER or FETCH.
        body: the message.
    """
    if _heart is None or isinstance(channel, _NoChannel):
        return False
    return _is_ours(HarvestJob if kind == GATHER else HarvestObject, read_id(body, kind))


def _is_ours(entity: Any, id_: str) -> bool:
    """Tell whether a job or harvest object is of a run of ours that goes on."""
    query = (
        sa.select(HarvestSource.type)
        .join(HarvestJob, HarvestJob.source_id == HarvestSource.id)
        .where(HarvestJob.status != "Finished", entity.id == id_)
    )
    if entity is HarvestObject:
        query = query.join(HarvestObject, HarvestObject.harvest_job_id == HarvestJob.id)
    return Session.scalar(query) in config.our_type_names()


def look(kind: str) -> bool:
    """Do the next piece of work of ours; return False if there is none; never raises.

    Args:
        kind: GATHER or FETCH.
    """
    global _is_idle  # noqa: PLW0603 - one consumer is one process
    types = config.our_type_names()
    work, is_there = _WORK[kind]
    try:
        # An idle consumer asks one statement a second.
        _is_idle = (_is_idle and not is_there(types)) or not work()
    except Exception:
        log.exception("Work that waits was not found, or not taken to its end")
        _is_idle = True
    finally:
        with contextlib.suppress(Exception):
            compat.close_session()
    return not _is_idle


def _gather() -> bool:
    """Read the source of one run; return False if none waits."""
    assert _heart is not None
    job_id = claims.claim_run(_heart.id, config.our_type_names())
    if not job_id:
        return False
    try:
        body = json.dumps({GATHER: job_id})
        queue.gather_callback(_NoChannel(), queue.FakeMethod(body), None, body)
    finally:
        _heart.rest()
    return True


def _import() -> bool:
    """Import one batch; return False if nothing waits."""
    assert _heart is not None
    claimed = claims.claim_batch(_heart.id, config.our_type_names(), config.batch_size())
    if claimed is None:
        return False
    _heart.note(claimed.object_ids[0])
    try:
        kind = queue.get_harvester(claimed.source_type).source_type
        import_stage.import_batch(kind, claimed.object_ids, _heart.note)
        run_end.end_if_done(claimed.job_id)
    finally:
        _heart.rest()
    return True


_WORK: Mapping[str, tuple[Callable[[], bool], Callable[[Collection[str]], bool]]] = {
    GATHER: (_gather, claims.is_run_waiting),
    FETCH: (_import, claims.is_object_waiting),
}


def end_gathered(job_id: str) -> None:
    """End a run of ours of which nothing is left to import, if this process is a consumer."""
    if _heart is not None and _is_ours(HarvestJob, job_id):
        run_end.end_if_done(job_id)


def is_gathered_elsewhere(job_id: str) -> bool:
    """Tell whether another live process began with this job before this one."""
    return workers.is_at_work(
        job_id, before=_heart.id if _heart else "", limits=workers.load_limits()
    )


def work_alone(id_: str) -> None:
    """Save in the heartbeat that this one job or harvest object is worked on, whosever it is."""
    if _heart is not None:
        _heart.work_on(id_)


def stages_of_ours(stock: Callable[[Any, HarvestObject], None]) -> Callable[..., None]:
    """Run the stages of a harvester of ours; the import writes how its object ended.

    The stock function knows only "done" and "failed", and no object that waits again.
    """

    def fetch_and_import_stages(harvester: Any, obj: HarvestObject) -> None:
        if not isinstance(getattr(harvester, "source_type", None), SourceType):
            stock(harvester, obj)
            return
        obj.fetch_started, obj.state = utcnow(), "FETCH"
        obj.save()
        if harvester.fetch_stage(obj) is True:
            harvester.import_stage(obj)

    return fetch_and_import_stages
