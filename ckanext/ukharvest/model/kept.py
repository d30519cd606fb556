"""What may be forgotten, kept in Redis: answers that are dear to work out, and tallies."""

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
    """Return what was kept, None if nothing is, or Redis is away."""
    try:
        text = connect_to_redis().get(key(name))
    except redis.RedisError as exc:
        log.warning("Redis does not tell %s: %s", name, exc)
        return None
    return json.loads(text) if text else None


def keep(name: str, value: Any, seconds: int) -> None:
    """Keep what JSON can write for so long."""
    try:
        connect_to_redis().set(key(name), json.dumps(value), ex=seconds)
    except redis.RedisError as exc:
        log.warning("Redis does not keep %s: %s", name, exc)


def forget(name: str) -> None:
    """Let the next who asks work it out anew."""
    try:
        connect_to_redis().delete(key(name))
    except redis.RedisError as exc:
        log.warning("Redis does not forget %s: %s", name, exc)


def count(name: str, seconds: int) -> int:
    """Count one more of what is counted for so long, from the first on; 0 where Redis is away."""
    try:
        with connect_to_redis().pipeline() as pipe:
            pipe.set(key(name), 0, ex=seconds, nx=True)
            pipe.incr(key(name))
            return int(pipe.execute()[1])
    except redis.RedisError as exc:
        log.warning("Redis does not count %s: %s", name, exc)
        return 0
