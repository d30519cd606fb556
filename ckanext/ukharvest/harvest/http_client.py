"""HTTP clients with this portal's limits and turns at hosts; values in Redis that may be lost."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import redis
from ckan.lib.redis import connect_to_redis
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import __version__, config
from ckanext.ukharvest.core.http.client import HttpClient, MeteredClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits, Turns

log = logging.getLogger(__name__)

DAY = 86_400  # seconds


def redis_key(name: str) -> str:
    """Return a key of this portal's own: several may share a Redis."""
    return f"ckan:{tk.config.get('ckan.site_id')}:ukharvest:{name}"


def _ask(task: str, command: Callable[[Any], Any]) -> Any:
    """Return what a command of Redis returns, None without Redis."""
    try:
        return command(connect_to_redis())
    except redis.RedisError as exc:
        log.warning("Redis does not %s: %s", task, exc)
        return None


def load_from_redis(name: str) -> Any:
    """Return the saved value, None without one or without Redis."""
    text = _ask(f"tell {name}", lambda server: server.get(redis_key(name)))
    return json.loads(text) if text else None


def save_in_redis(name: str, value: Any, seconds: int) -> None:
    """Save a value that JSON can express for ``seconds``."""
    text = json.dumps(value)
    _ask(f"keep {name}", lambda server: server.set(redis_key(name), text, ex=seconds))


def delete_from_redis(name: str) -> None:
    """Delete a value, so that the next request computes it again."""
    _ask(f"forget {name}", lambda server: server.delete(redis_key(name)))


def count_in_redis(name: str, seconds: int) -> int:
    """Increase a counter that expires ``seconds`` after its first count; 0 without Redis."""

    def increase(server: Any) -> Any:
        with server.pipeline() as pipe:
            return (
                pipe.set(redis_key(name), 0, ex=seconds, nx=True).incr(redis_key(name)).execute()[1]
            )

    return int(_ask(f"count {name}", increase) or 0)


ASK_AGAIN = 0.05  # seconds, while all turns are taken
# Seconds after which a turn ends at the latest: that of a killed process must not keep the others
# waiting. A request that takes longer counts no more, which does its server little harm.
LONGEST = 30.0

# KEYS: tokens of the requests under way, each with the time when it ends at the latest; whether a
# request began less than the delay ago. ARGV: token, most requests, longest turn and delay in ms.
# Redis runs a script as a whole, with one clock for all machines.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local delay = tonumber(ARGV[4])
if delay > 0 then
    local wait = redis.call('PTTL', KEYS[2])
    if wait > 0 then return wait end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local most = tonumber(ARGV[2])
if most > 0 then
    if redis.call('ZCARD', KEYS[1]) >= most then return -1 end
    redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
if delay > 0 then redis.call('SET', KEYS[2], 1, 'PX', ARGV[4]) end
return 0
"""


class SharedTurns(Turns):
    """Turns that hold across processes: the delay, and ``HttpLimits.at_once`` requests to a host.

    The turn of a process that was killed ends after ``LONGEST`` seconds.
    """

    def take(self, host: str, token: str, limits: HttpLimits) -> float:
        if not (limits.delay or limits.at_once):
            return 0.0
        longest, delay = int(LONGEST * 1000), int(limits.delay * 1000)
        try:
            wait = connect_to_redis().eval(
                _TAKE, 2, *_keys(host), token, limits.at_once, longest, delay
            )
        except redis.RedisError as exc:
            log.warning("Redis does not tell whose turn it is at %s: %s", host, exc)
            return super().take(host, token, limits)
        return ASK_AGAIN if wait < 0 else float(wait) / 1000

    def leave(self, host: str, token: str, limits: HttpLimits) -> None:
        if not limits.at_once:
            return
        try:
            connect_to_redis().zrem(_keys(host)[0], token)
        except redis.RedisError as exc:
            log.warning("Redis does not end the turn at %s: %s", host, exc)


def _keys(host: str) -> tuple[str, str]:
    return redis_key(f"requests:{host}"), redis_key(f"delay:{host}")


def open_client(
    credential: str = "", *, limits: HttpLimits | None = None, guard: Guard | None = None
) -> HttpClient:
    """Return a client; the caller closes it.

    Args:
        credential: name of a secret in the ini, "" for none.
        limits: used instead of the portal's, but never with a shorter delay.
        guard: used instead of the portal's.

    Raises:
        ConfigError: the ini has no secret of that name.
    """
    chosen = config.http_limits() if limits is None else _merged(limits)
    return HttpClient(guard or config.guard(), chosen, **_settings(credential))


def open_metered_client(
    limits: HttpLimits, sleep: Callable[[float], None] = time.sleep
) -> MeteredClient:
    """Return a client for link checks, for one thread; the caller closes it.

    Args:
        limits: used instead of the portal's, but never with a shorter delay.
        sleep: waits for the client's turn at a host.
    """
    return MeteredClient(config.guard(), _merged(limits), **_settings(), sleep=sleep)


def _merged(limits: HttpLimits) -> HttpLimits:
    own = config.http_limits()
    return replace(limits, delay=max(own.delay, limits.delay), at_once=own.at_once)


def _settings(credential: str = "") -> dict[str, Any]:
    return {
        "user_agent": f"ckanext-ukharvest/{__version__} (+{config.http_contact()})",
        "credentials": (config.read_credential(credential),) if credential else (),
        "proxy": config.proxy(),
        "turns": SharedTurns(),
    }
