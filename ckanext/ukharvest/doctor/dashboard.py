"""The sysadmin's dashboard: all its figures, computed at most once in 10 s."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config, doctor
from ckanext.ukharvest.core.status_rules import CurrentRun
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.doctor import runs as run_checks
from ckanext.ukharvest.doctor.runs import BACKGROUND
from ckanext.ukharvest.harvest import daily_figures, http_client, lists
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.texts import gettext

Session = model.Session

MOST = 50
DAYS = 30  # of which the figures are shown
DAY = dt.timedelta(days=1)

_ENDED = sa.text(
    """
    SELECT count(*) FILTER (WHERE report.mode <> 'approval') AS runs,
           count(*) FILTER (WHERE report.outcome = 'failed') AS failed,
           COALESCE(sum(CAST(figures ->> 'added' AS integer)
                        + CAST(figures ->> 'updated' AS integer)
                        + CAST(figures ->> 'deleted' AS integer)), 0) AS changed
      FROM harvest_job AS job JOIN ukharvest_job AS report ON report.job_id = job.id
     WHERE job.finished > :since AND report.figures IS NOT NULL
    """
)


def count_unfinished(consumers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return unfinished runs, stuck ones first; one statement.

    Args:
        consumers: as ``runs.consumers`` returns them.

    Returns:
        Dicts with ``id``, ``source`` ({"id", "name", "title"}), ``state`` (as
            ``lib.texts.STATES``), ``done``, ``total``, ``lost`` (failed records), ``waiting``
            (records not imported yet), ``begun`` (reading has started), ``started``,
            ``last_progress`` and ``reason``: why a stuck run makes no progress (a sentence and its
            arguments), else None.
    """
    alive = [consumer for consumer in consumers if consumer["alive"] and not consumer["hung"]]
    rows = [_row(run, alive) for run in runs.load_current_runs()]
    return sorted(rows, key=lambda row: row["state"] != "stuck")


def _row(run: CurrentRun, alive: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": run.id,
        "source": {
            "id": run.source_id,
            "name": run.name or run.source_id,
            "title": run.title or run.name or run.source_id,
        },
        "state": run.state,
        "done": run.done if run.is_read else 0,
        "total": run.total,
        "lost": run.lost,
        "waiting": run.unfinished if run.is_read else 0,
        "begun": run.gather_started is not None,
        "started": iso(run.gather_started or run.created),
        "last_progress": iso(run.moved),
        "reason": _why(run, alive) if run.state == "stuck" else None,
    }


