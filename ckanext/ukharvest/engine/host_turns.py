"""Turns at hosts that all processes of a portal share, by Redis.

Several gather and fetch consumers, each with connections of its own, may read from one publisher at
the same time. Without Redis each process keeps the delay for itself.
"""

from __future__ import annotations

import logging

import redis
from ckan.lib.redis import connect_to_redis

from ckanext.ukharvest.core.http.request import HttpLimits, Turns
from ckanext.ukharvest.model import redis_cache

log = logging.getLogger(__name__)

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
    return redis_cache.key(f"requests:{host}"), redis_cache.key(f"delay:{host}")
