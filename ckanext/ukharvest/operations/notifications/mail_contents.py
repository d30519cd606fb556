"""Contents of mails about harvest sources, as lines for both plain text and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.core.source_status import ATTENTION, Health
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.notifications import RECOVERED, Told
from ckanext.ukharvest.presentation.messages import changed_identifiers, missing_records, times
from ckanext.ukharvest.presentation.messages import status_labels as status
from ckanext.ukharvest.presentation.messages.data_checks import describe_invalid
from ckanext.ukharvest.presentation.messages.links import describe_count
from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.presentation.messages.run_counts import format_counts

LONGEST_TITLE = 100  # characters of a source's title in a subject
NONE: Mapping[str, int] = MappingProxyType({})
NEEDS_YOU = (*ATTENTION, Health.HICCUP)  # healths, the most urgent first


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


class Found(NamedTuple):
    """What checks found in the datasets of sources; source id → number.

    Attributes:
        invalid: files that do not follow their schema.
        broken: links that do not work.
    """

    invalid: Mapping[str, int] = NONE
    broken: Mapping[str, int] = NONE


def compose_failure(told: Told, health: SourceHealth, run: Mapping[str, Any]) -> Letter:
    """Return the mail that a source could not be harvested.

    Args:
        run: the first one that failed, as in ``model.runs``.
    """
    error = run["error"] or {"code": "", "message": ""}
    message = tk._("The run of {time} failed: {message}").format(
        time=times.format_time(run["finished"]), message=_sentence(error["message"])
    )
    what_stays = ungettext(
        "Your dataset has not changed.", "Your {n} datasets stay as they were.", health.datasets
    )
    next_try = tk._("Next try: {time}.").format(time=times.format_time(health.next_run))
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
        Line(after.format(n=number(failures), day=times.format_time(since, day_only=True))),
        Line(tk._("The last run: {figures}.").format(figures=format_counts(figures))),
        Line(tk._("See the source"), source_page(told)),
    )
    return Letter(tk._("{title} works again").format(title=_title(told)), lines)


def compose_pending(told: Told, health: SourceHealth) -> Letter:
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


def compose_renamed(told: Told, health: SourceHealth) -> Letter:
    """Return the mail that records seem to have new identifiers."""
    subject = tk.ungettext(
        "Decision needed: {n} dataset of {title} may have a new identifier",
        "Decision needed: {n} datasets of {title} may have new identifiers",
        health.renamed,
    ).format(n=number(health.renamed), title=_title(told))
    lines = (
        Line(changed_identifiers.meaning(health.renamed)),
        Line(tk._("An administrator of the organisation decides whether they are the same.")),
        Line(tk._("Compare the datasets"), f"{source_page(told)}/identifiers"),
    )
    return Letter(subject, lines)


def compose_empty(told: Told, health: SourceHealth) -> Letter:
    """Return the mail that a source lists no records."""
    lines = [Line(missing_records.unchanged_datasets(health.datasets))]
    if health.datasets:
        lines.append(Line(missing_records.after_an_empty_list(health.missing, is_you=False)))
    check = tk._("Check that the source's URL is right and that the publisher's list has records.")
    lines += [
        Line(tk._("What to do: {tip}").format(tip=check)),
        Line(tk._("See the run"), run_page(told, health.judged_id or "")),
    ]
    return Letter(tk._("{title} lists no records").format(title=_title(told)), tuple(lines))


def compose_shrunk(told: Told, health: SourceHealth) -> Letter:
    """Return the mail that too many records are missing to delete them without approval."""
    missing = health.missing or {}
    lines = (
        Line(_sentence(missing_records.heading(missing))),
        Line(missing_records.before_deletion(missing, is_you=False)),
        Line(tk._("See the run"), run_page(told, health.judged_id or "")),
    )
    return Letter(tk._("Records are missing from {title}").format(title=_title(told)), lines)


def compose_weekly(
    sources: Iterable[tuple[Told, SourceHealth]],
    found: Found = Found(),  # noqa: B008 - frozen
) -> Letter:
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
            lines += [Line(heading), [line for pair in pairs for line in _lines_of(*pair, found)]]
    return Letter(subject, tuple(lines))


def _lines_of(told: Told, health: SourceHealth, found: Found) -> Iterator[Line]:
    """Yield a source's line, and one that leads to its links that do not work."""
    yield _in_a_line(told, health, found.invalid)
    if text := describe_count(found.broken.get(told.id, 0)):
        text = tk._("{title}: {text}").format(title=_title(told), text=text)
        page = {"source": told.name, "locale": "default", "_external": True}
        yield Line(text, str(tk.h.url_for("ukharvest_links.report", **page)))


def _in_a_line(told: Told, health: SourceHealth, invalid: Mapping[str, int]) -> Line:
    word = status.find("health", health.value).text
    parts = [tk._("{title}: {health}").format(title=_title(told), health=word)]
    if health.value in (Health.FAILING, Health.HICCUP, Health.LATE) and health.since:
        day = times.format_time(health.since, day_only=True)
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
        parts.append(missing_records.heading(health.missing))
    parts.append(ungettext("{n} dataset", "{n} datasets", health.datasets))
    if text := describe_invalid(invalid.get(told.id, 0)):
        parts.append(text)
    return Line(", ".join(parts), source_page(told))


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
