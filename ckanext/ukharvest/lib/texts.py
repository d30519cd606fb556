"""Texts, numbers, times and labels for people, in the reader's language."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from babel.dates import format_timedelta, get_day_names
from babel.numbers import format_decimal
from ckan.lib.helpers import get_display_timezone
from ckan.plugins import toolkit as tk
from flask_babel import get_locale
from markupsafe import Markup

from ckanext.ukharvest.core.messages import translate_message, wording_of
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.core.status_rules import Health
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.rendering import problem_texts
from ckanext.ukharvest.rendering.problem_texts import ProblemTexts
from ckanext.ukharvest.rendering.values import format_day


def gettext(text: str, /, **values: Any) -> str:
    """Return a text in the reader's language; ``{name}`` in it is replaced by that value."""
    return str(tk._(text)).format(**values)


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the text for a number of things, in which ``{n}`` is the number.

    Args:
        n: the number, which chooses between the texts.
        values: ``n`` as it is to be written, and others.
    """
    return str(tk.ungettext(one, many, n)).format(**{"n": n, **values})


def number(value: float) -> str:
    """Return a number such as "1,204"."""
    # Outside a request, as in a background job or a command, there is no language.
    return str(format_decimal(value, locale=get_locale() or "en"))


def day_names() -> list[str]:
    """Return the names of the days of the week, Monday first."""
    names = get_day_names(locale=get_locale())
    return [names[number].capitalize() for number in range(7)]


def ungettext(one: str, many: str, value: int) -> str:
    """Return the singular or plural text for a number, with {n} replaced by it.

    The name is one that Babel extracts texts from.
    """
    return ngettext(one, many, value, n=number(value))


UTC = datetime.timezone.utc


def moment(time: Any) -> datetime.datetime | None:
    """Return a database time, or its ISO text, as UTC; None for nothing and for invalid text."""
    if isinstance(time, str):
        try:
            time = datetime.datetime.fromisoformat(time)
        except ValueError:
            return None
    if not isinstance(time, datetime.datetime):
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def when(time: Any, *, day_only: bool = False) -> Markup:
    """Return a ``<time>`` such as "20 November 2026, 02:14 UTC"; "" for nothing."""
    utc = moment(time)
    if utc is None:
        return Markup("")
    css = Markup(' class="ukharvest-day"') if day_only else ""
    stamp = utc.isoformat(timespec="seconds")
    words = format_time(utc, day_only=day_only)
    return Markup('<time{} datetime="{}">{}</time>').format(css, stamp, words)


def format_time(time: Any, *, day_only: bool = False) -> str:
    """Return the same as plain text, for mails and alternative texts."""
    utc = moment(time)
    if utc is None:
        return ""
    local = utc.astimezone(get_display_timezone())
    day = format_day(local, get_locale() or "en")
    zone = local.tzname() or ""
    return day if day_only else f"{day}, {local:%H:%M} {zone}".strip()


def age(time: Any, now: datetime.datetime | None = None) -> str:
    """Return how long ago or ahead a time is, such as "3 hours ago" or "in 5 minutes"."""
    utc = moment(time)
    if utc is None:
        return ""
    ahead = utc - (now or datetime.datetime.now(UTC))
    minutes = int(abs(ahead).total_seconds() // 60)
    if not minutes:
        return str(tk._("just now"))
    unit: Literal["minute", "hour", "day"] = "minute"
    if minutes >= 60:
        unit = "hour" if round(minutes / 60) < 48 else "day"
    whole = datetime.timedelta(minutes=math.copysign(minutes, ahead.total_seconds()))
    # Without a threshold Babel takes no larger unit: 10 days are no week.
    in_words: str = format_timedelta(
        whole, unit, threshold=math.inf, add_direction=True, locale=get_locale() or "en"
    )
    return in_words


def duration(seconds: float | None) -> str:
    """Return a number of seconds as "41 s", "1 min 12 s" or "2 h 5 min"; "" for None."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        rest = f" {whole % 60} s" if whole % 60 else ""
        return f"{whole // 60} min{rest}"
    rest = f" {whole % 3600 // 60} min" if whole % 3600 >= 60 else ""
    return f"{whole // 3600} h{rest}"


