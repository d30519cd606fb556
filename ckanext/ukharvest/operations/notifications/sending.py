"""Send mails by CKAN's mailer, each with its recipient's unsubscribe link."""

from __future__ import annotations

import logging
import smtplib
from typing import cast

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from itsdangerous import BadData, URLSafeSerializer

from ckanext.ukharvest.core.values.text import name_unseen, one_line
from ckanext.ukharvest.model import notifications, redis_cache, utcnow
from ckanext.ukharvest.model.notifications import Recipient
from ckanext.ukharvest.operations.notifications.mail_contents import Letter, Line
from ckanext.ukharvest.texts import gettext

log = logging.getLogger(__name__)

_SALT = "ukharvest-mail"
_OPTIONS = ("smtp.server", "smtp.mail_from")
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
    """Send a mail; return False, and log why, if that is not possible.

    Args:
        source_id, title: of the source that it is about; "" for a weekly summary.
    """
    # CKAN 2.12 sends nothing without a server, and raises nothing.
    if option := missing_option():
        log.error("A mail could not be sent: %s is not set", option)
        _note_failure(option, f"{option} is not set")
        return False
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
            str(tk.render("emails/ukharvest_mail.txt", words)).strip() + "\n",
            str(tk.render("emails/ukharvest_mail.html", words)),
            headers={
                "List-Unsubscribe": f"<{leave}>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                "Auto-Submitted": "auto-generated",
            },
        )
    except Exception as exc:  # noqa: BLE001 - mailers of other extensions raise what they like
        log.exception("A mail about %s could not be sent", title or "all sources")
        _note_failure(_reason(exc), one_line(str(exc)) or type(exc).__name__)
        return False
    redis_cache.forget(_FAILURE)
    return True


def missing_option() -> str:
    """Return the option without which CKAN cannot send mails; "" if none is missing."""
    # Other extensions can send by other ways (CKAN 2.12).
    notifier = getattr(p, "INotifier", None)
    others_send = notifier and any(p.PluginImplementations(notifier))
    options = () if others_send else _OPTIONS
    return next((name for name in options if not tk.config.get(name)), "")


def obstacle() -> str:
    """Return why mails cannot be sent now, or the last could not be; "" if nothing is known.

    It is a reason for ``notification_settings.describe_obstacle``.
    """
    return missing_option() or (last_failure() or {}).get("reason", "")


def _reason(exc: Exception) -> str:
    """Tell a server that does not answer from one that refuses; smtplib's errors are OSErrors."""
    cause = exc.__context__ or exc
    away = (smtplib.SMTPConnectError, smtplib.SMTPServerDisconnected)
    is_answer = isinstance(cause, smtplib.SMTPException) and not isinstance(cause, away)
    is_away = isinstance(cause, OSError) and not is_answer
    return notifications.UNREACHABLE if is_away else notifications.REFUSED


def _note_failure(reason: str, error: str) -> None:
    failure = {"at": utcnow().isoformat(), "reason": reason, "error": error}
    redis_cache.save(_FAILURE, failure, _FAILURE_SECONDS)


def last_failure() -> dict[str, str] | None:
    """Return when and why the last mail could not be sent; None if it was sent."""
    return cast("dict[str, str] | None", redis_cache.recall(_FAILURE))


def language() -> str:
    """Return the language of mails: the portal's own, such as "en_GB"."""
    return str(tk.config.get("ckan.locale_default") or "en")


def _foot(title: str, leave: str) -> tuple[Line, ...]:
    if not title:
        why = tk._(
            "You get this email because you are on the list for weekly summaries of these sources."
        )
        return Line(why), Line(tk._("Stop weekly summaries"), leave)
    why = gettext(
        "You get this email because you are on the list for emails about {title}.",
        title=name_unseen(" ".join(title.split())),
    )
    return Line(why), Line(tk._("Stop emails about this source"), leave)
