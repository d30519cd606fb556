"""Page: what the words mean, which type a source is, what each problem is and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.core.problem_words import PROBLEM, SEVERITIES, WORDS
from ckanext.ukharvest.parsers.gemini_rules import RULES
from ckanext.ukharvest.stars import words as star_words
from ckanext.ukharvest.words import help_words, source_words
from ckanext.ukharvest.words.problems import Shown, shown

help_page = Blueprint("ukharvest_help", __name__)


class Status(NamedTuple):
    """A value of a status, and what it means."""

    kind: str
    value: str
    meaning: str


class Problem(NamedTuple):
    """A kind of problem; ``code`` makes its anchor."""

    code: str
    words: Shown


@help_page.route("/harvest/help")
def read() -> str:
    """Show it, to everybody."""
    return str(
        tk.render(
            "ukharvest/help.html",
            {
                "terms": [(tk._(term), tk._(meaning)) for term, meaning in help_words.TERMS],
                "statuses": list(_statuses()),
                "types": list(_types()),
                "captions": [star_words.caption(stars) for stars in range(6)],
                "problems": list(_problems()),
                "elements": list(_elements()),
            },
        )
    )


def _statuses() -> Iterator[tuple[str, list[Status]]]:
    tables: Iterable[tuple[str, str, Mapping[str, str]]] = (
        (tk._("Is a source all right?"), "health", help_words.HEALTHS),
        (tk._("What a source is doing"), "state", help_words.STATES),
        (tk._("How a run ended"), "outcome", help_words.OUTCOMES),
        (tk._("What became of a record"), "record", help_words.RECORDS),
    )
    for title, kind, meanings in tables:
        yield title, [Status(kind, value, tk._(text)) for value, text in meanings.items()]


def _types() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Groups of types, each a label, a line and an example of an address."""
    for key, title in source_words.GROUPS.items():
        found = [
            (tk._(kind.label), tk._(kind.line), kind.example)
            for kind in source_words.KINDS.values()
            if kind.group == key
        ]
        if found:
            yield tk._(title), found


def _problems() -> Iterator[tuple[str, str, list[Problem]]]:
    """Problems by severity: its key, what it means, and the codes by title."""
    for severity, codes in _codes().items():
        found = [Problem(code, shown(code, severity)) for code in codes]
        meaning = found[0].words.meaning if found else ""
        yield severity, meaning, sorted(found, key=lambda each: each.words.title)


@cache
def _codes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
    for code, words in WORDS.items():
        found[words.severity].append(code)
    return found


def _elements() -> Iterator[tuple[str, list[Problem]]]:
    """The rules for location data, by the element that they are about."""
    for element, codes in _codes_of_elements():
        yield tk._(element), [Problem(code, shown(code, PROBLEM)) for code in codes]


@cache
def _codes_of_elements() -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for rule in RULES:
        found.setdefault(rule.element, []).append(rule.code)
    return sorted(found.items())