CALM, MUTED, EDGED = "ukharvest-calm", "ukharvest-muted", "ukharvest-edged"
WARNING, DANGER, PRIMARY = "text-bg-warning", "text-bg-danger", "text-bg-primary"
SECONDARY, LIGHT, INFO = "text-bg-secondary", "text-bg-light border", "text-bg-info"


@dataclass(frozen=True, slots=True)
class Status:
    """Looks of one value: a label (English, for ``_()``), CSS classes, an icon's name."""

    word: str
    css: str
    icon: str

    @property
    def text(self) -> str:
        """The label in the reader's language."""
        return str(tk._(self.word))


# The activity of a source.
STATES = {
    "new": Status(_("No finished run yet"), EDGED, "fa-circle-info"),
    "idle": Status(_("Nothing running"), CALM, "fa-circle-check"),
    "queued": Status(_("Scheduled"), LIGHT, "fa-clock"),
    "gathering": Status(_("Reading the list"), PRIMARY, "fa-magnifying-glass"),
    "importing": Status(_("Importing"), PRIMARY, "fa-spinner"),
    "deleting": Status(_("Deleting"), PRIMARY, "fa-trash-can"),
    "checking": Status(_("Test in progress"), PRIMARY, "fa-vial"),
    "finishing": Status(_("Finishing"), PRIMARY, "fa-hourglass-half"),
    "stopping": Status(_("Stopping"), SECONDARY, "fa-circle-stop"),
    "held": Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    "stuck": Status(_("Stuck"), DANGER, "fa-triangle-exclamation"),
    "off": Status(_("Switched off"), SECONDARY, "fa-power-off"),
}

# The health of a source.
HEALTHS: dict[str, Status] = {
    Health.OFF: Status(_("Switched off"), SECONDARY, "fa-power-off"),
    Health.HELD: Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    Health.FAILING: Status(_("Failing"), DANGER, "fa-circle-xmark"),
    Health.LATE: Status(_("Late"), WARNING, "fa-clock"),
    Health.HICCUP: Status(_("Last run failed"), EDGED, "fa-triangle-exclamation"),
    Health.EMPTY: Status(_("No records found"), WARNING, "fa-triangle-exclamation"),
    Health.SHRUNK: Status(_("Many records missing"), WARNING, "fa-triangle-exclamation"),
    Health.ERRORS: Status(_("Some records failed"), WARNING, "fa-triangle-exclamation"),
    Health.NEW: Status(_("No finished run yet"), EDGED, "fa-circle-info"),
    Health.HEALTHY: Status(_("Healthy"), CALM, "fa-circle-check"),
}

