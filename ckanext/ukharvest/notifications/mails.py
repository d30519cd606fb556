"""Mails about harvest sources: their contents, and how they are sent."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast
from urllib.parse import urljoin

from ckan import plugins as p
from ckan.plugins import toolkit as tk
from itsdangerous import BadData, URLSafeSerializer

from ckanext.ukharvest import config
from ckanext.ukharvest.core.http.urls import hide_secrets, without_secrets
from ckanext.ukharvest.core.status_rules import ATTENTION, Health, SourceStatus
from ckanext.ukharvest.core.values.text import name_unseen, one_line, shorten
from ckanext.ukharvest.harvest import database, http_client
from ckanext.ukharvest.harvest.model import Decision, utcnow
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.slots import Task, facts_of
from ckanext.ukharvest.lib.tasks import load_rows
from ckanext.ukharvest.lib.texts import describe_progress, format_counts, gettext, labelled, number
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications.model import RECOVERED, Recipient, Told
from ckanext.ukharvest.sources import texts as source_texts
from ckanext.ukharvest.sources.decisions import describe_decision
from ckanext.ukharvest.sources.texts import Card

log = logging.getLogger(__name__)

LONGEST_TITLE = 100  # characters of a source's title in a subject

# The choices of who gets them.
EVENTS = {
    notification_model.FAILED: lambda: texts.HEALTHS[Health.FAILING].text,
    notification_model.RECOVERED: lambda: tk._("Working again"),
    notification_model.HELD: lambda: texts.HEALTHS[Health.HELD].text,
}
WEEKLY = {
    notification_model.NEVER: lambda: tk._("No"),
    notification_model.NEEDED: lambda: tk._("On Mondays when a source needs attention"),
}


class Line(NamedTuple):
    """One line of a mail: a text and an optional URL."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail without its footer.

    Attributes:
        subject: without the site's name.
        lines: paragraphs; several lines in a list are a list.
    """

    subject: str
    lines: tuple[Line | Sequence[Line], ...]


# Source id → what features say of it: parts of its line, and tasks, which get lines of their own.
Notes = Mapping[str, Sequence[str | Task]]
NO_NOTES: Notes = MappingProxyType({})


def notes_of(source_ids: Sequence[str]) -> Notes:
    """Return what features say of sources in a weekly summary."""
    texts = [pair for notes in facts_of("weekly_mail", source_ids) for pair in notes.items()]
    rows = load_rows(facts_of("to_do"), None)
    # Of a source's status its own line tells.
    own = [row for row in rows if row.is_own and row.kind.rows != source_status.TO_DO]
    tasks = [(row.source_id, row.task()) for row in own if row.source_id in source_ids]
    return database.group_pairs([*texts, *tasks])


def needs_attention(status: SourceStatus, notes: Sequence[str | Task]) -> bool:
    """Tell whether there is something to do, or the last run or one of its records failed."""
    is_to_do = status.is_to_do or any(isinstance(note, Task) for note in notes)
    return is_to_do or status.value in (Health.HICCUP, Health.ERRORS)


def compose_failure(told: Told, health: SourceStatus, run: Mapping[str, Any]) -> Letter:
    """Return the mail that a source could not be harvested.

    Args:
        run: the one that failed, as in ``harvest.run.runs``.
    """
    # A source whose last run failed may be late or held as well.
    value = Health.HICCUP if health.value == Health.HICCUP else Health.FAILING
    next_run = texts.format_time(health.next_run) or tk._("Not scheduled")
    near = [Line(text, source_page(told)) for text in facts_of("failure_mail", told.id)]
    more = (*near, Line(labelled(tk._("Next run"), next_run)), _run_line(told, run["id"]))
    card = _card(health, run, value)
    # The heading has the error, which is too long for a subject.
    return _letter(told, texts.HEALTHS[value].text, (card.heading, *card.text), *more)


def compose_recovery(told: Told, failures: int, since: Any, run: Mapping[str, Any]) -> Letter:
    """Return the mail that a failed source works again.

    Args:
        failures: runs that failed in a row.
        since: when the first of them did.
        run: the one that worked, as in ``harvest.run.runs``; {} if it is pruned.
    """
    text = (
        source_texts.failed_runs(failures, since),
        labelled(tk._("Last run"), format_counts(run.get("counts", {})) or tk._("none")),
        *describe_progress(run.get("progress", {})),
    )
    return _letter(told, EVENTS[RECOVERED](), text, _source_line(told))


def compose_pending(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that datasets wait for approval of their deletion."""
    review = Line(tk._("Review the deletions"), f"{source_page(told)}/deletions")
    return _card_letter(told, _card(replace(health, renamed=0), None, Health.HELD), review)


