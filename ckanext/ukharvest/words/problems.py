"""What a kind of problem is called on pages, what it means and what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core import problem_words
from ckanext.ukharvest.core.problem_words import LOST, NOTE, PROBLEM, STOP
from ckanext.ukharvest.core.problems import TIPS
from ckanext.ukharvest.core.text import marked as _
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.parsers.gemini_rules import BY_CODE, RULES
from ckanext.ukharvest.parsers.gemini_rules.rule import Rule
from ckanext.ukharvest.parsers.severity import severity_of

MEANINGS = {
    STOP: _("The run stopped: nothing was brought in, and nothing was deleted."),
    LOST: _("The record was not brought in; a dataset that is here already stays as it was."),
    PROBLEM: _("The record was brought in, and something in it is missing or left out."),
    NOTE: _("The record was brought in; this is for information."),
}

# What is wrong with an element, by the last words of the code of its rule.
_DEFECTS = {
    "begin-form": _("{element}: begin not usable"),
    "begin-text": _("{element}: begin missing or twice"),
    "end-form": _("{element}: end not usable"),
    "end-text": _("{element}: end missing or twice"),
    "data-needed": _("{element} with Regulation 1089/2010: missing"),
    "sv-needed": _("{element} with Regulation 976/2009: missing"),
    "1089-pass": _("{element} with Regulation 1089/2010: no result"),
    "976-pass": _("{element} with Regulation 976/2009: no result"),
    "obligation": _("{element}: no obligation"),
    "occurrence": _("{element}: no maximum"),
    "domain": _("{element}: no domain"),
    "needed": _("{element}: missing"),
    "nil": _("{element}: left empty"),
    "value": _("{element}: without a value"),
    "one": _("{element}: not exactly once"),
    "list": _("{element}: not in the list"),
    "role": _("{element}: without the role"),
    "party": _("{element}: incomplete"),
    "uom": _("{element}: unit missing or wrong"),
}
_DEFECT = _("{element}: missing or wrong")
_LONGEST = 60  # characters of what the standard wants, in a title


@dataclass(frozen=True, slots=True)
class Shown:
    """A kind of problem in the reader's language.

    Attributes:
        tip: what to do, "" where nobody knows.
        wanted: what the standard asks for, "" where none does; also part of ``meaning``.
    """

    title: str
    severity: str
    meaning: str
    tip: str
    wanted: str = ""


def shown(code: str, consequence: str) -> Shown:
    """Return the words of a code.

    Args:
        consequence: what became of the run or the record: "stop", "lost" or "problem".
    """
    severity = severity_of(code, consequence=consequence)
    meaning = tk._(MEANINGS[severity])
    rule = BY_CODE.get(code)
    if rule is None:
        tip = TIPS.get(code, "")
        title = tk._(problem_words.words_of(code).title)
        return Shown(title, severity, meaning, tip and tk._(tip))
    wanted = tk._("The standard asks for {wanted}.").format(wanted=tk._(rule.wanted))
    tip = tk._("Write it like this: {example}").format(example=rule.example) if rule.example else ""
    return Shown(_title(rule), severity, f"{meaning} {wanted}", tip, wanted)


def _title(rule: Rule) -> str:
    title = str(tk._(_defect(rule))).format(element=tk._(rule.element))
    if (rule.element, _defect(rule)) in _repeated():
        wanted = shorten(tk._(rule.wanted), _LONGEST)
        return str(tk._("{title} (expected: {wanted})")).format(title=title, wanted=wanted)
    return title


def _defect(rule: Rule) -> str:
    last = rule.code.split("-")[-2:]
    return _DEFECTS.get("-".join(last)) or _DEFECTS.get(last[-1], _DEFECT)


@cache
def _repeated() -> frozenset[tuple[str, str]]:
    """Elements and defects of more than one rule: their titles say what is wanted, too."""
    found = Counter((rule.element, _defect(rule)) for rule in RULES)
    return frozenset(key for key, number in found.items() if number > 1)
