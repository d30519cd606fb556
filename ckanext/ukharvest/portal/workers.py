"""Who works, and what waits for them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import redis
import rq
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.lib.redis import connect_to_redis
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.model import Worker, utcnow

Session = model.Session

# What harvesting cannot do without, and what a person types to have it.
NEEDED = ("gather", "fetch")
BACKGROUND = "background"
MOST = 50


def consumers() -> list[dict[str, Any]]:
    """Return the consumers that gave a sign of life within the last day; one statement.

    Returns:
        Dicts with ``kind``, ``host``, ``pid``, ``last_seen``, ``alive``, ``busy_with`` (id of a
        job or harvest object, "" while it waits), ``source`` (title of what that belongs to) and
        ``busy_since``.
    """
    source_id = sa.func.coalesce(HarvestJob.source_id, HarvestObject.harvest_source_id)
    query = (
        Session.query(Worker, model.Package.title)
        .outerjoin(HarvestJob, HarvestJob.id == Worker.busy_with)
        .outerjoin(HarvestObject, HarvestObject.id == Worker.busy_with)
        .outerjoin(model.Package, model.Package.id == source_id)
        .order_by(Worker.kind.desc(), Worker.heartbeat.desc())
        .limit(MOST)
    )
    oldest = utcnow() - dt.timedelta(seconds=config.worker_timeout())
    rows = []
    for worker, title in query:
        host, pid, _started = (*worker.id.split(":", 2), "", "")[:3]
        rows.append(
            {
                "kind": worker.kind,
                "host": host,
                "pid": pid,
                "last_seen": iso(worker.heartbeat),
                "alive": worker.heartbeat > oldest,
                "busy_with": worker.busy_with,
                "source": title or "",
                "busy_since": iso(worker.busy_since),
            }
        )
    return rows


def background() -> list[dict[str, Any]]:
    """Return the background workers (``ckan jobs worker``) of this portal, as ``consumers``."""
    ours = jobs.get_queue().name
    try:
        found = rq.Worker.all(connection=connect_to_redis())[:MOST]
        return [_background(worker) for worker in found if ours in worker.queue_names()]
    except redis.RedisError:
        return []  # the checks say that Redis is away


def _background(worker: Any) -> dict[str, Any]:
    seen = worker.last_heartbeat
    if seen is not None and seen.tzinfo is not None:
        seen = seen.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return {
        "kind": BACKGROUND,
        "host": worker.hostname or "",
        "pid": str(worker.pid or ""),
        "last_seen": iso(seen),
        "alive": True,  # Redis forgets those that gave no sign of life
        "busy_with": "",
        "source": "",
        "busy_since": None,
    }


def waiting_in_background() -> int:
    """Return how many background jobs wait; 0 also where Redis does not tell."""
    try:
        return len(jobs.get_queue())
    except redis.RedisError:
        return 0
