"""Pages: set who gets emails about a source, and unsubscribe from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ckan.config.middleware.flask_app import csrf
from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import lookups, pages, texts
from ckanext.ukharvest.lib.slots import Slot, Task
from ckanext.ukharvest.lib.texts import labelled, number
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.sources import pages as source_pages

SLOTS = (
    Slot(
        "source_mail",
        "ukharvest/snippets/mail_obstacle.html",
        lambda: mails.describe_unsure(mails.obstacle()),
    ),
    Slot("portal_to_do", "", lambda: list(_tasks())),
)


def _tasks() -> Iterator[Task]:
    """Yield that emails may not arrive."""
    if reason := mails.obstacle():
        since = (mails.last_failure() or {}).get("at") if reason != mails.missing_option() else None
        url = pages.ukharvest_page("ukharvest_portal.diagnostics", "harvest.search")
        yield Task(mails.describe_unsent(reason), since, tk._("Diagnostics"), url)


mail = Blueprint("ukharvest_mail", __name__)


@mail.route("/harvest/<name>/notifications", methods=["GET", "POST"])
def read(name: str) -> Any:
    """Show the form, or save it."""
    source = source_pages.find_source(name)
    if tk.request.method != "POST":
        return _form(source, pages.ask("ukharvest_mail_show", source_id=source["id"]), {})
    pages.check_token()
    form = tk.request.form
    addresses = map(str.strip, re.split("[\n,;]", form.get("addresses", "")))
    sent = {
        "people": form.getlist("people"),
        "addresses": list(filter(None, addresses)),
        "events": form.getlist("events"),
        "weekly": form.get("weekly", ""),
    }
    try:
        data = {**sent, "source_id": source["id"]}
        tk.get_action("ukharvest_mail_update")(action_tools.context(), data)
    except tk.ValidationError as exc:
        shown = pages.ask("ukharvest_mail_show", source_id=source["id"])
        for person in shown["people"]:
            person["chosen"] = person["id"] in sent["people"]
        return _form(source, {**shown, **sent, "people": shown["people"]}, exc.error_dict)
    tk.h.flash_success(tk._("Saved."))
    return tk.redirect_to("ukharvest_mail.read", name=source["name"])


def _form(source: dict[str, Any], shown: dict[str, Any], errors: dict[str, list[str]]) -> str:
    return source_pages.render(
        "ukharvest/notifications.html",
        source,
        shown=shown,
        errors=errors,
        unsure=mails.describe_unsure(mails.obstacle()),
        test=_describe_test(shown["test"]) if shown["test"] else "",
        events=[(key, label()) for key, label in mails.EVENTS.items()],
        weekly=[(key, label()) for key, label in mails.WEEKLY.items()],
    )


@mail.route("/harvest/<name>/notifications/test", methods=["POST"])
def test(name: str) -> Any:
    """Queue the test message."""
    source = source_pages.find_source(name)
    pages.check_token()
    if pages.attempt("ukharvest_mail_update", source_id=source["id"], test=True):
        tk.h.flash_success(mails.describe_waiting_test())
    return tk.redirect_to("ukharvest_mail.read", name=source["name"])


def _describe_test(test: dict[str, Any]) -> str:
    """Return a text about the last test message."""
    if not test["at"]:
        return mails.describe_waiting_test()
    numbers = [(tk._("Sent"), test["sent"]), (tk._("Failed"), test["failed"])]
    # Tests from before an upgrade have no reason.
    reason = mails.describe_obstacle(test.get("reason") or "")
    parts = [*(labelled(label, number(n)) for label, n in numbers if n), reason]
    return labelled(texts.format_time(test["at"]), "; ".join(filter(None, parts)))


@csrf.exempt
@mail.route("/harvest/unsubscribe/<token>", methods=["GET", "POST"])
def leave(token: str) -> Any:
    """Ask for confirmation, then unsubscribe the recipient that the token names.

    The token from the email is enough: no login, and no CSRF token, which mail programs that send
    the POST themselves (RFC 8058) do not have.
    """
    recipient = mails.read_token(token)
    if recipient is None:
        return tk.abort(404, tk._("This link is not complete. Copy the whole link from the email."))
    key, source_id = recipient
    title = lookups.title_of(source_id)
    is_done = tk.request.method == "POST"
    if is_done:
        mails.unsubscribe(key, source_id)
    page = tk.render("ukharvest/unsubscribe.html", {"title": title, "is_done": is_done})
    # The URL contains the secret token, so it must not leak to other sites.
    return Response(page, headers={"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"})
