"""Mails about harvest sources: their contents, and how they are sent."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from ckan import plugins as p
from ckan.plugins import toolkit as tk
from itsdangerous import BadData, URLSafeSerializer

from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.core.status_rules import ATTENTION, Health
from ckanext.ukharvest.core.values.text import name_unseen, one_line, shorten
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.source_status import SourceStatus
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.slots import Note, facts_of
from ckanext.ukharvest.lib.texts import format_counts, gettext, number, ungettext
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications.model import RECOVERED, Recipient, Told
from ckanext.ukharvest.sources import texts as source_texts

log = logging.getLogger(__name__)

LONGEST_TITLE = 100  # characters of a source's title in a subject
NEEDS_YOU = (*ATTENTION, Health.HICCUP)  # healths, the most urgent first

# The choices of who gets them.
EVENTS = {
    notification_model.FAILED: lambda: tk._("When runs start to fail"),
    notification_model.RECOVERED: lambda: tk._("When runs succeed again"),
    notification_model.HELD: lambda: tk._("When deletions wait for a decision"),
}
WEEKLY = {
    notification_model.NEVER: lambda: tk._("No weekly summary"),
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


Notes = Mapping[str, Sequence[Note]]  # source id → what features say of it
NO_NOTES: Notes = MappingProxyType({})


def notes_of(source_ids: Sequence[str]) -> Notes:
    """Return what features say of sources in a weekly summary."""
    notes: dict[str, list[Note]] = {}
    for of_feature in facts_of("weekly_mail", source_ids):
        for id_, note in of_feature.items():
            notes.setdefault(id_, []).append(note)
    return notes


def compose_failure(told: Told, health: SourceStatus, run: Mapping[str, Any]) -> Letter:
    """Return the mail that a source could not be harvested.

    Args:
        run: the first one that failed, as in ``model.runs``.
    """
    error = run["error"] or {"code": "", "message": ""}
    message = tk._("The run of {time} failed: {message}").format(
        time=texts.format_time(run["finished"]), message=_sentence(error["message"])
    )
    what_stays = ungettext(
        "Your dataset has not changed.", "Your {n} datasets stay as they were.", health.datasets
    )
    next_try = tk._("Next try: {time}.").format(time=texts.format_time(health.next_run))
    lines = [Line(message)]
    if tip := find_text(error["code"]).tip:
        lines.append(Line(tk._("What to do: {tip}").format(tip=tk._(tip))))
    lines += [
        Line(
            what_stays
            if health.datasets
            else tk._("Nothing has been imported from this source yet.")
        ),
        Line(
            tk._("It will not run again until someone starts it.")
            if health.next_run is None
            else next_try
        ),
        Line(tk._("See the run"), run_page(told, run["id"])),
    ]
    if RECOVERED in told.settings.events:
        lines.append(Line(tk._("You will get one more email when it works again.")))
    subject = tk._("{title} could not be harvested").format(title=_title(told))
    return Letter(subject, tuple(lines))


def compose_recovery(told: Told, failures: int, since: Any, figures: Mapping[str, int]) -> Letter:
    """Return the mail that a failed source works again.

    Args:
        failures: runs that failed in a row.
        since: when the first of them did.
        figures: of the run that worked, as ``model.runs`` counts them.
    """
    after = tk.ungettext(
        "It works again after a failed run on {day}.",
        "It works again after {n} failed runs since {day}.",
        failures,
    )
    lines = (
        Line(after.format(n=number(failures), day=texts.format_time(since, day_only=True))),
        Line(tk._("The last run: {figures}.").format(figures=format_counts(figures))),
        Line(tk._("See the source"), source_page(told)),
    )
    return Letter(tk._("{title} works again").format(title=_title(told)), lines)


def compose_pending(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that datasets wait for approval of their deletion."""
    subject = tk.ungettext(
        "Decision needed: {n} dataset of {title} would be deleted",
        "Decision needed: {n} datasets of {title} would be deleted",
        health.held,
    ).format(n=number(health.held), title=_title(told))
    share = tk._("{n} of {datasets} datasets are no longer in the source.")
    lines = (
        Line(share.format(n=number(health.held), datasets=number(health.datasets))),
        Line(tk._("That is a large part, so nothing has been deleted yet.")),
        Line(tk._("An administrator of the organisation decides what happens to them.")),
        Line(tk._("Review the datasets"), f"{source_page(told)}/deletions"),
    )
    return Letter(subject, lines)


