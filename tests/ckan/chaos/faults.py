"""Faults of processes and services, drawn from a seed."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.ckan.chaos.services import Services
from tests.ckan.chaos.supervisor import Supervisor

KILL, TERM, STOP, CONT = signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGCONT
DURING_GATHER = 0.15  # share of the faults that strike before anything is imported

Strike = Callable[["Fault", Services, Supervisor], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault and its moment.

    Attributes:
        name: what it is called in the output.
        at: share of the records that are imported when it strikes; below 0: during the gather.
        delay: seconds after that.
        seconds: how long the service or process is away.
        victim: a consumer's name, for faults of consumers.
    """

    name: str
    at: float
    delay: float
    seconds: float
    victim: str
    work: Strike

    def strike(self, services: Services, supervisor: Supervisor) -> None:
        self.work(self, services, supervisor)

    def __str__(self) -> str:
        words = f"{self.at:5.0%} +{self.delay:.1f} s  {self.name}"
        return f"{words}, {self.seconds:.0f} s" + (f", {self.victim}" if self.victim else "")


def draw(rng: random.Random, number: int, consumers: list[str]) -> list[Fault]:
    """Draw faults in the order of their moments; each kind comes before any comes again."""
    names: list[str] = []
    while len(names) < number:
        more = [name for name, (weight, _) in FAULTS.items() for _ in range(weight)]
        rng.shuffle(more)
        names += more
    drawn = [_draw(rng, name, consumers, FAULTS[name][1]) for name in names[:number]]
    return sorted(drawn, key=lambda each: each.at)


def _draw(rng: random.Random, name: str, consumers: list[str], work: Strike) -> Fault:
    return Fault(
        name=name,
        at=rng.uniform(-DURING_GATHER, 0.95),
        delay=rng.uniform(0, 2),
        # A frozen consumer wakes up before, or after, its work was given to another.
        seconds=rng.choice((3, 14)) if name == "freeze a consumer" else rng.uniform(0, 5),
        victim=rng.choice(consumers) if name.endswith("a consumer") else "",
        work=work,
    )


def _kill(fault: Fault, _services: Services, supervisor: Supervisor) -> None:
    supervisor.signal(fault.victim, KILL)


def _terminate(fault: Fault, _services: Services, supervisor: Supervisor) -> None:
    supervisor.signal(fault.victim, TERM)


def _freeze(fault: Fault, _services: Services, supervisor: Supervisor) -> None:
    process = supervisor.process(fault.victim)
    process.send_signal(STOP)
    time.sleep(fault.seconds)
    process.send_signal(CONT)


def _kill_tick(_fault: Fault, _services: Services, supervisor: Supervisor) -> None:
    supervisor.signal("tick", KILL)


def _close_busy(_fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.close_connections("state != 'idle'")


def _close_all(_fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.close_connections("true")


def _crash_backend(_fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.close_connections("state != 'idle'", crash=True)


def _stop_postgres(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.postgres, signal.SIGQUIT, fault.seconds)  # its "immediate" shutdown


def _kill_postgres(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.postgres, KILL, fault.seconds)


def _restart_redis(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.redis, TERM, fault.seconds)


def _kill_redis(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.redis, KILL, fault.seconds)


def _empty_redis(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.redis, KILL, fault.seconds, services.forget_queue)


def _kill_solr(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.kill(services.solr, KILL, fault.seconds)


def _freeze_solr(fault: Fault, services: Services, _supervisor: Supervisor) -> None:
    services.freeze(services.solr, fault.seconds)


# Name → how often it is drawn, and what it does.
FAULTS: Mapping[str, tuple[int, Strike]] = {
    "kill -9 a consumer": (4, _kill),
    "restart a consumer": (2, _terminate),
    "freeze a consumer": (2, _freeze),
    "kill -9 cron's tick": (1, _kill_tick),
    "close connections at work": (2, _close_busy),
    "close all connections": (1, _close_all),
    "kill -9 a PostgreSQL backend": (1, _crash_backend),
    "stop PostgreSQL at once": (1, _stop_postgres),
    "kill -9 PostgreSQL": (1, _kill_postgres),
    "restart Redis with its data": (1, _restart_redis),
    "kill -9 Redis, older data": (1, _kill_redis),
    "kill -9 Redis, no data": (1, _empty_redis),
    "kill -9 Solr": (2, _kill_solr),
    "freeze Solr": (1, _freeze_solr),
}