def _why(run: CurrentRun, alive: Sequence[dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """Return why a run makes no progress: a sentence and its arguments.

    It is translated later: the snapshot has no language.
    """
    kind = "fetch" if run.is_read else "gather"
    if run.is_read and not run.unfinished:
        return _(
            "All records are imported, but the run has not been finished. Check that cron "
            "calls ckan harvester run."
        ), {}
    busy_with = [row["busy_with"] for row in alive if row["kind"] in (kind, "command")]
    if not busy_with:
        return _("No {kind} consumer is running."), {"kind": kind}
    if run.id in busy_with:
        host = urlsplit(run.url).hostname or run.url
        return _("Its consumer is running and waits for {host}."), {"host": host}
    if all(busy_with):
        return _("All {kind} consumers are busy with other runs."), {"kind": kind}
    return _("Its message or its consumer is gone. The next ckan harvester run sends it again."), {}


def last_day() -> dict[str, Any]:
    """Return what ended within 24 hours: ``since``, ``runs``, ``failed`` and ``changed`` datasets.

    Approved deletions are not runs, but change datasets. Takes one statement.
    """
    since = utcnow() - DAY
    return {"since": iso(since), **Session.execute(_ENDED, {"since": since}).mappings().one()}


SECONDS, SECONDS_OF_FEATURES = 10, 300
PAUSE = 60  # seconds between two thorough checks
SNAPSHOT, CHECKS, THOROUGHLY = "dashboard", "checks", "thoroughly"  # names in the Redis cache
# Stuck runs, which the dashboard reports itself, sooner and with the reason.
REPORTED = "jobs"

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


def load_snapshot(*, thorough: bool = False) -> dict[str, Any]:
    """Return the snapshot, at most ``SECONDS`` old; see ``ukharvest_dashboard_show``.

    Args:
        thorough: also check every dataset, at most once a minute, and keep the result for a day.
    """
    # API clients can ask for it repeatedly and at the same time.
    thorough = thorough and http_client.count_in_redis(THOROUGHLY, PAUSE) <= 1
    if thorough:
        findings = [finding._asdict() for finding in doctor.examine(check_codes(is_quick=False))]
        http_client.save_in_redis(
            CHECKS, {"as_of": iso(utcnow()), "findings": findings}, http_client.DAY
        )
    snapshot = None if thorough else http_client.load_from_redis(SNAPSHOT)
    if snapshot is None:
        snapshot = _make()
        http_client.save_in_redis(SNAPSHOT, snapshot, SECONDS)
    for run in snapshot["runs"]:
        text, values = run["reason"] or ("", {})
        run["reason"] = text and gettext(text, **values)
    snapshot["attention"] = _attention(snapshot)
    return dict(snapshot)


def _make() -> dict[str, Any]:
    consumers = run_checks.consumers()
    runs = count_unfinished(consumers)
    quick = [finding._asdict() for finding in doctor.examine(check_codes(is_quick=True))]
    looked = http_client.load_from_redis(CHECKS) or {"as_of": None, "findings": []}
    by_health = Counter(str(source.value) for source in source_status.load_statuses().values())
    return {
        "as_of": iso(utcnow()),
        "workers": [*consumers, *run_checks.background_workers()],
        "queues": {
            "gather": sum(not run["begun"] for run in runs),
            "fetch": sum(run["waiting"] for run in runs),
            BACKGROUND: run_checks.waiting_in_background(),
        },
        "runs": runs[:MOST],
        "runs_count": len(runs),
        "states": dict(Counter(run["state"] for run in runs)),
        "health": {value: by_health[value] for value in texts.HEALTHS},
        "day": last_day(),
        "days": daily_figures.last_days(DAYS),
        **{own.name: _recall(own) if config.checks_links() else None for own in lists.DASHBOARD},
        "tables": table_sizes(),
        "checks": [*quick, *looked["findings"]],
        "checks_as_of": looked["as_of"],
    }


def check_codes(*, is_quick: bool) -> list[str]:
    """Return the codes of the quick checks, or of those that read every dataset."""
    wanted = (check.code for check in doctor.checks() if check.is_quick == is_quick)
    return [code for code in wanted if code != REPORTED]


def _recall(own: lists.FeatureFigures) -> dict[str, Any]:
    """Return the figures of a feature, at most five minutes old."""
    figures = http_client.load_from_redis(own.name)
    if figures is None:
        figures = own.load()
        http_client.save_in_redis(own.name, figures, SECONDS_OF_FEATURES)
    return dict(figures)


def _attention(snapshot: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a sysadmin has to do, worst first."""
    tasks: list[dict[str, Any]] = []

    def add(level: str, code: str, text: str, what_to_do: str = "", **about: Any) -> None:
        about = {"run": None, **about}
        tasks.append({"level": level, "code": code, "text": text, "what_to_do": what_to_do} | about)

    for run in snapshot["runs"]:
        if run["state"] == "stuck":
            about = {"id": run["id"], "source": run["source"]}
            add("error", "stuck", run["reason"], run=about)
    for check in snapshot["checks"]:
        if check["level"] in ("error", "warning"):
            add(check["level"], check["code"], check["message"], check["what_to_do"])
    if not any(worker["kind"] == BACKGROUND for worker in snapshot["workers"]):
        text = gettext("No background worker answers.")
        advice = gettext("Start 'ckan jobs worker' and have your process manager keep it running.")
        add("warning", BACKGROUND, text, advice)
    return sorted(tasks, key=lambda task: task["level"] != "error")


def table_sizes() -> list[dict[str, Any]]:
    """Return ``name``, ``bytes`` and estimated ``rows`` of the tables, largest first."""
    return [
        {"name": name, "bytes": int(size), "rows": int(rows)}
        for name, size, rows in Session.execute(_SIZES)
    ]
