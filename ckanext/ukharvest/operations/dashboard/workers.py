"""Consumers and jobs workers, and how many background jobs wait."""

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
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import Worker, database_time
from ckanext.ukharvest.model.workers import is_hung, limits

Session = model.Session

# Processes that harvesting needs, and the commands that start them.
NEEDED = ("gather", "fetch")
BACKGROUND = "background"
MOST = 50


def consumers() -> list[dict[str, Any]]:
    """Return the consumers with a heartbeat within the last day; one statement.

    Returns:
        Dicts with ``kind``, ``host``, ``pid``, ``last_seen``, ``alive``, ``busy_with`` (id of a job
            or harvest object, "" if idle), ``source`` (title of its source), ``busy_since`` and
            ``hung`` (alive, but makes no progress with it).
    """
    source_id = sa.func.coalesce(HarvestJob.source_id, HarvestObject.harvest_source_id)
    query = (
        Session.query(Worker, model.Package.title, is_hung(limits()))
        .outerjoin(HarvestJob, HarvestJob.id == Worker.busy_with)
        .outerjoin(HarvestObject, HarvestObject.id == Worker.busy_with)
        .outerjoin(model.Package, model.Package.id == source_id)
        .order_by(Worker.kind.desc(), Worker.heartbeat.desc())
        .limit(MOST)
    )
    now = Session.scalar(sa.select(database_time()))
    oldest = now - dt.timedelta(seconds=config.worker_timeout())
    rows = []
    for worker, title, hangs in query:
        host, pid, _started = (*worker.id.split(":", 2), "", "")[:3]
        rows.append(
            {
                "kind": worker.kind,
                "host": host,
                "pid": pid,
                "last_seen": iso(worker.heartbeat),
                "alive": worker.heartbeat > oldest,
                "hung": bool(hangs) and worker.heartbeat > oldest,
                "busy_with": worker.busy_with,
                "source": title or "",
                "busy_since": iso(worker.busy_since),
            }
        )
    return rows


def background() -> list[dict[str, Any]]:
    """Return this portal's jobs workers (``ckan jobs worker``), as ``consumers``."""
    ours = jobs.get_queue().name
    try:
        found = rq.Worker.all(connection=connect_to_redis())[:MOST]
        return [_background(worker) for worker in found if ours in worker.queue_names()]
    except redis.RedisError:
        return []  # the checks report that Redis is down


def _background(worker: Any) -> dict[str, Any]:
    seen = worker.last_heartbeat
    if seen is not None and seen.tzinfo is not None:
        seen = seen.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return {
        "kind": BACKGROUND,
        "host": worker.hostname or "",
        "pid": str(worker.pid or ""),
        "last_seen": iso(seen),
        "hung": False,
        "alive": True,  # Redis forgets workers without a heartbeat
        "busy_with": "",
        "source": "",
        "busy_since": None,
    }


def waiting_in_background() -> int:
    """Return how many background jobs wait; 0 if Redis cannot be asked."""
    try:
        return len(jobs.get_queue())
    except redis.RedisError:
        return 0
