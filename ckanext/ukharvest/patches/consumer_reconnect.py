"""Consumers that wait for ever and survive a restart of Redis (ckanext-harvest issue 581)."""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Iterator
from typing import Any

import redis
from ckanext.harvest import queue as harvest_queue

from ckanext.ukharvest import config
from ckanext.ukharvest.compat import Patch

log = logging.getLogger(__name__)


def _consume(self: harvest_queue.RedisConsumer, queue: str) -> Iterator[tuple[Any, Any, str]]:
    """Yield messages for ever: wait with a time-out, survive a restart of Redis.

    redis-py 8 stops waiting after 5 s, which ended every idle consumer (ckanext-harvest issue 581);
    with any version a restart of Redis did so.
    """
    block = config.BLOCK_SECONDS
    pause = 1.0
    while True:
        try:
            found = self.redis.blpop(self.routing_key, timeout=block)
            if found is None:
                continue
            body = found[1]
            self.redis.set(self.persistance_key(body), str(datetime.datetime.now()))  # noqa: DTZ005
        except (ValueError, KeyError, TypeError):
            log.error("Ignored a message that names no job or object: %.200s", body)
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


FAULTS = (
    Patch(
        "consumer-reconnect (ckanext-harvest#581)",
        {"ckanext.harvest.queue:RedisConsumer.consume": "4c7161ad3a53"},
        _patch_consumer,
    ),
)
