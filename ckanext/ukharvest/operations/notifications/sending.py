"""Send mails by CKAN's mailer, each with its recipient's unsubscribe link."""

from __future__ import annotations

import logging
from typing import Any, cast

import ckan.plugins.toolkit as tk
from itsdangerous import BadData, URLSafeSerializer

from ckanext.ukharvest.core.values.text import name_unseen, one_line
from ckanext.ukharvest.model import notifications, redis_cache, utcnow
from ckanext.ukharvest.model.notifications import Recipient
from ckanext.ukharvest.operations.notifications.mail_contents import Letter, Line

log = logging.getLogger(__name__)

_SALT = "ukharvest-mail"
_FAILURE, _FAILURE_SECONDS = "mail-failure", 14 * redis_cache.DAY


def token(key: str, source_id: str) -> str:
    """Return a token that unsubscribes a recipient from one source without a login.

    Args:
        key: of the recipient (``Recipient.key``).
        source_id: "" for the weekly summaries of all sources.
    """
    return str(_signer().dumps([key, source_id]))


def read_token(text: str) -> tuple[str, str] | None:
    """Return a token's recipient key and source id, None if it is not ours."""
    try:
        key, source_id = _signer().loads(text)
    except (BadData, ValueError, TypeError):
        return None
    return str(key), str(source_id)


def unsubscribe(key: str, source_id: str) -> None:
    """Remove a token's recipient from a source's list, or from all weekly summaries."""
    notifications.leave(key, source_id)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(tk.config["SECRET_KEY"], salt=_SALT)


def send(letter: Letter, recipient: Recipient, source_id: str = "", title: str = "") -> bool:
    """Send a mail; return False, and log why, if the mailer refuses it.

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
    except Exception as exc:  # noqa: BLE001 - mailers of other extensions raise what they like
        log.exception("A mail about %s could not be sent", title or "all sources")
        failure = {"at": utcnow().isoformat(), "error": one_line(str(exc)) or type(exc).__name__}
        redis_cache.save(_FAILURE, failure, _FAILURE_SECONDS)
        return False
    redis_cache.forget(_FAILURE)
    return True


def last_failure() -> dict[str, str] | None:
    """Return when and why the last mail could not be sent; None if it was sent."""
    return cast("dict[str, str] | None", redis_cache.recall(_FAILURE))


def _rendered(form: str, words: dict[str, Any]) -> str:
    return str(tk.render(f"emails/ukharvest_mail.{form}", words))


def language() -> str:
    """Return the language of mails: the portal's own, such as "en_GB"."""
    return str(tk.config.get("ckan.locale_default") or "en")


def _foot(title: str, leave: str) -> tuple[Line, ...]:
    if not title:
        why = tk._(
            "You get this email because you are on the list for weekly summaries of these sources."
        )
        return Line(why), Line(tk._("Stop weekly summaries"), leave)
    why = tk._("You get this email because you are on the list for emails about {title}.").format(
        title=name_unseen(" ".join(title.split()))
    )
    return Line(why), Line(tk._("Stop emails about this source"), leave)
