"""Texts of the help page: the terms used on the harvest pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.outcomes import RunOutcome
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
        _("Start a run now (“Refresh source” on data.gov.uk). Unchanged records are skipped."),
    ),
    (
        _("Run again in full"),
        _(
            "Start a run that imports every record again, even unchanged ones. Edits to fields "
            "that the source supplies are overwritten."
        ),
    ),
    (_("Test"), _("Read the source and show what a run would do, without changing anything.")),
    (
        _("Identifier"),
        _(
            "What identifies a record from one run to the next. On a dataset's page it is "
            "the Harvest GUID."
        ),
    ),
)

# By the keys of lib/texts.py.
HEALTHS: dict[str, str] = {
    Health.HEALTHY: _("The last run ended without errors."),
    Health.NEW: _("No run has ended yet."),
    Health.EMPTY: _("The run ended, and the source listed no records. Nothing was deleted."),
    Health.SHRUNK: _(
        "Many records are missing. They are deleted only if an administrator confirms it."
    ),
    Health.ERRORS: _("The run ended, and some records could not be imported."),
    Health.HICCUP: _(
        "The last run failed in a way that often resolves itself. It will be tried again."
    ),
    Health.LATE: _("The source should have run by now."),
    Health.FAILING: _("Runs are failing and need attention."),
    Health.HELD: _(
        "Unusually many records are missing, or they seem to have new identifiers. Nothing is "
        "deleted until an administrator decides."
    ),
    Health.OFF: _("The source is not harvested. Its datasets are kept as they are."),
}
OUTCOMES: dict[str, str] = {
    RunOutcome.FINISHED: _("The run ended without errors, and some records were new or changed."),
    RunOutcome.UNCHANGED: _("The run found nothing new or changed."),
    RunOutcome.ERRORS: HEALTHS[Health.ERRORS],
    RunOutcome.EMPTY: HEALTHS[Health.EMPTY],
    RunOutcome.SHRUNK: HEALTHS[Health.SHRUNK],
    RunOutcome.HELD: HEALTHS[Health.HELD],
    RunOutcome.DECIDED: _("Deletions or new identifiers waited, and an administrator decided."),
    RunOutcome.SETTLED: _("Deletions or new identifiers waited, until a later run settled it."),
    RunOutcome.FAILED: _("The run failed. Nothing was deleted."),
    RunOutcome.STOPPED: _("The run was stopped. Records imported before that are kept."),
}
RECORDS = {
    "added": _("A new dataset was created."),
    "updated": _("Its dataset was updated."),
    "unchanged": _("It has not changed since the last run."),
    "deleted": _("It is no longer in the source, and its dataset was deleted."),
    "missing": _(
        "It was missing from the last run. Its dataset will be deleted if it stays missing."
    ),
    "held": _("It is no longer in the source. Its dataset waits for a decision."),
    "kept": _("It is no longer in the source, and an administrator decided to keep its dataset."),
    "lost": _("The record could not be imported."),
    "skipped": _(
        "The source's settings skip it, or its dataset was deleted here by hand, or is here "
        "already: it came back from another portal, or by way of two."
    ),
    "waiting": _("It has not been imported yet in this run."),
}

# Written by bin/docs from the code of each type: type → codes.
_CODES = Path(__file__).with_name("codes_by_type.json")

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
                "terms": [(tk._(term), tk._(meaning)) for term, meaning in TERMS],
                "statuses": list(_statuses()),
                "types": list(_types()),
                "problems": list(_problems(wanted)),
                "elements": list(_elements(wanted)),
                "chosen": chosen if wanted else "",
                "kinds": [(kind.name, tk._(kind.title)) for kind in kinds],
            },
        )
    )


def _statuses() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield tables of statuses: title, kind, and values with their meanings."""
    tables: Iterable[tuple[str, str, Mapping[str, str]]] = (
        (tk._("Status of a source"), "health", HEALTHS),
        (tk._("Results of a run"), "outcome", OUTCOMES),
        (tk._("Outcomes of a record"), "record", RECORDS),
    )
    for title, kind, meanings in tables:
        yield title, kind, [(value, tk._(text)) for value, text in meanings.items()]


def _types() -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Yield groups of types: title and [(label, line, example of a URL, own page), …]."""
    for title, kinds in groups(source_types.in_form_order()):
        texts = [(tk._(k.title), tk._(k.line), k.url_example, k.docs_url) for k in kinds]
        yield title, texts


def _problems(wanted: frozenset[str] | None) -> Iterator[tuple[str, str, list[Entry]]]:
    """Yield severities: key, meaning, and problems sorted by title; ``wanted``: None for all."""
    for severity, codes in _codes().items():
        texts = [
            (code, describe_problem(code, severity))
            for code in codes
            if wanted is None or code in wanted
        ]
        if texts:
            entries = _entries((code, words.title, words.tip) for code, words in texts)
            yield severity, texts[0][1].meaning, sorted(entries)


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


@cache
def _codes() -> dict[str, list[str]]:
    return {
        severity: [code for code, words in PROBLEM_TEXTS.items() if words.severity == severity]
        for severity in SEVERITIES
    }


def _elements(wanted: frozenset[str] | None) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the rules for location data by metadata element."""
    for element, codes in _codes_of_elements():
        if wanted is None or wanted.issuperset(codes):
            texts = ((code, describe_problem(code, PROBLEM)) for code in codes)
            yield tk._(element), _entries((code, f"{t.wanted} {t.tip}", "") for code, t in texts)


@cache
def _codes_of_elements() -> list[tuple[str, list[str]]]:
    codes: dict[str, list[str]] = {}
    for rule in RULES:
        codes.setdefault(rule.element, []).append(rule.code)
    return sorted(codes.items())
