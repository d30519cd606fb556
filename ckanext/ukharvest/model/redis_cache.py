"""Values in Redis that may be lost: expensive results, and counters."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import redis
from ckan.lib.redis import connect_to_redis

log = logging.getLogger(__name__)

DAY = 86_400  # seconds


def key(name: str) -> str:
    """Return a key of this portal's own: several may share a Redis."""
    return f"ckan:{tk.config.get('ckan.site_id')}:ukharvest:{name}"


def _ask(task: str, command: Callable[[Any], Any]) -> Any:
    """Return what a command of Redis returns, None without Redis."""
    try:
        return command(connect_to_redis())
    except redis.RedisError as exc:
        log.warning("Redis does not %s: %s", task, exc)
        return None


def recall(name: str) -> Any:
    """Return the saved value, None without one or without Redis."""
    text = _ask(f"tell {name}", lambda server: server.get(key(name)))
    return json.loads(text) if text else None


def save(name: str, value: Any, seconds: int) -> None:
    """Save a value that JSON can express for ``seconds``."""
    text = json.dumps(value)
    _ask(f"keep {name}", lambda server: server.set(key(name), text, ex=seconds))


def forget(name: str) -> None:
    """Delete a value, so that the next request computes it again."""
    _ask(f"forget {name}", lambda server: server.delete(key(name)))


def count(name: str, seconds: int) -> int:
    """Increase a counter that expires ``seconds`` after its first count; 0 without Redis."""

    def increase(server: Any) -> Any:
        with server.pipeline() as pipe:
            return pipe.set(key(name), 0, ex=seconds, nx=True).incr(key(name)).execute()[1]

    return int(_ask(f"count {name}", increase) or 0)
