"""Response times of publishers' servers in the last seven days, counted in Redis.

Each request attempt of gathers, fetches and foreground runs counts once, some hundreds at a time;
those of link checks are counted beside them.
The counts may be lost, and a database row for each request would cost too much.
"""

from __future__ import annotations

import datetime as dt
import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import redis
from ckan.lib.redis import connect_to_redis

from ckanext.ukharvest.core.http.timed_client import Attempt
from ckanext.ukharvest.model.redis_cache import key

log = logging.getLogger(__name__)

# Seconds; an answer counts for the first that it was not slower than, the last takes the rest.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
DAYS = 7
SHOWN = 10
FAILED = "failed"
HARVESTS, LINKS = "hosts", "link-hosts"  # whose answers are counted
_KEPT_SECONDS = (DAYS + 1) * 86_400


def count_attempts(attempts: Iterable[Attempt], *, of: str = HARVESTS) -> None:
    """Count attempts; never raises."""
    tally: Counter[str] = Counter()
    for host, seconds, failed in attempts:
        tally[f"{host} {min(bisect_left(BUCKETS, seconds), len(BUCKETS) - 1)}"] += 1
        tally[f"{host} {FAILED}"] += failed
    name = _key(_today(), of)
    try:
        with connect_to_redis().pipeline(transaction=False) as pipe:
            for field, count in tally.items():
                pipe.hincrby(name, field, count)
            pipe.expire(name, _KEPT_SECONDS)
            pipe.execute()
    except redis.RedisError as exc:
        log.debug("Answers could not be counted: %s", exc)


def slowest(limit: int = SHOWN, *, of: str = HARVESTS) -> list[dict[str, Any]]:
    """Return the hosts whose slow answers are the slowest.

    Returns:
        Dicts with ``host``, ``requests``, ``failures``, ``median`` and ``p95``: seconds within
        which half of the answers came, and 95 of 100; both are upper bounds, of ``BUCKETS``.
    """
    today = _today()
    with connect_to_redis().pipeline(transaction=False) as pipe:
        for number in range(DAYS):
            pipe.hgetall(_key(today - dt.timedelta(days=number), of))
        tallies: dict[str, Counter[str]] = {}
        for day in pipe.execute():
            for field, count in day.items():
                host, _blank, what = field.decode().rpartition(" ")
                tallies.setdefault(host, Counter())[what] += int(count)
    rows = [_row(host, tally) for host, tally in tallies.items()]
    rows.sort(key=lambda row: (-row["p95"], -row["median"], row["host"]))
    return rows[:limit]


def _row(host: str, tally: Mapping[str, int]) -> dict[str, Any]:
    counts = [tally.get(str(number), 0) for number in range(len(BUCKETS))]
    return {
        "host": host,
        "requests": sum(counts),
        "failures": tally.get(FAILED, 0),
        "median": _within(counts, 0.5),
        "p95": _within(counts, 0.95),
    }


def _within(counts: list[int], share: float) -> float:
    """Return the seconds within which this share of the responses came."""
    wanted, seen = share * sum(counts), 0
    for bound, count in zip(BUCKETS, counts, strict=True):
        seen += count
        if seen >= wanted:
            return bound
    return BUCKETS[-1]


def _today() -> dt.date:
    return dt.datetime.now(dt.timezone.utc).date()


def _key(day: dt.date, of: str) -> str:
    return key(f"{of}:{day.isoformat()}")
