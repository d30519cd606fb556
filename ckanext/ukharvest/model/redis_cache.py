"""Values in Redis that may be lost: expensive results, and counters."""

from __future__ import annotations

import json
import logging
from typing import Any

import ckan.plugins.toolkit as tk
import redis
from ckan.lib.redis import connect_to_redis

log = logging.getLogger(__name__)

DAY = 86_400  # seconds


def key(name: str) -> str:
    """Return a key of this portal's own: several may share a Redis."""
    return f"ckan:{tk.config.get('ckan.site_id')}:ukharvest:{name}"


def recall(name: str) -> Any:
    """Return the saved value, None without one or without Redis."""
    try:
        text = connect_to_redis().get(key(name))
    except redis.RedisError as exc:
        log.warning("Redis does not tell %s: %s", name, exc)
        return None
    return json.loads(text) if text else None


def save(name: str, value: Any, seconds: int) -> None:
    """Save a value that JSON can express for ``seconds``."""
    try:
        connect_to_redis().set(key(name), json.dumps(value), ex=seconds)
    except redis.RedisError as exc:
        log.warning("Redis does not keep %s: %s", name, exc)


def forget(name: str) -> None:
    """Delete a value, so that the next request computes it again."""
    try:
        connect_to_redis().delete(key(name))
    except redis.RedisError as exc:
        log.warning("Redis does not forget %s: %s", name, exc)


def count(name: str, seconds: int) -> int:
    """Increase a counter that expires ``seconds`` after its first count; 0 without Redis."""
    try:
        with connect_to_redis().pipeline() as pipe:
            pipe.set(key(name), 0, ex=seconds, nx=True)
            pipe.incr(key(name))
            return int(pipe.execute()[1])
    except redis.RedisError as exc:
        log.warning("Redis does not count %s: %s", name, exc)
        return 0
