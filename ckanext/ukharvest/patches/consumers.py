"""Consumers that survive, have heartbeats and leave it to the sweeper to send work again.

ckanext-harvest's consumers end when they are idle or Redis restarts (its issue 581). It sends an
import again that a consumer took more than 180 seconds ago, by Redis keys, whether or not it still
runs, and compares with ``.seconds``, which drops whole days; its search for waiting objects
compares list with list and finds objects of unfinished gathers (its issues 420 and 446).

Of RabbitMQ it takes pika's channel as the consumer: it gets all messages at once, so that a second
consumer has nothing to do, and ends when the connection breaks, as it does while long work leaves
RabbitMQ's own heartbeats unanswered. So a message is acknowledged before the work begins, as with
Redis, which forgets what it hands out; the sweeper finds the work of a consumer that died.
"""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import ckan.plugins.toolkit as tk
import redis
from ckanext.harvest import queue as harvest_queue
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.retry import Retry

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.harvest.workers import RABBITMQ, Heart, read_id
from ckanext.ukharvest.patches import fetch_batches

log = logging.getLogger(__name__)

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before RabbitMQ is connected again

# Whether the connection that is made is a consumer's own: made before its heartbeat begins.
_makes_consumer: ContextVar[bool] = ContextVar("ukharvest_makes_consumer", default=False)

Messages = Iterator[tuple[Any, Any, str]]
Consume = Callable[[Any, str], Messages]


def leave_to_the_sweeper() -> None:
    """Send nothing again: the sweeper does, by the database and the heartbeats."""


def with_timeouts(stock: Callable[[], Any]) -> Callable[[], Any]:
    """Return harvest's Redis connection with time-outs that suit who waits for it.

    In a consumer they exceed a blocking read's, and a command that meets a restarting Redis (an
    acknowledgement, a message to the fetch queue) is retried for about half a minute instead of
    ending the consumer. Pages, actions, commands and the sweeper try once: their work is in the
    database, and the sweeper sends it later.
    """

    def connect() -> Any:
        connection = stock()
        pool = connection.connection_pool
        settings = pool.connection_kwargs
        waits = _makes_consumer.get() or fetch_batches.is_consumer()
        settings["socket_timeout"] = config.BLOCK_SECONDS + 30 if waits else config.QUEUE_SECONDS
        if not issubclass(pool.connection_class, redis.UnixDomainSocketConnection):
            settings.setdefault("socket_keepalive", True)
            settings["socket_connect_timeout"] = config.QUEUE_SECONDS
        backoff = ExponentialBackoff(cap=5, base=0.5) if waits else NoBackoff()
        settings["retry"] = Retry(backoff, retries=8 if waits else 0)
        settings["retry_on_error"] = [redis.ConnectionError] if waits else []
        pool.disconnect()
        return connection

    return connect


def consume_redis(self: harvest_queue.RedisConsumer, queue: str) -> Messages:
    """Yield messages for ever: wait with a time-out, survive failures of Redis.

    redis-py 8 stops waiting after 5 s, which ended every idle consumer; with any version a restart
    of Redis did so. A message that is lost costs nothing: the sweeper sends its work again.
    """
    pause = 1.0
    while True:
        try:
            message = self.redis.blpop(self.routing_key, timeout=config.BLOCK_SECONDS)
            if message is None:
                continue
            body = message[1]
            self.redis.set(self.persistance_key(body), str(datetime.datetime.now()))  # noqa: DTZ005
        except (ValueError, KeyError, TypeError):
            log.error("Ignored a message that names no job or object: %.200s", body)
            continue
        except redis.TimeoutError:
            continue
        except redis.RedisError as exc:  # is away, takes over from another or has no memory left
            log.warning("Redis fails (%s); trying again in %.0f s", exc, pause)
            time.sleep(pause)
            pause = min(pause * 2, 30.0)
            continue
        pause = 1.0
        yield (harvest_queue.FakeMethod(body), self, body)


def beating(stock: Consume) -> Consume:
    """Consume as before, with a heartbeat that says what is being worked on."""

    def consume(self: Any, queue: str) -> Messages:
        kind = "gather" if self.message_key == "harvest_job_id" else "fetch"
        with Heart(kind) as heart, fetch_batches.use_heart(heart):
            for method, header, body in stock(self, queue):
                if kind == "gather":  # a fetch consumer says so when it knows what it works on
                    heart.work_on(read_id(body, self.message_key))
                yield method, header, body
                # Of the work; else it would stay open for as long as no message comes.
                compat.close_session()
                heart.rest()

    return consume


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

    def _messages(self, queue: str) -> Messages:
        """Yield messages for ever, one at a time; connect again when the connection breaks."""
        from pika.exceptions import AMQPError

        pauses = iter(PAUSES)
        while True:
            try:
                self._channel = self._channel or self._connect()
                self._channel.basic_qos(prefetch_count=1)
                for message in self._channel.consume(queue):
                    pauses = iter(PAUSES)
                    self._channel.basic_ack(message[0].delivery_tag)
                    yield message
            except (AMQPError, OSError) as exc:
                self._channel = None
                pause = next(pauses, PAUSES[-1])
                log.warning("RabbitMQ: %r; connecting again in %g s", exc, pause)
                time.sleep(pause)

    consume = beating(_messages)


def or_rabbitmq(stock: Callable[[str, str], Any]) -> Callable[[str, str], Any]:
    """Return ``get_consumer`` that gives RabbitMQ's queues a consumer of ours."""

    def get_consumer(queue_name: str, routing_key: str) -> Any:
        if tk.config.get("ckan.harvest.mq.type") in RABBITMQ:
            return RabbitConsumer(lambda: stock(queue_name, routing_key), routing_key)
        token = _makes_consumer.set(True)
        try:
            return stock(queue_name, routing_key)
        finally:
            _makes_consumer.reset(token)

    return get_consumer
