"""Consumers of RabbitMQ that have heartbeats, take one message at a time and survive a restart.

ckanext-harvest takes pika's channel as the consumer: it gets all messages at once, so that a second
consumer has nothing to do, and ends when the connection breaks, as it does while long work leaves
RabbitMQ's own heartbeats unanswered. So a message is acknowledged before the work begins, as with
Redis, which forgets what it hands out; the sweeper finds the work of a consumer that died.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
from ckanext.harvest import queue as harvest_queue

from ckanext.ukharvest.compat import Patch
from ckanext.ukharvest.engine.queue_messages import RABBITMQ
from ckanext.ukharvest.patches import consumer_heartbeats

log = logging.getLogger(__name__)

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before the connection is tried again


class RabbitConsumer:
    """A consumer of one queue, in ckanext-harvest's form.

    Args:
        connect: returns pika's channel.
        routing_key: "…:harvest_job_id" or "…:harvest_object_id".
    """

    def __init__(self, connect: Callable[[], Any], routing_key: str) -> None:
        self.message_key = routing_key.rpartition(":")[2]
        self._connect = connect
        self._channel = connect()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def basic_ack(self, *_args: Any, **_kwargs: Any) -> None:
        """Do nothing: ckanext-harvest acknowledges after the work, here it is done before."""

    def _messages(self, queue: str) -> Iterator[tuple[Any, Any, str]]:
        """Yield messages for ever, one at a time; connect again when the connection breaks."""
        from pika.exceptions import AMQPError

        pauses = iter(PAUSES)
        while True:
            try:
                self._channel.basic_qos(prefetch_count=1)
                for message in self._channel.consume(queue):
                    pauses = iter(PAUSES)
                    self._channel.basic_ack(message[0].delivery_tag)
                    yield message
            except (AMQPError, OSError) as exc:
                self._channel = self._again(exc, pauses)

    consume = consumer_heartbeats.beating(_messages)

    def _again(self, exc: Exception, pauses: Iterator[float]) -> Any:
        """Connect again after a pause, for as long as it takes."""
        from pika.exceptions import AMQPError

        while True:
            pause = next(pauses, PAUSES[-1])
            log.warning("RabbitMQ: %r; connecting again in %g s", exc, pause)
            time.sleep(pause)
            try:
                return self._connect()
            except (AMQPError, OSError) as failure:
                exc = failure


def _patch_consumers() -> None:
    stock: Callable[[str, str], Any] = harvest_queue.get_consumer

    def get_consumer(queue_name: str, routing_key: str) -> Any:
        if tk.config.get("ckan.harvest.mq.type") not in RABBITMQ:
            return stock(queue_name, routing_key)
        return RabbitConsumer(lambda: stock(queue_name, routing_key), routing_key)

    harvest_queue.get_consumer = get_consumer


HOOKS = (
    Patch(
        "rabbitmq-heartbeats (for the sweeper)",
        {"ckanext.harvest.queue:get_consumer": "b43ded10ffd4"},
        _patch_consumers,
    ),
)
