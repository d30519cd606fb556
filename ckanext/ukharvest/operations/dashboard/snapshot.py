"""All figures of the sysadmin's dashboard and the metrics, computed at most once in 10 s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.source_status import ATTENTION
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import health, redis_cache, utcnow
from ckanext.ukharvest.operations import doctor, link_figures
from ckanext.ukharvest.operations.dashboard import running, sizes, workers
from ckanext.ukharvest.presentation.messages import attention
from ckanext.ukharvest.presentation.messages import status_labels as status

SECONDS = 10
PAUSE = 60  # seconds between two thorough checks
SNAPSHOT, CHECKS, THOROUGHLY = "dashboard", "checks", "thoroughly"  # names in the Redis cache

# Checks that read a few rows; the others read every dataset.
QUICK = (
    "plugins",
    "types",
    "settings",
    "migrations",
    "redis",
    "solr",
    "workers",
    "hung",
    "cron",
    "vocabularies",
)
# The dashboard reports stuck runs itself, sooner and with the reason.
TOLD_ELSEWHERE = ("jobs",)
THOROUGH = tuple(
    code for code, _fine, _check in doctor.CHECKS if code not in (*QUICK, *TOLD_ELSEWHERE)
)


def load_snapshot(*, thorough: bool = False) -> dict[str, Any]:
    """Return the snapshot, at most ``SECONDS`` old; see ``ukharvest_dashboard_show``.

    Args:
        thorough: also check every dataset, at most once a minute, and keep the result for a day.
    """
    # API clients can ask for it repeatedly and at the same time.
    thorough = thorough and redis_cache.count(THOROUGHLY, PAUSE) <= 1
    if thorough:
        findings = [each._asdict() for each in doctor.examine(THOROUGH)]
        redis_cache.save(CHECKS, {"as_of": iso(utcnow()), "findings": findings}, redis_cache.DAY)
    found = None if thorough else redis_cache.recall(SNAPSHOT)
    if found is None:
        found = _make()
        redis_cache.save(SNAPSHOT, found, SECONDS)
    for run in found["runs"]:
        run["reason"] = _in_words(run["reason"])
    found["attention"] = _attention(found)
    return dict(found)


def _in_words(reason: tuple[str, dict[str, str]] | None) -> str:
    if reason is None:
        return ""
    text, of = reason
    return str(tk._(text)).format(**of)


def _make() -> dict[str, Any]:
    consumers = workers.consumers()
    runs = running.runs(consumers)
    quick = [each._asdict() for each in doctor.examine(QUICK)]
    looked = redis_cache.recall(CHECKS) or {"as_of": None, "findings": []}
    checks = [*quick, *looked["findings"]]
    return {
        "as_of": iso(utcnow()),
        "workers": [*consumers, *workers.background()],
        "queues": {
            "gather": sum(not run["begun"] for run in runs),
            "fetch": sum(run["waiting"] for run in runs),
            workers.BACKGROUND: workers.waiting_in_background(),
        },
        "runs": runs[: running.MOST],
        "runs_count": len(runs),
        "states": dict(Counter(run["state"] for run in runs)),
        "health": _health(),
        "day": running.last_day(),
        "links": link_figures.recall_figures() if config.checks_links() else None,
        "tables": sizes.tables(),
        "checks": checks,
        "checks_as_of": looked["as_of"],
    }


def _attention(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a sysadmin has to do, worst first."""
    of_runs = [
        _thing("error", "stuck", run["reason"], run={"id": run["id"], "source": run["source"]})
        for run in found["runs"]
        if run["state"] == "stuck"
    ]
    of_checks = [
        _thing(check["level"], check["code"], check["message"], check["what_to_do"])
        for check in found["checks"]
        if check["level"] in ("error", "warning")
    ]
    if not any(each["kind"] == workers.BACKGROUND for each in found["workers"]):
        text = tk._("No background worker is running, so sources cannot be tested.")
        advice = tk._("Start 'ckan jobs worker' and have your process manager keep it running.")
        of_checks.append(_thing("warning", workers.BACKGROUND, text, advice))
    things = [*of_runs, *of_checks, *_of_sources(found["health"])]
    return sorted(things, key=lambda each: each["level"] != "error")


def _of_sources(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the sources that need attention, one entry per health."""
    return [
        {**_thing("warning", value, attention.sentence(value, counts[value])), "health": value}
        for value in ATTENTION
        if counts[value]
    ]


def _thing(
    level: str, code: str, text: str, what_to_do: str = "", run: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "level": level,
        "code": code,
        "text": text,
        "what_to_do": what_to_do,
        "run": run,
        "health": None,
    }


def _health() -> dict[str, int]:
    counts = Counter(each.value for each in health.load_health().values())
    return {value: counts[value] for value in status.HEALTHS}
