"""Severity, title, tip and weight of each problem and error code: problems.csv and weights.csv.

A title names the defect in six words at most, as the heading of all records that have it. A tip is
advice for the publisher: one sentence with an example that says what to change, as messages say
what was found and where. The severity is the usual one: for a single case see ``severity_of``.
tests/docs checks that every code of the readers, parsers and stages has a row, and that every row
has a code.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ckanext.ukharvest.core.values.text import StrEnum
from ckanext.ukharvest.core.values.text import marked as _


class Severity(StrEnum):
    """From the worst to the least; also the order of groups on a page."""

    STOP = "stop"  # the run stops: nothing is imported, nothing is deleted
    LOST = "lost"  # the record is not imported; its dataset on the portal stays
    PROBLEM = "problem"  # imported, but something is missing or left out
    NOTE = "note"  # nothing is missing: the value was understood, or left out on purpose


# Numbers of entries in the name of a problem's field: "distribution[2].mediaType".
ENTRY_NUMBERS = re.compile(r"\[[0-9]+\]")

STOP, LOST, PROBLEM, NOTE = SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class ProblemText:
    """What people read about one code; English, for ``_()``.

    Attributes:
        severity: one of ``SEVERITIES``.
        tip: what to change; "" if unknown.
    """

    title: str
    severity: str
    tip: str = ""


with Path(__file__).with_name("problems.csv").open(encoding="utf-8", newline="") as _file:
    PROBLEM_TEXTS: Mapping[str, ProblemText] = {
        row["code"]: ProblemText(row["title"], row["severity"], row["tip"])
        for row in csv.DictReader(_file)
    }

# Of a problem that weights.csv does not name, by severity. 0: never among what to fix first.
_WEIGHTS = {STOP: 1000, LOST: 20, PROBLEM: 2, NOTE: 0}
with Path(__file__).with_name("weights.csv").open(encoding="utf-8", newline="") as _file:
    _WEIGHT_OF_CODE: Mapping[str, int] = {
        row["code"]: int(row["weight"]) for row in csv.DictReader(_file)
    }

OTHER = ProblemText(_("Other problem"), PROBLEM)


def find_text(code: str) -> ProblemText:
    """Return the text of a code, ``OTHER`` for an unknown code."""
    return PROBLEM_TEXTS.get(code, OTHER)


def weight_of(code: str, severity: str) -> int:
    """Return how much a problem harms a dataset in a case of this severity."""
    usual = _WEIGHTS[Severity(severity)]
    return _WEIGHT_OF_CODE.get(code, usual) if severity == PROBLEM else usual


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return the severity of a problem in one case.

    Args:
        consequence: the effect on the run or the record: "stop", "lost", or "problem" if it was
            imported; then the code tells whether anything is missing.
    """
    if consequence != PROBLEM:
        return consequence
    return NOTE if find_text(code).severity == NOTE else PROBLEM
