"""Texts of the help page: the terms used on the harvest pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.outcomes import RecordState, RunOutcome
from ckanext.ukharvest.core.problems.texts import PROBLEM, PROBLEM_TEXTS, SEVERITIES
from ckanext.ukharvest.core.status_rules import Health
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib.texts import describe_problem
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.sources.form import groups

TERMS = (
    (
        _("Harvest source"),
        _(
            "The URL of a catalogue that this site copies metadata from, with its schedule "
            "and settings."
        ),
    ),
    (
        _("Record"),
        _("One dataset as the source describes it. The data itself stays with the publisher."),
    ),
    (_("Run"), _("One pass over a source: read its list, then import what is new or changed.")),
    (
        _("Failed"),
        _(
            "A record that a run could not import. If its dataset is here already, it keeps "
            "its earlier version."
        ),
    ),
    (
        _("Problem"),
        _(
            "Something in a record is missing or cannot be read. The record is still imported. "
            "Fix it at the source, and the next run updates the dataset."
        ),
    ),
    (
        _("Run now"),
        _(
            "Start a run now (“Refresh source” on data.gov.uk). Unchanged records are not "
            "imported again."
        ),
    ),
    (
        _("Identifier"),
        _(
            "The id or URL by which runs recognise a record again. On a dataset's page it "
            "is the Harvest GUID."
        ),
    ),
)

# Labels of lib/texts.py that do not say what happens next: kind, value and meaning.
STATUSES: tuple[tuple[str, str, str], ...] = (
    ("health", Health.OFF, _("The source is not harvested. Its datasets are kept as they are.")),
    (
        "health",
        Health.HELD,
        _(
            "Unusually many records are missing, or they seem to have new identifiers. Nothing is "
            "deleted until an administrator decides."
        ),
    ),
    (
        "outcome",
        RunOutcome.SETTLED,
        _(
            "Deletions or new identifiers waited for a decision, which a later run made "
            "unnecessary."
        ),
    ),
    ("outcome", RunOutcome.FAILED, _("The run failed. Nothing was deleted.")),
    (
        "outcome",
        RunOutcome.STOPPED,
        _("The run was stopped. Records imported before that are kept."),
    ),
    (
        "record",
        RecordState.MISSING,
        _("It was missing from the last run. Its dataset will be deleted if it stays missing."),
    ),
    (
        "record",
        RecordState.DELETED_HERE,
        _(
            "A person deleted its dataset on this portal. It stays deleted until the source runs "
            "again in full."
        ),
    ),
    (
        "record",
        RecordState.SKIPPED,
        _(
            "The source's settings skip it, or its dataset was deleted here by hand, or is "
            "here already because it came back through another portal."
        ),
    ),
)

# Written by bin/docs from the code of each type: type → codes.
_CODES = Path(__file__).with_name("codes_by_type.json")
_ELEMENT = attrgetter("element")

help_page = Blueprint("ukharvest_help", __name__)


class Entry(NamedTuple):
    """What people read about one or several codes, which are anchors on the page."""

    text: str
    codes: list[str]
    tips: list[str]


@help_page.route("/harvest/help")
def read() -> str:
    """Show the page, to everybody; ``type`` limits the problems to those of a source type."""
    chosen = tk.request.args.get("type", "")
    wanted = _codes_by_type().get(chosen)
    kinds = source_types.in_form_order()
    return str(
        tk.render(
            "ukharvest/help.html",
            {
                "terms": TERMS,
                "statuses": STATUSES,
                "types": list(groups(kinds)),
                "problems": list(_problems(wanted)),
                "elements": list(_elements(wanted)),
                "chosen": chosen if wanted else "",
                "choices": [(kind.name, tk._(kind.title)) for kind in kinds],
            },
        )
    )


def _problems(wanted: frozenset[str] | None) -> Iterator[tuple[str, str, list[Entry]]]:
    """Yield severities: key, meaning, and problems sorted by title; ``wanted``: None for all."""
    for severity in SEVERITIES:
        problems = [
            (code, describe_problem(code, severity))
            for code, texts in PROBLEM_TEXTS.items()
            if texts.severity == severity and (wanted is None or code in wanted)
        ]
        if problems:
            entries = _entries((code, words.title, words.tip) for code, words in problems)
            yield severity, problems[0][1].meaning, sorted(entries)


def _entries(texts: Iterable[tuple[str, str, str]]) -> list[Entry]:
    """Return one entry for each text of (code, text, tip)."""
    entries: dict[str, Entry] = {}
    for code, text, tip in texts:
        entry = entries.setdefault(text, Entry(text, [], []))
        entry.codes.append(code)
        if tip and tip not in entry.tips:
            entry.tips.append(tip)
    return list(entries.values())


@cache
def _codes_by_type() -> dict[str, frozenset[str]]:
    table = json.loads(_CODES.read_text("utf-8"))
    return {name: frozenset(codes) for name, codes in table.items()}


def _elements(wanted: frozenset[str] | None) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the metadata elements, each with its rules for location data."""
    for element, rules in groupby(sorted(RULES, key=_ELEMENT), _ELEMENT):
        codes = [rule.code for rule in rules]
        if wanted is None or wanted.issuperset(codes):
            texts = ((code, describe_problem(code, PROBLEM)) for code in codes)
            yield tk._(element), _entries((code, f"{t.wanted} {t.tip}", "") for code, t in texts)
