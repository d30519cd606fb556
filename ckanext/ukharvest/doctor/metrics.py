"""The dashboard's figures in Prometheus' text format."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """One gauge: name, what it means, and values by their labels."""

    name: str
    help: str
    values: Iterable[tuple[Mapping[str, str], float]]


def text(snapshot: Mapping[str, Any]) -> str:
    """Return a snapshot (``dashboard.load_snapshot``) as Prometheus text."""
    lines: list[str] = []
    for metric in _metrics(snapshot):
        name = f"ukharvest_{metric.name}"
        lines += [f"# HELP {name} {metric.help}", f"# TYPE {name} gauge"]
        lines += [f"{name}{_labels(labels)} {value!r}" for labels, value in metric.values]
    return "\n".join(lines) + "\n"


def _metrics(found: Mapping[str, Any]) -> Iterator[Metric]:
    alive = Counter(worker["kind"] for worker in found["workers"] if worker["alive"])
    kinds = ("gather", "fetch", "background")
    yield Metric("workers", "Workers alive.", _by("kind", {kind: alive[kind] for kind in kinds}))
    yield Metric("queue_length", "What waits for a worker.", _by("queue", found["queues"]))
    shown = ("queued", "gathering", "importing", "deleting", "finishing", "stopping", "stuck")
    yield Metric(
        "runs",
        "Runs that have not ended.",
        _by("state", {state: found["states"].get(state, 0) for state in shown}),
    )
    yield Metric("sources", "Sources by health.", _by("health", found["health"]))
    yield Metric("day_runs", "Runs that ended within 24 hours.", [({}, found["day"]["runs"])])
    yield Metric("day_failed", "Those of them that failed.", [({}, found["day"]["failed"])])
    yield Metric(
        "day_changed_datasets", "Datasets that they changed.", [({}, found["day"]["changed"])]
    )
    levels = Counter(finding["level"] for finding in found["checks"])
    of = {level: levels[level] for level in ("error", "warning")}
    yield Metric("findings", "What the checks found.", _by("level", of))
    of = {table["name"]: table["bytes"] for table in found["tables"]}
    yield Metric("table_bytes", "Size of harvesting's tables.", _by("table", of))
    moment = dt.datetime.fromisoformat(found["as_of"]).timestamp()
    yield Metric("snapshot_seconds", "Time of these figures.", [({}, moment)])


def _by(label: str, of: Mapping[str, float]) -> list[tuple[Mapping[str, str], float]]:
    return [({label: key}, value) for key, value in of.items()]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{value}"' for key, value in labels.items()) + "}"
