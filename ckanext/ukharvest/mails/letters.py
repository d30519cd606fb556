"""What mails about harvest sources say: lines that plain text and HTML are both made from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.problems import TIPS
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.mail import RECOVERED, Told
from ckanext.ukharvest.words import status, times
from ckanext.ukharvest.words.numbers import number, ungettext
from ckanext.ukharvest.words.source_card import in_figures

LONGEST_TITLE = 100  # characters of a source's title in a subject
NEEDS_YOU = ("held", "failing", "late", "hiccup", "errors")  # healths, the most urgent first


class Line(NamedTuple):
    """One line of a mail: a text, and where it leads to if anywhere."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail, less its foot.

    Attributes:
        subject: without the site's name.
        lines: paragraphs; several lines in a list are a list.
    """

    subject: str
    lines: tuple[Line | Sequence[Line], ...]


class Failure(NamedTuple):
    """The run that failed first: its job, when it ended, why."""

    job_id: str
    finished: dt.datetime | None
    code: str
    message: str


def failed(told: Told, health: SourceHealth, failure: Failure) -> Letter:
    """Tell that a source could not be harvested."""
    message = tk._("The run of {time} failed: {message}").format(
        time=times.in_words(failure.finished), message=_sentence(failure.message)
    )
    lines = [Line(message)]
    if tip := TIPS.get(failure.code):
        lines.append(Line(tk._("What to do: {tip}").format(tip=tk._(tip))))
    lines += [Line(_what_stays(health.datasets)), Line(_next_try(health))]
    lines.append(Line(tk._("See the run"), run_page(told, failure.job_id)))
    if RECOVERED in told.settings.events:
        lines.append(Line(tk._("You will get one more message when it works again.")))
    subject = tk._("{title} could not be harvested").format(title=_title(told))
    return Letter(subject, tuple(lines))


def _what_stays(datasets: int) -> str:
    if not datasets:
        return str(tk._("Nothing has been brought in from this source so far."))
    return ungettext(
        "Your dataset stays as it was.", "Your {n} datasets stay as they were.", datasets
    )


def _next_try(health: SourceHealth) -> str:
    if health.next_run is None:
        return str(tk._("It is not tried again until somebody starts a run."))
    return str(tk._("Next try: {time}.").format(time=times.in_words(health.next_run)))


def recovered(told: Told, failures: int, since: Any, figures: Mapping[str, int]) -> Letter:
    """Tell that a source that had failed works again.

    Args:
        failures: runs that failed in a row.
        since: when the first of them did.
        figures: of the run that worked, as ``model.run_figures`` counts them.
    """
    after = tk.ungettext(
        "It works again after a failed run on {day}.",
        "It works again after {n} failed runs since {day}.",
        failures,
    )
    lines = (
        Line(after.format(n=number(failures), day=times.in_words(since, day_only=True))),
        Line(tk._("The last run: {figures}.").format(figures=in_figures(figures))),
        Line(tk._("See the source"), source_page(told)),
    )
    return Letter(tk._("{title} works again").format(title=_title(told)), lines)


def held(told: Told, health: SourceHealth) -> Letter:
    """Tell that datasets wait for a decision to delete them."""
    subject = tk.ungettext(
        "Decision needed: {n} dataset of {title} would be deleted",
        "Decision needed: {n} datasets of {title} would be deleted",
        health.held,
    ).format(n=number(health.held), title=_title(told))
    found = tk._("A run did not find {n} of {datasets} datasets in the source any more.")
    lines = (
        Line(found.format(n=number(health.held), datasets=number(health.datasets))),
        Line(tk._("So large a part is not deleted unasked: nothing has been deleted.")),
        Line(tk._("An administrator of the organisation decides what becomes of them.")),
        Line(tk._("Look at them"), f"{source_page(told)}/deletions"),
    )
    return Letter(subject, lines)


def weekly(sources: Iterable[tuple[Told, SourceHealth]]) -> Letter:
    """Sum up the sources of one recipient, those that need somebody first."""
    order = {value: place for place, value in enumerate(NEEDS_YOU)}
    sources = sorted(sources, key=lambda pair: order.get(pair[1].value, len(order)))
    needy = [pair for pair in sources if pair[1].value in NEEDS_YOU]
    fine = [pair for pair in sources if pair[1].value not in NEEDS_YOU]
    subject = tk._("Harvesting this week: {needy} need you, {fine} fine").format(
        needy=number(len(needy)), fine=number(len(fine))
    )
    lines: list[Line | Sequence[Line]] = []
    for heading, pairs in ((tk._("These need you:"), needy), (tk._("These are fine:"), fine)):
        if pairs:
            lines += [Line(heading), [_in_a_line(*pair) for pair in pairs]]
    return Letter(subject, tuple(lines))


def _in_a_line(told: Told, health: SourceHealth) -> Line:
    word = status.find("health", health.value).text
    parts = [tk._("{title}: {health}").format(title=_title(told), health=word)]
    if health.value in ("failing", "hiccup", "late") and health.since:
        day = times.in_words(health.since, day_only=True)
        parts.append(tk._("since {day}").format(day=day))
    elif health.value == "held":
        parts.append(ungettext("{n} deletion waits", "{n} deletions wait", health.held))
    elif health.value == "errors" and health.last_run:
        lost = health.last_run["lost"]
        parts.append(ungettext("{n} record lost", "{n} records lost", lost))
    parts.append(ungettext("{n} dataset", "{n} datasets", health.datasets))
    return Line(", ".join(parts), source_page(told))


def test(told: Told) -> Letter:
    """Try whether mails arrive."""
    text = tk._("This is a test: mails about {title} arrive here.").format(title=_title(told))
    lines = (Line(text), Line(tk._("See the source"), source_page(told)))
    return Letter(tk._("Test message about {title}").format(title=_title(told)), lines)


def _title(told: Told) -> str:
    """A subject is one line, and nobody reads a long one."""
    title = " ".join(told.title.split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def source_page(told: Told) -> str:
    """Address of the source's page."""
    return str(tk.h.url_for("harvest.read", id=told.name, locale="default", _external=True))


def run_page(told: Told, job_id: str) -> str:
    """Address of the page of one of its runs."""
    return f"{source_page(told)}/job/{job_id}"
