"""Pages: the sysadmin's dashboard and notice, and metrics for Prometheus."""

from __future__ import annotations

import secrets
from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import metrics as prometheus
from ckanext.ukharvest.doctor.dashboard import load_snapshot
from ckanext.ukharvest.logic.asker import context
from ckanext.ukharvest.texts import gettext
from ckanext.ukharvest.web.pages import source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token, prevent_caching

portal = Blueprint("ukharvest_portal", __name__)


@portal.route("/ckan-admin/ukharvest")
def dashboard() -> str:
    _require_login()
    values = {"dashboard": ask("ukharvest_dashboard_show"), "notice": ask("ukharvest_notice_show")}
    return str(tk.render("ukharvest/dashboard.html", values))


@portal.route("/ckan-admin/ukharvest/state")
def state() -> str:
    _require_login()
    values = {"dashboard": ask("ukharvest_dashboard_show")}
    return str(tk.render("ukharvest/snippets/dashboard_state.html", values))


def _require_login() -> None:
    # The page is no secret, as a source may be: who follows a link to it can log in.
    if tk.current_user.is_anonymous:
        source_frame.refuse()


@portal.route("/ckan-admin/ukharvest/checks", methods=["POST"])
def checks() -> Any:
    """Check every dataset; only by POST, so that opening a URL never starts it."""
    check_token()
    ask("ukharvest_dashboard_show", thorough=True)
    # Browsers open the <details> that contains the anchor.
    return tk.redirect_to("ukharvest_portal.dashboard", _anchor="ukharvest-checks")


@portal.route("/ckan-admin/ukharvest/notice", methods=["POST"])
def notice() -> Any:
    check_token()
    data = {"text": tk.request.form.get("text", "")}
    try:
        saved = tk.get_action("ukharvest_notice_update")(context(), data)
    except tk.NotAuthorized:
        return tk.abort(403, gettext("Only sysadmins can do this"))
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
    response = Response(prometheus.text(load_snapshot()), content_type=prometheus.CONTENT_TYPE)
    return prevent_caching(response)  # type: ignore[no-any-return]
