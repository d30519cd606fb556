"""The dashboard's figures in Prometheus' text format."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from typing import Any

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


_KINDS = ("gather", "fetch", "background")
_STATES = ("queued", "gathering", "importing", "deleting", "finishing", "stopping", "stuck")


def text(snapshot: Mapping[str, Any]) -> str:
    """Return a snapshot (``dashboard.load_snapshot``) as Prometheus text."""
    day = snapshot["day"]
    alive = Counter(worker["kind"] for worker in snapshot["workers"] if worker["alive"])
    states = {state: snapshot["states"].get(state, 0) for state in _STATES}
    levels = Counter(finding["level"] for finding in snapshot["checks"])
    findings = {level: levels[level] for level in ("error", "warning")}
    tables = {table["name"]: table["bytes"] for table in snapshot["tables"]}
    moment = dt.datetime.fromisoformat(snapshot["as_of"]).timestamp()
    return "".join(
        (
            _gauge("workers", "Workers alive.", "kind", {kind: alive[kind] for kind in _KINDS}),
            _gauge("queue_length", "What waits for a worker.", "queue", snapshot["queues"]),
            _gauge("runs", "Runs that have not ended.", "state", states),
            _gauge("sources", "Sources by health.", "health", snapshot["health"]),
            _gauge("day_runs", "Runs that ended within 24 hours.", "", {"": day["runs"]}),
            _gauge("day_failed", "Those of them that failed.", "", {"": day["failed"]}),
            _gauge("day_changed_datasets", "Datasets that they changed.", "", {"": day["changed"]}),
            _gauge("findings", "What the checks found.", "level", findings),
            _gauge("table_bytes", "Size of harvesting's tables.", "table", tables),
            _gauge("snapshot_seconds", "Time of these figures.", "", {"": moment}),
        )
    )


def _gauge(name: str, meaning: str, label: str, values: Mapping[str, float]) -> str:
    """Return the lines of a gauge with a value for each value of a label, or without a label."""
    head = f"# HELP ukharvest_{name} {meaning}\n# TYPE ukharvest_{name} gauge\n"
    labelled = {f'{{{label}="{key}"}}' if label else "": value for key, value in values.items()}
    return head + "".join(f"ukharvest_{name}{of} {value!r}\n" for of, value in labelled.items())
