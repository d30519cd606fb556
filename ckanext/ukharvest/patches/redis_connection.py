"""Redis connections whose time-outs exceed a blocking read's (ckanext-harvest issue 581)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis
from ckanext.harvest import queue
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from ckanext.ukharvest import config
from ckanext.ukharvest.compat import Patch

_stock_connection: Callable[[], Any] = queue.get_connection_redis


def _connect() -> Any:
    """Return harvest's Redis connection with time-outs that exceed a blocking read's.

    A command that meets a restarting Redis (an acknowledgement, a message to the fetch queue) is
    retried for about half a minute instead of ending the consumer.
    """
    connection = _stock_connection()
    pool = connection.connection_pool
    settings = pool.connection_kwargs
    settings["socket_timeout"] = config.BLOCK_SECONDS + 30
    if not issubclass(pool.connection_class, redis.UnixDomainSocketConnection):
        settings.setdefault("socket_keepalive", True)
    settings["retry"] = Retry(ExponentialBackoff(cap=5, base=0.5), retries=8)
    settings["retry_on_error"] = [redis.ConnectionError]
    pool.disconnect()
    return connection


def _patch_connection() -> None:
    queue.get_connection_redis = _connect


FAULTS = (
    Patch(
        "redis-timeout (ckanext-harvest#581)",
        {"ckanext.harvest.queue:get_connection_redis": "e56e78d37b8c"},
        _patch_connection,
    ),
)
