"""Send mails by CKAN's mailer, each with a link that takes its recipient off the list."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from itsdangerous import BadData, URLSafeSerializer

from ckanext.ukharvest.mails.letters import Letter, Line
from ckanext.ukharvest.model.mail import Recipient

log = logging.getLogger(__name__)

_SALT = "ukharvest-mail"


def token(key: str, source_id: str) -> str:
    """Return what allows, without a login, to take a recipient off the list of one source.

    Args:
        key: of the recipient (``Recipient.key``).
        source_id: "" for the weekly summaries of all sources.
    """
    return str(_signer().dumps([key, source_id]))


def read_token(text: str) -> tuple[str, str] | None:
    """Return recipient's key and source id of a token, None if we did not write it."""
    try:
        key, source_id = _signer().loads(text)
    except (BadData, ValueError, TypeError):
        return None
    return str(key), str(source_id)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(tk.config["SECRET_KEY"], salt=_SALT)


def send(letter: Letter, recipient: Recipient, source_id: str = "", title: str = "") -> bool:
    """Send a mail; False if the mailer could not take it, which the log explains.

    Args:
        source_id, title: of the source that it is about; "" for a weekly summary.
    """
    leave = tk.h.url_for(
        "ukharvest_mail.leave",
        token=token(recipient.key, source_id),
        locale="default",
        _external=True,
    )
    site = " ".join(str(tk.config.get("ckan.site_title") or "CKAN").split())
    words = {
        "letter": letter,
        "site": site,
        "lang": language().replace("_", "-"),
        "foot": _foot(title, leave),
    }
    try:
        tk.mail_recipient(
            recipient.name,
            recipient.address,
            f"[{site}] {letter.subject}",
            _rendered("txt", words).strip() + "\n",
            _rendered("html", words),
            headers={
                "List-Unsubscribe": f"<{leave}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                "Auto-Submitted": "auto-generated",
            },
        )
    except Exception:  # noqa: BLE001 - mailers of other extensions raise what they like
        log.exception("A mail about %s could not be sent", title or "all sources")
        return False
    return True


def _rendered(form: str, words: dict[str, Any]) -> str:
    return str(tk.render(f"emails/ukharvest_mail.{form}", words))


def language() -> str:
    """The language of mails: the portal's own, such as "en_GB"."""
    return str(tk.config.get("ckan.locale_default") or "en")


def _foot(title: str, leave: str) -> tuple[Line, ...]:
    if not title:
        why = tk._("You get this because weekly summaries of these sources are sent to you.")
        return Line(why), Line(tk._("No more weekly summaries"), leave)
    why = tk._("You get this because mails about {title} are sent to you.").format(title=title)
    return Line(why), Line(tk._("No more mails about this source"), leave)