def compose_renamed(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that records seem to have new identifiers."""
    subject = tk.ungettext(
        "Decision needed: {n} dataset of {title} may have a new identifier",
        "Decision needed: {n} datasets of {title} may have new identifiers",
        health.renamed,
    ).format(n=number(health.renamed), title=_title(told))
    lines = (
        Line(texts.meaning(health.renamed)),
        Line(tk._("An administrator of the organisation decides whether they are the same.")),
        Line(tk._("Compare the datasets"), f"{source_page(told)}/identifiers"),
    )
    return Letter(subject, lines)


def compose_empty(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that a source lists no records."""
    lines = [Line(source_texts.unchanged_datasets(health.datasets))]
    if health.datasets:
        lines.append(Line(source_texts.after_an_empty_list(health.missing)))
    check = tk._("Check that the source's URL is right and that the publisher's list has records.")
    lines += [
        Line(tk._("What to do: {tip}").format(tip=check)),
        Line(tk._("See the run"), run_page(told, health.judged_id or "")),
    ]
    return Letter(tk._("{title} lists no records").format(title=_title(told)), tuple(lines))


def compose_shrunk(told: Told, health: SourceStatus) -> Letter:
    """Return the mail that too many records are missing to delete them without approval."""
    missing = health.missing or {}
    lines = (
        Line(_sentence(source_texts.missing_heading(missing))),
        Line(source_texts.before_deletion(missing)),
        Line(tk._("See the run"), run_page(told, health.judged_id or "")),
    )
    return Letter(tk._("Records are missing from {title}").format(title=_title(told)), lines)


def compose_weekly(sources: Iterable[tuple[Told, SourceStatus]], notes: Notes = NO_NOTES) -> Letter:
    """Return the weekly summary for one recipient, sources that need attention first."""
    order: dict[str, int] = {value: place for place, value in enumerate(NEEDS_YOU)}
    sources = sorted(sources, key=lambda pair: order.get(pair[1].value, len(order)))
    needy = [pair for pair in sources if pair[1].value in NEEDS_YOU]
    fine = [pair for pair in sources if pair[1].value not in NEEDS_YOU]
    subject = tk._("Harvesting this week: {needy} need attention, {fine} fine").format(
        needy=number(len(needy)), fine=number(len(fine))
    )
    lines: list[Line | Sequence[Line]] = []
    for heading, pairs in ((tk._("Need attention:"), needy), (tk._("Fine:"), fine)):
        if pairs:
            lines += [Line(heading), [line for pair in pairs for line in _lines_of(*pair, notes)]]
    return Letter(subject, tuple(lines))


def _lines_of(told: Told, health: SourceStatus, notes: Notes) -> Iterator[Line]:
    """Yield a source's line, and those of features that lead to pages of their own."""
    own = notes.get(told.id, ())
    yield _in_a_line(told, health, [note.text for note in own if not note.page])
    for note in own:
        if note.page:
            text = tk._("{title}: {text}").format(title=_title(told), text=note.text)
            page = {"source": told.name, "locale": "default", "_external": True}
            yield Line(text, str(tk.h.url_for(note.page, **page)))


def _in_a_line(told: Told, health: SourceStatus, more: Sequence[str]) -> Line:
    word = texts.find_label("health", health.value).text
    parts = [tk._("{title}: {health}").format(title=_title(told), health=word)]
    if health.value in (Health.FAILING, Health.HICCUP, Health.LATE) and health.since:
        day = texts.format_time(health.since, day_only=True)
        parts.append(tk._("since {day}").format(day=day))
    elif health.value == Health.HELD and health.renamed:
        parts.append(
            ungettext("{n} new identifier waits", "{n} new identifiers wait", health.renamed)
        )
    elif health.value == Health.HELD:
        parts.append(ungettext("{n} deletion waits", "{n} deletions wait", health.held))
    elif health.value == Health.ERRORS and health.last_run:
        parts.append(ungettext("{n} record lost", "{n} records lost", health.last_run["lost"]))
    elif health.value == Health.SHRUNK and health.missing:
        parts.append(source_texts.missing_heading(health.missing))
    parts.append(ungettext("{n} dataset", "{n} datasets", health.datasets))
    return Line(", ".join([*parts, *more]), source_page(told))


def compose_test(told: Told) -> Letter:
    """Return the mail that tests whether mails arrive."""
    text = tk._("This is a test. Emails about {title} will arrive here.").format(title=_title(told))
    lines = (Line(text), Line(tk._("See the source"), source_page(told)))
    return Letter(tk._("Test email about {title}").format(title=_title(told)), lines)


def _title(told: Told) -> str:
    """Return a source's title on one line, shortened for a subject."""
    return shorten(told.title, LONGEST_TITLE)


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def source_page(told: Told) -> str:
    """Return the URL of the source's page."""
    return str(tk.h.url_for("harvest.read", id=told.name, locale="default", _external=True))


def run_page(told: Told, job_id: str) -> str:
    """Return the URL of the page of one of its runs."""
    return f"{source_page(told)}/job/{job_id}"


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
            headers=_Headers(
                {
                    "List-Unsubscribe": f"<{leave}>",
                    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
                    "Auto-Submitted": "auto-generated",
                }
            ),
        )
    except Exception as exc:  # noqa: BLE001 - mailers of other extensions raise what they like
        log.exception("A mail about %s could not be sent", title or "all sources")
        _note_failure(_reason(exc), one_line(str(exc)) or type(exc).__name__)
        return False
    http_client.forget(_FAILURE)
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
    return cast("dict[str, str] | None", http_client.recall(_FAILURE))


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
