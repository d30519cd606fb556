"""The sysadmin's dashboard: all its figures, computed at most once in 10 s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config, doctor
from ckanext.ukharvest.core.source_status import ATTENTION, Health
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.doctor import running
from ckanext.ukharvest.doctor import runs as run_checks
from ckanext.ukharvest.doctor.runs import BACKGROUND
from ckanext.ukharvest.model import health, redis_cache, utcnow
from ckanext.ukharvest.operations import link_figures
from ckanext.ukharvest.presentation.messages import status_labels as status
from ckanext.ukharvest.presentation.messages.numbers import ungettext
from ckanext.ukharvest.texts import gettext

Session = model.Session

SECONDS = 10
PAUSE = 60  # seconds between two thorough checks
SNAPSHOT, CHECKS, THOROUGHLY = "dashboard", "checks", "thoroughly"  # names in the Redis cache
QUICK = tuple(check.code for check in doctor.CHECKS if check.is_quick)
# Without stuck runs, which the dashboard reports itself, sooner and with the reason.
THOROUGH = tuple(
    check.code for check in doctor.CHECKS if not check.is_quick and check.code != "jobs"
)

_SIZES = sa.text(
    """
    SELECT relname, pg_total_relation_size(oid), greatest(reltuples, 0)::bigint
    FROM pg_class
    WHERE relkind = 'r' AND pg_table_is_visible(oid)
    AND (relname LIKE 'harvest\\_%' OR relname LIKE 'ukharvest\\_%')
    AND relname NOT LIKE '%alembic\\_version'
    ORDER BY 2 DESC, 1
    """
)
# Keys are those of ``core.source_status.ATTENTION``.
_SENTENCES: Mapping[str, Callable[[int], str]] = {
    Health.HELD: lambda n: ungettext(
        "{n} source waits for a decision.", "{n} sources wait for a decision.", n
    ),
    Health.FAILING: lambda n: ungettext("{n} source is failing.", "{n} sources are failing.", n),
    Health.LATE: lambda n: ungettext("{n} source is overdue.", "{n} sources are overdue.", n),
    Health.EMPTY: lambda n: ungettext(
        "{n} source lists no records.", "{n} sources list no records.", n
    ),
    Health.SHRUNK: lambda n: ungettext(
        "Many records of {n} source are missing.", "Many records of {n} sources are missing.", n
    ),
    Health.ERRORS: lambda n: ungettext(
        "{n} source has failed records.", "{n} sources have failed records.", n
    ),
}


def load_snapshot(*, thorough: bool = False) -> dict[str, Any]:
    """Return the snapshot, at most ``SECONDS`` old; see ``ukharvest_dashboard_show``.

    Args:
        thorough: also check every dataset, at most once a minute, and keep the result for a day.
    """
    # API clients can ask for it repeatedly and at the same time.
    thorough = thorough and redis_cache.count(THOROUGHLY, PAUSE) <= 1
    if thorough:
        findings = [finding._asdict() for finding in doctor.examine(THOROUGH)]
        redis_cache.save(CHECKS, {"as_of": iso(utcnow()), "findings": findings}, redis_cache.DAY)
    snapshot = None if thorough else redis_cache.recall(SNAPSHOT)
    if snapshot is None:
        snapshot = _make()
        redis_cache.save(SNAPSHOT, snapshot, SECONDS)
    for run in snapshot["runs"]:
        text, values = run["reason"] or ("", {})
        run["reason"] = text and gettext(text, **values)
    snapshot["attention"] = _attention(snapshot)
    return dict(snapshot)


def _make() -> dict[str, Any]:
    consumers = run_checks.consumers()
    runs = running.runs(consumers)
    quick = [finding._asdict() for finding in doctor.examine(QUICK)]
    looked = redis_cache.recall(CHECKS) or {"as_of": None, "findings": []}
    by_health = Counter(source.value for source in health.load_health().values())
    return {
        "as_of": iso(utcnow()),
        "workers": [*consumers, *run_checks.background_workers()],
        "queues": {
            "gather": sum(not run["begun"] for run in runs),
            "fetch": sum(run["waiting"] for run in runs),
            BACKGROUND: run_checks.waiting_in_background(),
        },
        "runs": runs[: running.MOST],
        "runs_count": len(runs),
        "states": dict(Counter(run["state"] for run in runs)),
        "health": {value: by_health[value] for value in status.HEALTHS},
        "day": running.last_day(),
        "links": link_figures.recall_figures() if config.checks_links() else None,
        "tables": table_sizes(),
        "checks": [*quick, *looked["findings"]],
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
    if not any(worker["kind"] == BACKGROUND for worker in found["workers"]):
        text = gettext("No background worker is running, so sources cannot be tested.")
        advice = gettext("Start 'ckan jobs worker' and have your process manager keep it running.")
        of_checks.append(_thing("warning", BACKGROUND, text, advice))
    of_sources = [
        {**_thing("warning", value, _SENTENCES[value](number)), "health": value}
        for value in ATTENTION
        if (number := found["health"][value])
    ]
    things = [*of_runs, *of_checks, *of_sources]
    return sorted(things, key=lambda each: each["level"] != "error")


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


def table_sizes() -> list[dict[str, Any]]:
    """Return ``name``, ``bytes`` and estimated ``rows`` of the tables, largest first."""
    sizes = Session.execute(_SIZES)
    return [{"name": name, "bytes": int(size), "rows": int(rows)} for name, size, rows in sizes]
