"""Differences between CKAN versions, and faults of released packages mended from outside.

Each patch replaces one named function, at plugin load, and only where a trial shows the fault:
when an upstream release mends it, the patch steps aside by itself. ``applied`` lists those in
force, for ``ckan ukharvest doctor``.
"""

from __future__ import annotations

import datetime
import io
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import redis
import sqlalchemy as sa
from ckan import logic, model
from ckan.lib import search
from ckanext.harvest import queue as harvest_queue
from ckanext.harvest import utils
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from ckanext.ukharvest import callbacks, config, liveness
from ckanext.ukharvest.logic import source_rules

log = logging.getLogger(__name__)

applied: list[str] = []

# CKAN 2.12 indexes inside the actions and wants both schemas; before that, a model listener
# indexes at each commit of the session.
INDEXES_IN_ACTIONS = hasattr(logic, "package_show_default_and_custom_schemas")


class IndexFailed(Exception):
    """The search index could not be written; the database was."""


def index_packages(ids: Sequence[str]) -> None:
    """Put datasets that were written without indexing into the search index.

    Args:
        ids: of datasets whose transaction is committed.

    Raises:
        IndexFailed: the index could not be written.
    """
    if not INDEXES_IN_ACTIONS:
        return
    last = len(ids) - 1
    try:
        for number, package_id in enumerate(ids):
            # One commit at the end makes them all visible; a commit a dataset costs far more.
            _index(package_id, defer_commit=number < last)
    except (search.SearchIndexError, search.SearchError) as exc:
        raise IndexFailed(str(exc)) from exc


def _index(package_id: str, *, defer_commit: bool) -> None:
    both = logic.package_show_default_and_custom_schemas({"ignore_auth": True}, package_id)
    logic.index_update_package_dicts(both, defer_commit=defer_commit)


def index_harvest_source(source_id: str, *, defer_commit: bool) -> None:
    """Index a harvest source with all its fields.

    ckanext-harvest 1.6.3 indexes, on CKAN 2.12, a dict that no schema has seen: the source's
    type, frequency and configuration come back empty (ckanext-harvest issue 581).

    Only for a CKAN that ``INDEXES_IN_ACTIONS``.
    """
    _index(source_id, defer_commit=defer_commit)


def dataset_extra(key: str) -> Any:
    """Return the SQL expression of an extra's value, for queries over ``model.Package``.

    CKAN 2.12 keeps extras in a JSONB column of the dataset, 2.11 in a table of their own.
    """
    if "extras" in model.package_table.c:
        return model.package_table.c.extras[key].astext
    extra = model.PackageExtra
    return (
        sa.select(extra.value)
        .where(extra.package_id == model.Package.id, extra.key == key, extra.state == "active")
        .scalar_subquery()
    )


def rollback() -> None:
    """Bring the session back to a usable state, whatever happened to it."""
    try:
        model.Session.rollback()
    except Exception:  # noqa: BLE001 - a connection that is gone is replaced by a new one
        log.warning("Session could not be rolled back; a new one is used", exc_info=True)
        model.Session.remove()


def apply_patches() -> None:
    """Mend what this installation needs mended; safe to call more than once."""
    for name, is_faulty, patch in PATCHES:
        if name not in applied and is_faulty():
            patch()
            applied.append(name)


class _Lost(redis.ConnectionError):
    """What the stand-in below raises."""


class _LostRedis:
    """A stand-in for Redis that is not there the first time and has a message the second."""

    def __init__(self) -> None:
        self.calls = 0

    def blpop(self, _key: str, timeout: float = 0) -> tuple[str, str]:
        self.calls += 1
        if self.calls == 1:
            raise _Lost
        return "", '{"harvest_job_id": "trial"}'

    def set(self, *_args: object) -> None:
        """Accept the note of a message under way."""


def _consumer_ends_with_redis() -> bool:
    try:
        trial = harvest_queue.RedisConsumer(_LostRedis(), "trial:harvest_job_id")
        next(trial.consume(queue="trial"))
    except _Lost:
        return True
    return False


def _consume(self: harvest_queue.RedisConsumer, queue: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield messages for ever: wait with a bound, survive a restart of Redis.

    redis-py 8 gives up on an answer after 5 s, which ended every idle consumer
    (ckanext-harvest issue 581); a restart of Redis did so with any version.
    """
    block = config.queue_block_seconds()
    pause = 1.0
    while True:
        try:
            found = self.redis.blpop(self.routing_key, timeout=block)
            if found is None:
                continue
            body = found[1]
            self.redis.set(self.persistance_key(body), str(datetime.datetime.now()))  # noqa: DTZ005
        except (ValueError, KeyError, TypeError):
            log.error("A message that names no job or object is left out: %.200s", body)
            continue
        except redis.TimeoutError:
            continue
        except redis.ConnectionError as exc:
            log.warning("Redis does not answer (%s); trying again in %.0f s", exc, pause)
            time.sleep(pause)
            pause = min(pause * 2, 30.0)
            continue
        pause = 1.0
        yield (harvest_queue.FakeMethod(body), self, body)


def _patch_consumer() -> None:
    harvest_queue.RedisConsumer.consume = _consume


def _connection_gives_up() -> bool:
    # Making the pool's connection object opens no socket.
    connection = harvest_queue.get_connection_redis()
    timeout = connection.connection_pool.make_connection().socket_timeout
    return timeout is not None and timeout <= config.queue_block_seconds()


_stock_connection: Callable[[], Any] = harvest_queue.get_connection_redis


def _connect() -> Any:
    """Return harvest's Redis connection with time-outs that outlast a blocking read.

    A command that meets a restarting Redis (an acknowledgement, a message to the fetch queue)
    is tried again for about half a minute instead of ending the consumer.
    """
    connection = _stock_connection()
    settings = connection.connection_pool.connection_kwargs
    settings["socket_timeout"] = config.queue_block_seconds() + 30
    settings.setdefault("socket_keepalive", True)
    settings["retry"] = Retry(ExponentialBackoff(cap=5, base=0.5), retries=8)
    settings["retry_on_error"] = [redis.ConnectionError]
    connection.connection_pool.disconnect()
    return connection


def _patch_connection() -> None:
    harvest_queue.get_connection_redis = _connect


def _command_hides_figures() -> bool:
    output = io.StringIO()
    utils._print_harvest_job({"stats": {"added": 7351}}, output)
    return "7351" not in output.getvalue()


_stock_print = utils._print_harvest_job


def _print_job(job: dict[str, Any], output: TextIO) -> None:
    """Print a job as ``ckan harvester jobs`` does, and its figures, which it leaves out."""
    _stock_print(job, output)
    for name, number in job.get("stats", {}).items():
        print(f"\t\t{name}: {number}", file=output)


def _patch_print() -> None:
    utils._print_harvest_job = _print_job


PATCHES: tuple[tuple[str, Callable[[], bool], Callable[[], None]], ...] = (
    ("redis-timeout (ckanext-harvest#581)", _connection_gives_up, _patch_connection),
    ("job-figures (ckan harvester jobs prints none)", _command_hides_figures, _patch_print),
    ("consumer-reconnect (ckanext-harvest#581)", _consumer_ends_with_redis, _patch_consumer),
    *callbacks.PATCHES,
    *source_rules.PATCHES,
    *liveness.PATCHES,  # last: wraps the consumer that is in force
)
