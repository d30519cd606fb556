"""Pages: who gets mails about a source, and the link in a mail that ends them."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.config.middleware.flask_app import csrf
from flask import Blueprint, Response

from ckanext.ukharvest import config
from ckanext.ukharvest.mails import post
from ckanext.ukharvest.model import mail as settings
from ckanext.ukharvest.pages import common, source_frame
from ckanext.ukharvest.words import times

mail = Blueprint("ukharvest_mail", __name__)

EVENTS = {
    settings.FAILED: lambda: tk._("When a run fails: at the first failure, not at each"),
    settings.RECOVERED: lambda: tk._("When it works again"),
    settings.HELD: lambda: tk._("When datasets wait for a decision to delete them"),
}
WEEKLY = {
    settings.NEVER: lambda: tk._("No weekly summary"),
    settings.NEEDED: lambda: tk._("Each Monday, only if a source needs somebody"),
    settings.ALWAYS: lambda: tk._("Each Monday, also if all is well"),
}


@mail.route("/harvest/<name>/notifications", methods=["GET", "POST"])
def read(name: str) -> Any:
    """Show the form, and keep what it sends."""
    source = source_frame.find(name)
    if tk.request.method != "POST":
        return _form(source, common.ask("ukharvest_mail_show", source_id=source["id"]), {})
    common.check_token()
    sent = _sent()
    try:
        data = {**sent, "source_id": source["id"]}
        answer = tk.get_action("ukharvest_mail_update")(common.context(), data)
    except tk.ValidationError as exc:
        shown = common.ask("ukharvest_mail_show", source_id=source["id"])
        for person in shown["people"]:
            person["chosen"] = person["id"] in sent["people"]
        return _form(source, {**shown, **sent, "people": shown["people"]}, exc.error_dict)
    tk.h.flash_success(_saved(answer["recipients"]))
    return tk.redirect_to("ukharvest_mail.read", name=source["name"])


def _sent() -> dict[str, Any]:
    form = tk.request.form
    return {
        "people": form.getlist("people"),
        "addresses": [line.strip() for line in form.get("addresses", "").split() if line],
        "events": form.getlist("events"),
        "weekly": form.get("weekly", ""),
    }


def _saved(recipients: int) -> str:
    if not recipients:
        return str(tk._("Saved. Nobody gets mails about this source."))
    text = tk.ungettext(
        "Saved. {n} address gets mails.", "Saved. {n} addresses get mails.", recipients
    )
    return str(text.format(n=recipients))


def _form(source: dict[str, Any], shown: dict[str, Any], errors: dict[str, list[str]]) -> str:
    return source_frame.render(
        "ukharvest/notifications.html",
        source,
        shown=shown,
        errors=errors,
        test=_came_of(shown["test"]) if shown["test"] else "",
        events=[(key, label()) for key, label in EVENTS.items()],
        weekly=[(key, label()) for key, label in WEEKLY.items()],
    )


@mail.route("/harvest/<name>/notifications/test", methods=["POST"])
def test(name: str) -> Any:
    """Send the test message."""
    source = source_frame.find(name)
    common.check_token()
    try:
        data = {"source_id": source["id"]}
        answer = tk.get_action("ukharvest_mail_test")(common.context(), data)
    except tk.ValidationError as exc:
        tk.h.flash_error(" ".join(text for texts in exc.error_dict.values() for text in texts))
    else:
        tk.h.flash_success(_asked_for(answer["recipients"]))
    return tk.redirect_to("ukharvest_mail.read", name=source["name"])


def _asked_for(recipients: int) -> str:
    minutes = config.schedule_tick_minutes()
    text = tk.ungettext(
        "A test message goes to {n} address within {minutes} minutes.",
        "A test message goes to {n} addresses within {minutes} minutes.",
        recipients,
    )
    return str(text.format(n=recipients, minutes=minutes))


def _came_of(test: dict[str, Any]) -> str:
    """Say what became of the last test message."""
    if not test["at"]:
        text = tk._("Asked for on {time}; it is sent when “ckan harvester run” is next called.")
        return str(text.format(time=times.in_words(test["asked"])))
    text = tk.ungettext(
        "Sent on {time}: the mail server took it for {n} address.",
        "Sent on {time}: the mail server took it for {n} addresses.",
        test["sent"],
    ).format(time=times.in_words(test["at"]), n=test["sent"])
    if not test["failed"]:
        return str(text)
    more = tk.ungettext(
        "It did not take it for {n}; the portal's log says why.",
        "It did not take it for {n}; the portal's log says why.",
        test["failed"],
    )
    return f"{text} {more.format(n=test['failed'])}"


@csrf.exempt
@mail.route("/harvest/unsubscribe/<token>", methods=["GET", "POST"])
def leave(token: str) -> Any:
    """Ask, and take the recipient that the token names off the list.

    Who has the mail has the token: no login, and no token of a form, which a mail program that
    sends the POST itself (RFC 8058) has not got.
    """
    found = post.read_token(token)
    if found is None:
        return tk.abort(404, tk._("This link is not complete: copy all of it from the mail."))
    key, source_id = found
    package = model.Package.get(source_id) if source_id else None
    title = package.title or package.name if package else ""
    is_done = tk.request.method == "POST"
    if is_done:
        settings.leave(key, source_id)
    page = tk.render("ukharvest/unsubscribe.html", {"title": title, "is_done": is_done})
    # The address is as good as a signature: it goes to nobody else.
    return Response(page, headers={"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"})
