"""Pages of the portal's sysadmin: the dashboard, the notice, figures for Prometheus."""

from __future__ import annotations

import secrets
from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.pages.common import ask, asked_anew, check_token, context
from ckanext.ukharvest.portal import metrics as prometheus
from ckanext.ukharvest.portal import snapshot

portal = Blueprint("ukharvest_portal", __name__)


@portal.route("/ckan-admin/ukharvest")
def dashboard() -> str:
    values = {"dashboard": ask("ukharvest_dashboard"), "notice": ask("ukharvest_notice_show")}
    return str(tk.render("ukharvest/dashboard.html", values))


@portal.route("/ckan-admin/ukharvest/state")
def state() -> str:
    found = ask("ukharvest_dashboard")
    return str(tk.render("ukharvest/snippets/dashboard_state.html", {"dashboard": found}))


@portal.route("/ckan-admin/ukharvest/checks", methods=["POST"])
def checks() -> Any:
    """Look at every dataset, which no address does by being opened."""
    check_token()
    ask("ukharvest_dashboard", thorough=True)
    # A browser opens what the fragment is in.
    return tk.redirect_to("ukharvest_portal.dashboard", _anchor="ukharvest-checks")


@portal.route("/ckan-admin/ukharvest/notice", methods=["POST"])
def notice() -> Any:
    check_token()
    text = tk.request.form.get("text", "")
    try:
        told = tk.get_action("ukharvest_notice_update")(context(), {"text": text})
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Only sysadmins may do this"))
    except tk.ValidationError as exc:
        tk.h.flash_error("; ".join(exc.error_summary.values()))
    else:
        tk.h.flash_success(
            tk._("Publishers see the notice now.") if told["text"] else tk._("The notice is gone.")
        )
    return tk.redirect_to("ukharvest_portal.dashboard")


@portal.route("/ukharvest/metrics")
def metrics() -> Response:
    """Not there unless the ini has a token, and who asks sends it."""
    token = config.metrics_token()
    kind, _blank, sent = tk.request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer":
        sent = tk.request.args.get("token", "")
    if not token or not secrets.compare_digest(sent.encode(), token.encode()):
        return tk.abort(404)  # type: ignore[no-any-return]
    text = prometheus.text(snapshot.take())
    return asked_anew(Response(text, content_type=prometheus.CONTENT_TYPE))  # type: ignore[no-any-return]
