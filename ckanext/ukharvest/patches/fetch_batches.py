"""Let fetch consumers take batches: a message about an object of ours is a wake-up.

Consumers claim waiting objects in the database (harvest/claims.py), whichever object the message
names; with batches of one, that object. Messages about other harvesters' objects go
ckanext-harvest's way.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.harvest import batch, claims, run_end, workers
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.workers import Heart
from ckanext.ukharvest.source_types.source_type import SourceType

# Messages at the end of a gather. Each batch sends the next, so they are as many as consumers that
# share the work; more would only make other harvesters' messages wait.
MOST_WAKE_UPS = 8

log = logging.getLogger(__name__)
Session = model.Session

_heart: Heart | None = None  # of this consumer process


@contextlib.contextmanager
def use_heart(heart: Heart) -> Iterator[None]:
    """Take batches within the block; a fetch consumer claims in the name of this heartbeat."""
    global _heart  # noqa: PLW0603 - one consumer is one process
    _heart = heart
    try:
        yield
    finally:
        _heart = None


def is_consumer() -> bool:
    """Tell whether this process is a consumer that works on messages."""
    return _heart is not None


class _FewMessages:
    """A publisher that sends a message for a batch of objects instead of one for each."""

    def __init__(self, publisher: Any, size: int) -> None:
        self._publisher = publisher
        self._size = size
        self._number = 0

    def send(self, body: dict[str, str]) -> None:
        if self._number % self._size == 0 and self._number // self._size < MOST_WAKE_UPS:
            self._publisher.send(body)
        self._number += 1

    def close(self) -> None:
        self._publisher.close()


@contextlib.contextmanager
def few_messages(job_id: str) -> Iterator[None]:
    """Send few messages at the end of a gather of ours: each wakes up a consumer for a batch.

    Not in a process without a heartbeat: then the fetch consumers have none either.
    """
    size = config.batch_size()
    if size < 2 or _heart is None or not _is_ours(job_id):
        yield
        return
    stock = queue.get_fetch_publisher
    queue.get_fetch_publisher = lambda: _FewMessages(stock(), size)
    try:
        yield
    finally:
        queue.get_fetch_publisher = stock


def _is_ours(job_id: str) -> bool:
    query = Session.query(HarvestSource.type).join(
        HarvestJob, HarvestJob.source_id == HarvestSource.id
    )
    return query.filter(HarvestJob.id == job_id).scalar() in config.our_type_names()


def is_wake_up(object_id: str) -> bool:
    """Tell whether a message about this object wakes the consumer up for a batch.

    Not if this process has no heartbeat. An object of a run that has ended goes ckanext-harvest's
    way, which ends it.
    """
    if _heart is None:
        return False
    row = (
        Session.query(HarvestSource.type, HarvestJob.status)
        .join(HarvestObject, HarvestObject.harvest_source_id == HarvestSource.id)
        .join(HarvestJob, HarvestJob.id == HarvestObject.harvest_job_id)
        .filter(HarvestObject.id == object_id)
        .first()
    )
    return row is not None and row.type in config.our_type_names() and row.status != "Finished"


def end_gathered(job_id: str) -> None:
    """End a run of ours of which nothing is left to import, if this process is a consumer."""
    if _heart is not None and _is_ours(job_id):
        run_end.end_if_done(job_id)


def is_gathered_elsewhere(job_id: str) -> bool:
    """Tell whether another live process began with this job before this one."""
    return workers.is_at_work(job_id, before=_heart.id if _heart else "", limits=workers.limits())


def work_alone(object_id: str) -> None:
    """Save in the heartbeat that this one harvest object is worked on, whosever it is."""
    if _heart is not None:
        _heart.work_on(object_id)


def work(object_id: str) -> None:
    """Import one batch, and wake a consumer up for the next if more waits.

    Args:
        object_id: of the message; stands in the heartbeat until the batch is known. With batches
            of one, it is the batch.
    """
    types, size = config.our_type_names(), config.batch_size()
    assert _heart is not None
    _heart.note(object_id)
    if size > 1:
        claimed = claims.claim(_heart.id, types, size)
    else:
        claimed = claims.claim_one(_heart.id, object_id)
    if claimed is None:
        compat.close_session()
        return
    kind = queue.get_harvester(claimed.source_type).source_type
    try:
        batch.import_batch(kind, claimed.object_ids, _heart.note)
        run_end.end_if_done(claimed.job_id)
    finally:
        compat.close_session()
    waiting = claims.waiting_object(types) if size > 1 else None
    compat.close_session()
    if waiting:
        publisher = queue.get_fetch_publisher()  # puts it behind those of other harvesters
        publisher.send({"harvest_object_id": waiting})
        publisher.close()


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
