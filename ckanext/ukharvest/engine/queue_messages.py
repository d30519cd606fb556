"""Read messages of ckanext-harvest's queues."""

from __future__ import annotations

import json

# RabbitMQ, as ckanext-harvest spells it in ckan.harvest.mq.type.
RABBITMQ = ("amqp", "ampq")


def read_id(body: str, key: str) -> str:
    """Return the id of a message's job or harvest object, "" if the message has none.

    Args:
        body: the message, JSON.
        key: "harvest_job_id" or "harvest_object_id".
    """
    try:
        id_ = json.loads(body)[key]
    except (ValueError, KeyError, TypeError):
        return ""
    return str(id_)
