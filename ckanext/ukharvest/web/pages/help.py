"""Page: help with terms, source types, and problems and how to fix them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ckan.plugins.toolkit as tk
from flask import Blueprint

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.problems.texts import PROBLEM, PROBLEM_TEXTS, SEVERITIES
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.presentation.messages import help_texts
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.presentation.rendering.problem_texts import ProblemTexts
from ckanext.ukharvest.stars import texts as star_words
from ckanext.ukharvest.web.pages.form_parts import groups

# Written by bin/docs from the code of each type: type → codes.
_CODES = Path(help_texts.__file__).with_name("codes_by_type.json")

help_page = Blueprint("ukharvest_help", __name__)


class Problem(NamedTuple):
    """A kind of problem; ``code`` is the anchor on the page."""

    code: str
    words: ProblemTexts


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
                "terms": [(tk._(term), tk._(meaning)) for term, meaning in help_texts.TERMS],
                "statuses": list(_statuses()),
                "types": list(_types()),
                "captions": [star_words.caption(stars) for stars in range(6)],
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
        (tk._("Status of a source"), "health", help_texts.HEALTHS),
        (tk._("States of a run"), "state", help_texts.STATES),
        (tk._("Results of a run"), "outcome", help_texts.OUTCOMES),
        (tk._("Outcomes of a record"), "record", help_texts.RECORDS),
    )
    for title, kind, meanings in tables:
        yield title, kind, [(value, tk._(text)) for value, text in meanings.items()]


def _types() -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Yield groups of types: title and [(label, line, example of a URL, own page), …]."""
    for title, kinds in groups(source_types.in_form_order()):
        texts = [(tk._(k.title), tk._(k.line), k.url_example, k.docs_url) for k in kinds]
        yield title, texts


def _problems(wanted: frozenset[str] | None) -> Iterator[tuple[str, str, list[Problem]]]:
    """Yield severities: key, meaning, and problems sorted by title; ``wanted``: None for all."""
    for severity, codes in _codes().items():
        problems = [
            Problem(code, describe_problem(code, severity))
            for code in codes
            if wanted is None or code in wanted
        ]
        if problems:
            by_title = sorted(problems, key=lambda problem: problem.words.title)
            yield severity, problems[0].words.meaning, by_title


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


def _elements(wanted: frozenset[str] | None) -> Iterator[tuple[str, list[Problem]]]:
    """Yield the rules for location data by metadata element."""
    for element, codes in _codes_of_elements():
        if wanted is None or wanted.issuperset(codes):
            yield tk._(element), [Problem(code, describe_problem(code, PROBLEM)) for code in codes]


@cache
def _codes_of_elements() -> list[tuple[str, list[str]]]:
    codes: dict[str, list[str]] = {}
    for rule in RULES:
        codes.setdefault(rule.element, []).append(rule.code)
    return sorted(codes.items())
