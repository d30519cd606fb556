"""All that the sysadmin's dashboard and the metrics show, worked out at most once in 10 s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import redis

from ckanext.ukharvest import doctor
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.model import health, hosts, kept, utcnow
from ckanext.ukharvest.portal import running, sizes, workers
from ckanext.ukharvest.words import status

SECONDS = 10
PAUSE = 60  # seconds between two looks at every dataset
SNAPSHOT, CHECKS, THOROUGHLY = "dashboard", "checks", "thoroughly"  # names of what is kept

# Checks that ask for a handful of rows; the others look at every dataset.
QUICK = (
    "plugins",
    "types",
    "settings",
    "migrations",
    "redis",
    "solr",
    "workers",
    "cron",
    "vocabularies",
)
# The dashboard tells of runs that do not move itself, sooner, with the reason.
TOLD_ELSEWHERE = ("jobs",)
THOROUGH = tuple(
    code for code, _fine, _check in doctor.CHECKS if code not in (*QUICK, *TOLD_ELSEWHERE)
)


def take(*, thorough: bool = False) -> dict[str, Any]:
    """Return the snapshot, not older than ``SECONDS``; see ``ukharvest_dashboard``.

    Args:
        thorough: look at every dataset too, and keep what is found for a day; once a minute.
    """
    # By API it can be asked for without end, and at the same time.
    thorough = thorough and kept.count(THOROUGHLY, PAUSE) <= 1
    if thorough:
        findings = [each._asdict() for each in doctor.examine(THOROUGH)]
        kept.keep(CHECKS, {"as_of": iso(utcnow()), "findings": findings}, kept.DAY)
    found = None if thorough else kept.recall(SNAPSHOT)
    if found is None:
        found = _make()
        kept.keep(SNAPSHOT, found, SECONDS)
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
    looked = kept.recall(CHECKS) or {"as_of": None, "findings": []}
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
        "hosts": _or_nothing(hosts.slowest),
        "tables": sizes.tables(),
        "checks": checks,
        "checks_as_of": looked["as_of"],
    }


def _attention(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What a sysadmin has to do, worst first."""
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
        text = tk._("No background worker is alive, so no source can be tested.")
        advice = tk._("Start 'ckan jobs worker' and let your process manager keep it alive.")
        of_checks.append(_thing("warning", workers.BACKGROUND, text, advice))
    return sorted([*of_runs, *of_checks], key=lambda each: each["level"] != "error")


def _thing(
    level: str, code: str, text: str, what_to_do: str = "", run: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {"level": level, "code": code, "text": text, "what_to_do": what_to_do, "run": run}


def _health() -> dict[str, int]:
    counts = Counter(each.value for each in health.of().values())
    return {value: counts[value] for value in status.HEALTHS}


def _or_nothing(ask: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    try:
        return ask()
    except redis.RedisError:
        return []  # the checks say that Redis is away