# The outcome of a run.
OUTCOMES: dict[str, Status] = {
    RunOutcome.FINISHED: Status(_("Finished"), CALM, "fa-circle-check"),
    RunOutcome.ERRORS: Status(_("Some records failed"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.EMPTY: Status(_("No records found"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.SHRUNK: Status(_("Many records missing"), WARNING, "fa-triangle-exclamation"),
    RunOutcome.HELD: Status(_("Waiting for a decision"), WARNING, "fa-circle-pause"),
    RunOutcome.DECIDED: Status(_("Decided"), CALM, "fa-circle-check"),
    RunOutcome.SETTLED: Status(_("No longer waiting"), MUTED, "fa-circle-check"),
    RunOutcome.FAILED: Status(_("Failed"), DANGER, "fa-circle-xmark"),
    RunOutcome.STOPPED: Status(_("Stopped"), SECONDARY, "fa-circle-stop"),
    RunOutcome.UNCHANGED: Status(_("Nothing changed"), MUTED, "fa-equals"),
    RunOutcome.RUNNING: Status(_("Running"), PRIMARY, "fa-spinner"),
    RunOutcome.QUEUED: Status(_("Scheduled"), LIGHT, "fa-clock"),
}

# The outcome of a record.
RECORDS = {
    "added": Status(_("Added"), CALM, "fa-plus"),
    "updated": Status(_("Updated"), CALM, "fa-pen"),
    "unchanged": Status(_("Unchanged"), MUTED, "fa-equals"),
    "deleted": Status(_("Deleted"), SECONDARY, "fa-trash-can"),
    "missing": Status(_("Missing"), EDGED, "fa-eye-slash"),
    "held": Status(_("Deletion pending"), WARNING, "fa-circle-pause"),
    "kept": Status(_("Kept: no longer in the source"), MUTED, "fa-box-archive"),
    "deleted_here": Status(_("Deleted here by hand"), MUTED, "fa-trash-can"),
    "lost": Status(_("Failed"), DANGER, "fa-circle-xmark"),
    "skipped": Status(_("Skipped"), MUTED, "fa-filter"),
    "waiting": Status(_("Not imported yet"), LIGHT, "fa-clock"),
}

# The effect of a problem on its record.
SEVERITIES: dict[str, Status] = {
    Severity.STOP: Status(_("Stopped the run"), DANGER, "fa-circle-xmark"),
    Severity.LOST: Status(_("Failed: not imported"), DANGER, "fa-circle-xmark"),
    Severity.PROBLEM: Status(_("Imported with a problem"), WARNING, "fa-triangle-exclamation"),
    Severity.NOTE: Status(_("For information"), LIGHT, "fa-circle-info"),
}

# Whether a part of the portal works; also for doctor's results.
CHECKS = {
    "ok": Status(_("Fine"), CALM, "fa-circle-check"),
    "info": Status(_("For information"), LIGHT, "fa-circle-info"),
    "warning": Status(_("To check"), WARNING, "fa-triangle-exclamation"),
    "error": Status(_("Needs your attention"), DANGER, "fa-circle-xmark"),
}

KINDS = {
    "state": STATES,
    "health": HEALTHS,
    "outcome": OUTCOMES,
    "record": RECORDS,
    "severity": SEVERITIES,
    "check": CHECKS,
}


def find_label(kind: str, value: str) -> Status:
    """Return the label and looks of a value of a kind; an unknown value is its own label."""
    return KINDS[kind].get(value) or Status(value, MUTED, "fa-circle-question")


def labelled(label: str, value: object) -> str:
    """Return "label: value", as the language writes it."""
    return gettext("{title}: {text}", title=label, text=value)


def part(done: int, total: int) -> str:
    """Return a part of a number, such as "40 of 1,312"."""
    return gettext("{done} of {total}", done=number(done), total=number(total))


def format_counts(counts: Mapping[str, int]) -> str:
    """Return a run's figures such as "Updated: 3, Unchanged: 397"; "" for none."""
    shown = ("added", "updated", "unchanged", "deleted", "skipped", "lost")
    parts = [labelled(RECORDS[key].text, number(counts[key])) for key in shown if counts.get(key)]
    return ", ".join(parts)


def describe_progress(progress: Mapping[str, int]) -> Iterator[str]:
    """Yield how many problems of records are fixed since their import before, and how many new.

    Args:
        progress: of a run, as ``JobReport.progress``.
    """
    for title, kind in ((_("Since last time"), ""), (_("Because rules changed"), "_by_rules")):
        fixed, new = progress.get(f"fixed{kind}", 0), progress.get(f"new{kind}", 0)
        parts = (
            ungettext("{n} problem fixed", "{n} problems fixed", fixed) if fixed else "",
            ungettext("{n} new problem", "{n} new problems", new) if new else "",
        )
        if text := ", ".join(filter(None, parts)):
            yield labelled(tk._(title), text)


def describe_same(count: int) -> str:
    """Return why records of datasets that are here already, or were, were skipped."""
    return ungettext(
        "{n} record was skipped: its dataset is here already by another route, or was deleted "
        "here.",
        "{n} records were skipped: their datasets are here already by another route, or were "
        "deleted here.",
        count,
    )


def meaning(count: int) -> str:
    """Return what a run found, and that it changed nothing."""
    return ungettext(
        "{n} record is no longer in the source, and a new record has the same title or file. The "
        "new record was not imported, and nothing was deleted.",
        "{n} records are no longer in the source, and new records have the same titles or files. "
        "The new records were not imported, and nothing was deleted.",
        count,
    )


# The text about other datasets or records than those shown. English.
OTHERS_WAIT = _("The source has changed since you opened this page. Check it again.")


def translate(message: str) -> str:
    """Return a message in the language of the request; a plain text as it is."""
    return translate_message(message, wording_of(message), tk._)


def show_message(row: Mapping[str, Any]) -> str:
    """Return a row's ``message``, in the language of the request if its ``wording`` is stored."""
    return translate_message(row["message"], row.get("wording"), tk._)


def describe_problem(code: str, consequence: str, field: str = "") -> ProblemTexts:
    """Return ``problem_texts.describe_problem`` in the language of the request."""
    return problem_texts.describe_problem(code, consequence, field, translate=tk._)
