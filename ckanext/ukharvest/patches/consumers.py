"""Consumers that survive, have heartbeats, and look for work of ours between messages.

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
from ckanext.ukharvest.harvest.consumers.workers import GATHER, RABBITMQ, Heart
from ckanext.ukharvest.patches import polling

log = logging.getLogger(__name__)

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before a queue that failed is tried again

# Whether the connection that is made is a consumer's own.
_makes_consumer: ContextVar[bool] = ContextVar("ukharvest_makes_consumer", default=False)

Message = tuple[Any, Any, str]  # method, header, body
Messages = Iterator[Message]


def leave_to_the_sweeper() -> None:
    """Send nothing again: the sweeper does, by the database and the heartbeats."""


def with_timeouts(stock: Callable[[], Any]) -> Callable[[], Any]:
    """Return harvest's Redis connection with time-outs that suit who waits for it.

    A message that a consumer sends to the fetch queue is tried for about half a minute. All else
    is tried once: a consumer goes on with work of ours; the work of pages, actions, commands and
    the sweeper is in the database, and the sweeper sends it later.
    """

    def connect() -> Any:
        connection = stock()
        pool = connection.connection_pool
        settings = pool.connection_kwargs
        waits = polling.waits_for_the_queue() and not _makes_consumer.get()
        settings["socket_timeout"] = config.QUEUE_SECONDS
        if not issubclass(pool.connection_class, redis.UnixDomainSocketConnection):
            settings.setdefault("socket_keepalive", True)
            settings["socket_connect_timeout"] = config.QUEUE_SECONDS
        backoff = ExponentialBackoff(cap=5, base=0.5) if waits else NoBackoff()
        settings["retry"] = Retry(backoff, retries=8 if waits else 0)
        settings["retry_on_error"] = [redis.ConnectionError] if waits else []
        pool.disconnect()
        return connection

    return connect


class _Queue:
    """The messages of a queue, one at a time; while it fails, there are none.

    It is tried again after a pause, which gets longer.
    """

    def __init__(self) -> None:
        self._pauses = iter(PAUSES)
        self._next_try = 0.0  # of the monotonic clock

    def next(self, seconds: float) -> Message | None:
        """Return a message, None if none comes within this time; never raises."""
        if time.monotonic() < self._next_try:
            time.sleep(seconds)
            return None
        try:
            message = self._read(seconds)
        except self._faults() as exc:
            pause = next(self._pauses, PAUSES[-1])
            self._next_try = time.monotonic() + pause
            log.warning("The queue fails: %r; trying again in %g s", exc, pause)
            self._forget_connection()
            return None
        self._pauses = iter(PAUSES)
        return message

    def _read(self, seconds: float) -> Message | None:
        raise NotImplementedError

    def _faults(self) -> tuple[type[Exception], ...]:
        """Return what ``_read`` raises while the queue fails."""
        raise NotImplementedError

    def _forget_connection(self) -> None:
        """Make another when the queue is tried again; redis-py does so by itself."""


def _consume(kind: str, messages: _Queue) -> Messages:
    """Yield messages for ever, with a heartbeat that says what is being worked on.

    Args:
        kind: the messages' key, GATHER or FETCH.
    """
    with Heart("gather" if kind == GATHER else "fetch") as heart, polling.use_heart(heart):
        while True:
            has_worked = polling.look(kind)
            message = messages.next(0 if has_worked else config.BLOCK_SECONDS)
            if message is None:
                continue
            # The heartbeat names what is worked on only when that is known: most messages are about
            # work that another consumer may have claimed already.
            yield message
            # Of the work; else it would stay open for as long as no message comes.
            compat.close_session()
            heart.rest()


class _RedisQueue(_Queue):
    """The messages of a consumer of Redis; one that is lost is sent again by the sweeper."""

    def __init__(self, consumer: harvest_queue.RedisConsumer) -> None:
        super().__init__()
        self._consumer = consumer

    def _faults(self) -> tuple[type[Exception], ...]:
        # It is away, takes over from another or has no memory left.
        return (redis.RedisError,)

    def _read(self, seconds: float) -> Message | None:
        connection, key = self._consumer.redis, self._consumer.routing_key
        if seconds:
            popped = connection.blpop(key, timeout=seconds)
            body = popped[1] if popped else None
        else:
            body = connection.lpop(key)
        if body is None:
            return None
        try:
            name = self._consumer.persistance_key(body)
        except (ValueError, KeyError, TypeError):
            log.error("Ignored a message that names no job or object: %.200s", body)
            return None
        connection.set(name, str(datetime.datetime.now()))  # noqa: DTZ005 - as ckanext-harvest
        return harvest_queue.FakeMethod(body), self._consumer, body


def consume_redis(self: harvest_queue.RedisConsumer, queue: str) -> Messages:
    """Yield messages for ever; ckanext-harvest's own ends when it is idle or Redis restarts."""
    return _consume(self.message_key, _RedisQueue(self))


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

    def consume(self, queue: str) -> Messages:
        """Yield messages for ever, one at a time."""
        return _consume(self.message_key, _RabbitQueue(self._connect, self._channel, queue))


class _RabbitQueue(_Queue):
    """The messages of a consumer of RabbitMQ; it connects again when the connection breaks."""

    def __init__(self, connect: Callable[[], Any], channel: Any, queue: str) -> None:
        super().__init__()
        self._connect, self._channel, self._queue = connect, channel, queue
        self._is_ready = False

    def _faults(self) -> tuple[type[Exception], ...]:
        from pika.exceptions import AMQPError

        return AMQPError, OSError, StopIteration

    def _read(self, seconds: float) -> Message | None:
        if not self._is_ready:
            self._channel = self._channel or self._connect()
            self._channel.basic_qos(prefetch_count=1)
            self._is_ready = True
        message: Message = next(self._channel.consume(self._queue, inactivity_timeout=seconds))
        if message[0] is None:
            return None
        self._channel.basic_ack(message[0].delivery_tag)
        return message

    def _forget_connection(self) -> None:
        self._channel, self._is_ready = None, False


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