def compose_renamed(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that records seem to have new identifiers."""
    compare = Line(tk._("Compare the datasets"), f"{source_page(told)}/identifiers")
    return _card_letter(told, _card(health, None, Health.HELD), compare)


def compose_missing(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that a source lists no records, or that too many of them are missing."""
    return _card_letter(told, _card(health), _run_line(told, health.judged_id or ""))


def compose_weekly(sources: Iterable[tuple[Told, SourceStatus]], notes: Notes = NO_NOTES) -> Letter:
    """Return the weekly summary for one recipient, sources that need attention first."""
    order: dict[str, int] = {
        value: place for place, value in enumerate((*ATTENTION, Health.HICCUP))
    }
    sources = sorted(sources, key=lambda pair: order.get(pair[1].value, len(order)))
    needy: list[tuple[Told, SourceStatus]] = []
    fine: list[tuple[Told, SourceStatus]] = []
    for told, health in sources:
        (needy if needs_attention(health, notes.get(told.id, ())) else fine).append((told, health))
    judged = runs.runs_by_id([health.judged_id for _told, health in needy if health.judged_id])
    numbers = []
    lines: list[Line | Sequence[Line]] = []
    for check, pairs in (("error", needy), ("ok", fine)):
        heading = texts.CHECKS[check].text
        numbers.append(labelled(heading, number(len(pairs))))
        if pairs:
            listed = [line for pair in pairs for line in _lines_of(*pair, judged, notes)]
            lines += [Line(f"{heading}:"), listed]
    return Letter(labelled(tk._("Weekly summary"), ", ".join(numbers)), tuple(lines))


def _lines_of(
    told: Told, health: SourceStatus, judged: Mapping[str, Any], notes: Notes
) -> Iterator[Line]:
    """Yield a source's line, and those of features that lead to pages of their own."""
    own, run = notes.get(told.id, ()), judged.get(str(health.judged_id), {})
    heading = _card(health, run).heading
    parts = [
        labelled(_title(told), shorten(heading, LONGEST_TITLE)),
        labelled(tk._("Datasets"), number(health.datasets)),
        *describe_progress(run.get("progress", {})),
        *(note for note in own if isinstance(note, str)),
    ]
    yield Line(", ".join(parts), source_page(told))
    for task in own:
        if isinstance(task, Task):
            url = urljoin(tk.config["ckan.site_url"], task.url)
            yield Line(labelled(_title(told), task.text), url)


def compose_answer(told: Told, decision: Decision) -> Letter:
    """Return the mail that a sysadmin accepted or refused a source."""
    text = hide_secrets(describe_decision(decision)["text"])
    reason = labelled(tk._("Reason"), decision.reason) if decision.reason else ""
    return _letter(told, text, (text, reason), _source_line(told))


def compose_reminder(waiting: Sequence[tuple[Told, str]]) -> Letter:
    """Return the mail that sources wait for a sysadmin, each with the URL that waits."""
    lines = [
        Line(labelled(_title(told), without_secrets(url)), f"{source_page(told)}/approval")
        for told, url in waiting
    ]
    return Letter(labelled(tk._("Waits for approval"), number(len(lines))), (lines,))


def compose_test(told: Told) -> Letter:
    """Return the mail that tests whether mails arrive."""
    text = gettext("This is a test. Emails about {title} will arrive here.", title=_title(told))
    return _letter(told, tk._("Test"), (text,), _source_line(told))


def _card(health: SourceStatus, run: Mapping[str, Any] | None = None, value: str = "") -> Card:
    """Return what the source's page says of its health; the run is the one that decides it."""
    return source_texts.health_card(replace(health, judged=run), value)


def _card_letter(told: Told, card: Card, *more: Line) -> Letter:
    return _letter(told, card.heading, (card.heading, *card.text), *more)


def _letter(told: Told, heading: str, text: Iterable[str], *more: Line) -> Letter:
    return Letter(
        labelled(_title(told), heading), (*(Line(one_line(part)) for part in text if part), *more)
    )


def _run_line(told: Told, job_id: str) -> Line:
    return Line(tk._("See the run"), f"{source_page(told)}/job/{job_id}")


def _source_line(told: Told) -> Line:
    return Line(tk._("Harvest source"), source_page(told))


def _title(told: Told) -> str:
    """Return a source's title on one line, shortened for a subject."""
    return shorten(told.title, LONGEST_TITLE)


def source_page(told: Told) -> str:
    """Return the URL of the source's page."""
    return str(tk.h.url_for("harvest.read", id=told.name, locale="default", _external=True))


_SALT = "ukharvest-mail"
_OPTIONS = ("smtp.server", "smtp.mail_from")
_FAILURE, _FAILURE_SECONDS = "mail-failure", 14 * http_client.DAY


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
    notification_model.leave(key, source_id)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(tk.config["SECRET_KEY"], salt=_SALT)


def send(
    letter: Letter,
    recipient: Recipient,
    source_id: str = "",
    title: str = "",
    *,
    can_stop: bool = True,
) -> bool:
    """Send a mail; return False, and log why, if that is not possible.

    Args:
        source_id, title: of the source that it is about; "" for a weekly summary.
        can_stop: False of one that nobody chose to get, such as an answer: it leads to no page that
            stops such mails.
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
    stop = tk._("Stop weekly summaries")
    if title:
        stop = gettext("Stop emails about {title}", title=name_unseen(" ".join(title.split())))
    words = {
        "letter": letter,
        "site": site,
        "lang": language().replace("_", "-"),
        "foot": (Line(stop, leave),) if can_stop else (),
    }
    leaving = {
        "List-Unsubscribe": f"<{leave}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    try:
        tk.mail_recipient(
            recipient.name,
            recipient.address,
            f"[{site}] {letter.subject}",
            str(tk.render("emails/ukharvest_mail.txt", words)).strip() + "\n",
            str(tk.render("emails/ukharvest_mail.html", words)),
            headers=_Headers({**(leaving if can_stop else {}), "Auto-Submitted": "auto-generated"}),
        )
    except Exception as exc:  # noqa: BLE001 - mailers of other extensions raise what they like
        log.exception("A mail about %s could not be sent", title or "all sources")
        _note_failure(_reason(exc), one_line(str(exc)) or type(exc).__name__)
        return False
    http_client.delete_from_redis(_FAILURE)
    return True


class _Whole(str):
    """The value of a header that is sent as it is.

    Python's ``email`` writes a word of more than 78 characters as an encoded word (RFC 2047), and a
    URL in one unsubscribes nobody (RFC 8058).
    """

    name: str

    def fold(self, *, policy: Any) -> str:
        """Return the header's line; ``email`` calls it for a value that has a name."""
        return f"{self.name}: {self}{policy.linesep}"


class _Headers(dict[str, str]):
    """Headers that CKAN's mailer sets as they are: it copies a new one, and replaces another."""

    def items(self) -> Any:
        """Yield each header twice: to add it, and to replace it."""
        for name, text in super().items():
            whole = _Whole(text)
            whole.name = name
            yield from ((name, ""), (name, whole))


def missing_option() -> str:
    """Return the option without which CKAN cannot send mails; "" if none is missing."""
    # Other extensions can send by other ways (CKAN 2.12).
    notifier = getattr(p, "INotifier", None)
    others_send = notifier and any(p.PluginImplementations(notifier))
    options = () if others_send else _OPTIONS
    return next((name for name in options if not tk.config.get(name)), "")


def obstacle() -> str:
    """Return why mails cannot be sent now, or the last could not be; "" if nothing is known.

    It is a reason for ``describe_obstacle``.
    """
    return missing_option() or (last_failure() or {}).get("reason", "")


def _reason(exc: Exception) -> str:
    """Tell a server that does not answer from one that refuses; smtplib's errors are OSErrors."""
    cause = exc.__context__ or exc
    away = (smtplib.SMTPConnectError, smtplib.SMTPServerDisconnected)
    is_answer = isinstance(cause, smtplib.SMTPException) and not isinstance(cause, away)
    is_away = isinstance(cause, OSError) and not is_answer
    return notification_model.UNREACHABLE if is_away else notification_model.REFUSED


def _note_failure(reason: str, error: str) -> None:
    failure = {"at": utcnow().isoformat(), "reason": reason, "error": error}
    http_client.save_in_redis(_FAILURE, failure, _FAILURE_SECONDS)


def last_failure() -> dict[str, str] | None:
    """Return when and why the last mail could not be sent; None if it was sent."""
    return cast("dict[str, str] | None", http_client.load_from_redis(_FAILURE))


def describe_obstacle(reason: str) -> str:
    """Return why emails are not sent, for the middle of a sentence; "" without a reason.

    Args:
        reason: the name of a missing option, ``UNREACHABLE`` or ``REFUSED``.
    """
    texts = {
        "": "",
        notification_model.UNREACHABLE: tk._("the mail server could not be reached"),
        notification_model.REFUSED: tk._("the mail server refused the email"),
    }
    return texts[reason] if reason in texts else gettext("{option} is not set", option=reason)


def describe_unsure(reason: str) -> str:
    """Return that emails may not arrive, and why; "" without a reason of ``obstacle``."""
    ask = tk._("Ask a sysadmin of this site to correct the mail settings.")
    return f"{describe_unsent(reason)} {ask}" if reason else ""


def describe_unsent(reason: str) -> str:
    """Return that emails may not arrive, and why, for sysadmins."""
    return gettext("Emails may not arrive: {reason}.", reason=describe_obstacle(reason))


def describe_waiting_test() -> str:
    """Return when a requested test message is sent."""
    minutes = config.schedule_cron_minutes()
    return gettext("A test email is waiting. It is sent within {n} minutes.", n=minutes)


def language() -> str:
    """Return the language of mails: the portal's own, such as "en_GB"."""
    return str(tk.config.get("ckan.locale_default") or "en")
