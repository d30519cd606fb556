"""Pages: the sysadmin's dashboard and notice, and metrics for Prometheus."""

from __future__ import annotations

import datetime as dt
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor.dashboard import load_snapshot
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.pages import ask, check_token, prevent_caching
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.helpers import Bar, draw_chart

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_KINDS = ("gather", "fetch", "background")
_STATES = ("queued", "gathering", "importing", "deleting", "finishing", "stopping", "stuck")


def metrics_text(snapshot: Mapping[str, Any]) -> str:
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


def ukharvest_days(days: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return figures by day (``daily_figures.last_days``) as two charts and a table.

    Returns:
        ``runs`` and ``datasets``, as ``draw_chart`` returns them, and ``rows`` for macro "table":
        day, runs, failed runs, datasets. None if there is nothing to show.
    """
    if not any(day["runs"] or day["datasets"] for day in days):
        return None
    names = {"runs": tk._("Runs"), "failed": tk._("Failed"), "datasets": tk._("Datasets")}
    runs_url = tk.h.url_for("/ckan-admin/ukharvest/runs")
    sources_url = tk.h.url_for("harvest.search")
    runs: list[Bar] = []
    datasets: list[Bar] = []
    rows: list[list[Any]] = []
    for figures in days:
        # At noon, so that it is the same day in the portal's time zone.
        day = texts.format_time(f"{figures['day']}T12:00", day_only=True)
        rows.append([day, *("–" if figures[name] is None else figures[name] for name in names)])
        said = [
            texts.labelled(label, texts.number(figures[name]))
            for name, label in names.items()
            if figures[name] is not None
        ]
        label, fine = texts.labelled(day, ", ".join(said)), figures["runs"] - figures["failed"]
        runs.append(Bar(runs_url, label, {"changed": fine, "lost": figures["failed"]}))
        datasets.append(Bar(sources_url, label, {"unchanged": figures["datasets"] or 0}))
    ends = [rows[0][0], rows[-1][0]]
    charts = {"runs": draw_chart(runs, ends), "datasets": draw_chart(datasets, ends)}
    return {**charts, "rows": rows}


portal = Blueprint("ukharvest_portal", __name__)


@portal.route("/ckan-admin/ukharvest")
def dashboard() -> str:
    _require_login()
    values = {"dashboard": ask("ukharvest_dashboard_show"), "notice": ask("ukharvest_notice_show")}
    return str(tk.render("ukharvest/dashboard.html", values))


@portal.route("/ckan-admin/ukharvest/diagnostics")
def diagnostics() -> str:
    _require_login()
    values = {"dashboard": ask("ukharvest_dashboard_show")}
    return str(tk.render("ukharvest/diagnostics.html", values))


@portal.route("/ckan-admin/ukharvest/state")
def state() -> str:
    _require_login()
    values = {"dashboard": ask("ukharvest_dashboard_show")}
    return str(tk.render("ukharvest/snippets/dashboard_state.html", values))


def _require_login() -> None:
    # The page is no secret, as a source may be: who follows a link to it can log in.
    if tk.current_user.is_anonymous:
        source_pages.refuse()


@portal.route("/ckan-admin/ukharvest/checks", methods=["POST"])
def checks() -> Any:
    """Check every dataset; only by POST, so that opening a URL never starts it."""
    check_token()
    ask("ukharvest_dashboard_show", thorough=True)
    return tk.redirect_to("ukharvest_portal.diagnostics", _anchor="ukharvest-checks")


@portal.route("/ckan-admin/ukharvest/notice", methods=["POST"])
def notice() -> Any:
    check_token()
    data = {"text": tk.request.form.get("text", "")}
    try:
        saved = tk.get_action("ukharvest_notice_update")(context(), data)
    except tk.NotAuthorized as exc:
        return tk.abort(403, str(exc))
    except tk.ValidationError as exc:
        tk.h.flash_error("; ".join(exc.error_summary.values()))
    else:
        tk.h.flash_success(
            gettext("The notice is shown to publishers now.")
            if saved["text"]
            else gettext("The notice was removed.")
        )
    return tk.redirect_to("ukharvest_portal.dashboard")


@portal.route("/ukharvest/metrics")
def metrics() -> Response:
    """Return metrics for Prometheus; 404 unless a token is configured and the request has it."""
    token = config.metrics_token()
    kind, _blank, sent = tk.request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer":
        sent = tk.request.args.get("token", "")
    if not token or not secrets.compare_digest(sent.encode(), token.encode()):
        return tk.abort(404)  # type: ignore[no-any-return]
    response = Response(metrics_text(load_snapshot()), content_type=CONTENT_TYPE)
    return prevent_caching(response)  # type: ignore[no-any-return]
