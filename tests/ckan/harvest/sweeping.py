"""Queues and states that the sweeper looks at."""

from __future__ import annotations

import json
from collections.abc import Callable

from ckan import model
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestObject

from tests.ckan.harvesting import Portal

PATH = "/data.json"
Move = Callable[[float], None]


def on_queue(kind: str) -> list[str]:
    """Return the queued ids."""
    consumer = getattr(queue, f"get_{kind}_consumer")()
    messages = consumer.redis.lrange(consumer.routing_key, 0, -1)
    return [json.loads(message)[consumer.message_key] for message in messages]


def state(object_id: str) -> tuple[str, str | None, int]:
    model.Session.remove()
    obj = HarvestObject.get(object_id)
    return obj.state, obj.report_status, obj.retry_times


def gathered(portal: Portal, source: str) -> tuple[str, list[str]]:
    job_id = portal.create_job(source)
    portal.gather(job_id)
    return job_id, portal.waiting(job_id)
