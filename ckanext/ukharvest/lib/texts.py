"""Texts, numbers, times and labels for people, in the reader's language."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from babel.dates import get_day_names
from babel.numbers import format_decimal
from ckan.lib.helpers import get_display_timezone
from ckan.plugins import toolkit as tk
from flask_babel import get_locale
from markupsafe import Markup

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
    full = gettext("{day}, {time} {zone}", day=day, time=local.strftime("%H:%M"), zone=zone)
    return day if day_only else full.strip()


def age(time: Any, now: datetime.datetime | None = None) -> str:
    """Return how long ago or ahead a time is, such as "3 hours ago" or "in 5 minutes"."""
    utc = moment(time)
    if utc is None:
        return ""
    seconds = ((now or datetime.datetime.now(UTC)) - utc).total_seconds()
    minutes = int(abs(seconds) // 60)
    if not minutes:
        return str(tk._("just now"))
    amount = _amount(minutes)
    return gettext("{time} ago", time=amount) if seconds > 0 else gettext("in {time}", time=amount)


def _amount(minutes: int) -> str:
    hours, days = round(minutes / 60), round(minutes / 1440)
    if minutes < 60:
        return ngettext("{n} minute", "{n} minutes", minutes)
    if hours < 48:
        return ngettext("{n} hour", "{n} hours", hours)
    return ngettext("{n} day", "{n} days", days)


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
    "new": Status(_("Not run yet"), EDGED, "fa-circle-info"),
    "idle": Status(_("Nothing running"), CALM, "fa-circle-check"),
    "queued": Status(_("Scheduled"), LIGHT, "fa-clock"),
    "gathering": Status(_("Reading the list"), PRIMARY, "fa-magnifying-glass"),
    "importing": Status(_("Importing"), PRIMARY, "fa-spinner"),
    "deleting": Status(_("Deleting"), PRIMARY, "fa-trash-can"),
    "checking": Status(_("Checking"), PRIMARY, "fa-vial"),
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
    Health.EMPTY: Status(_("Lists no records"), WARNING, "fa-triangle-exclamation"),
    Health.SHRUNK: Status(_("Many records missing"), WARNING, "fa-triangle-exclamation"),
    Health.ERRORS: Status(_("Some records failed"), WARNING, "fa-triangle-exclamation"),
    Health.NEW: Status(_("No finished run yet"), EDGED, "fa-circle-info"),
    Health.HEALTHY: Status(_("Healthy"), CALM, "fa-circle-check"),
}

# The outcome of a run.
OUTCOMES: dict[str, Status] = {
    RunOutcome.FINISHED: Status(_("Finished"), CALM, "fa-circle-check"),
    RunOutcome.ERRORS: Status(_("Finished with errors"), WARNING, "fa-triangle-exclamation"),
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
    "missing": Status(_("Not seen"), EDGED, "fa-eye-slash"),
    "held": Status(_("Deletion pending"), WARNING, "fa-circle-pause"),
    "kept": Status(_("Kept: no longer in the source"), MUTED, "fa-box-archive"),
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


def format_counts(counts: Mapping[str, int]) -> str:
    """Return a run's figures such as "3 updated, 397 unchanged"; "no records" for none."""
    words: dict[str, Callable[[int], str]] = {
        "added": lambda n: ungettext("{n} added", "{n} added", n),
        "updated": lambda n: ungettext("{n} updated", "{n} updated", n),
        "unchanged": lambda n: ungettext("{n} unchanged", "{n} unchanged", n),
        "deleted": lambda n: ungettext("{n} deleted", "{n} deleted", n),
        "skipped": lambda n: ungettext("{n} skipped", "{n} skipped", n),
        "new_identifiers": lambda n: ungettext(
            "{n} under a new identifier", "{n} under new identifiers", n
        ),
        "lost": lambda n: ungettext("{n} failed", "{n} failed", n),
    }
    parts = [text(counts[key]) for key, text in words.items() if counts.get(key)]
    return ", ".join(parts) or str(tk._("no records"))


def describe_same(count: int) -> str:
    """Return why records of datasets that are here already, or were, were skipped."""
    return ungettext(
        "{n} record was skipped: its dataset is here already, or was deleted here. It came back "
        "from another portal, or by way of two.",
        "{n} records were skipped: their datasets are here already, or were deleted here. They "
        "came back from another portal, or by way of two.",
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


def identifiers_wait(count: int) -> str:
    """Return the text about other records than those shown."""
    return ungettext(
        "The source has changed since: {n} dataset may have a new identifier now. Look again.",
        "The source has changed since: {n} datasets may have new identifiers now. Look again.",
        count,
    )


def others_wait(count: int) -> str:
    """Return the text about pending deletions other than those shown."""
    return ungettext(
        "The source has changed since: {n} dataset is missing now. Look again.",
        "The source has changed since: {n} datasets are missing now. Look again.",
        count,
    )


def accepted(count: int) -> str:
    """Return what happens to datasets that are the same."""
    return ungettext(
        "{n} dataset keeps its page and id. The next run updates it.",
        "{n} datasets keep their pages and ids. The next run updates them.",
        count,
    )


def refused(count: int) -> str:
    """Return what happens to datasets that are different."""
    return ungettext(
        "The next run imports the new record as a new dataset. {n} dataset counts as missing.",
        "The next run imports the new records as new datasets. {n} datasets count as missing.",
        count,
    )


def describe_problem(code: str, consequence: str, field: str = "") -> ProblemTexts:
    """Return ``problem_texts.describe_problem`` in the language of the request."""
    return problem_texts.describe_problem(code, consequence, field, translate=tk._)
