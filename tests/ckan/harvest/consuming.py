"""Harvest objects that are consumed together, or twice."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from ckan import model
from ckanext.harvest import queue

from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers import claims


def consume_twice(source_type: str = "data_json") -> None:
    """Import what waits in two threads, each a consumer with batches of seven."""
    faults: list[Exception] = []

    def consume(name: str) -> None:
        try:
            while found := claims.claim_batch(name, [source_type], 7):
                kind = queue.get_harvester(source_type).source_type
                import_stage.import_batch(kind, found.object_ids, lambda _id: None)
                model.Session.remove()
        except Exception as exc:  # noqa: BLE001 - the test reports it
            faults.append(exc)

    model.Session.remove()
    threads = [threading.Thread(target=consume, args=(name,)) for name in ("one", "two")]
    for each in threads:
        each.start()
    for each in threads:
        each.join(120)
    assert not faults


def together(look: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function after which two threads wait for each other."""
    both = threading.Barrier(2)

    def look_and_wait(*args: Any) -> Any:
        found = look(*args)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(2)  # in vain, if the other waits for the lock
        return found

    return look_and_wait
