"""A GEMINI record judged: by which rules, and what comes of it.

Without a setting of the source the record itself tells its edition of GEMINI, and our own table
of rules (``gemini_rules``) is asked. What is found becomes problems of the record, unless the
source is set to reject: then what the standard demands and the record lacks costs the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.parsers.gemini_entry import Entry
from ckanext.ukharvest.parsers.gemini_rules import RULES, edition, report
from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata

REPORT, REJECT, OFF = "report", "reject", "off"

OPTIONS = (
    Option(
        "validation",
        "text",
        REPORT,
        "What happens to a record that does not follow the standard: it comes in and its problems"
        " are shown (report), it is rejected and its earlier version stays (reject), or it is not"
        " asked (off).",
        choices=(REPORT, REJECT, OFF),
    ),
)


def check(entry: Entry, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return what a record does not follow, beside the problems that it has already.

    Raises:
        NotValid: the source rejects such records.
    """
    how = _option(entry.options, "validation", OFF)
    if how == OFF:
        return ()
    metadata = Metadata(entry.record, entry.guid)
    rules = edition.rules(RULES, metadata)
    broken = report.failing(rules, metadata)
    found = tuple(report.problem(*each) for each in report.news(broken, problems))
    errors = [report.problem(*each) for each in broken if each[0].is_error]
    if how == REJECT and errors:
        raise NotValid(_rejection(entry, errors), problems=(*problems, *found))
    return found


def _rejection(entry: Entry, errors: Sequence[Problem]) -> str:
    said = "; ".join(f"({number}) {each.message}" for number, each in enumerate(errors, 1))
    count = f"{len(errors)} thing{'s' if len(errors) > 1 else ''} that the standard demands"
    return f"dataset '{entry.guid}' is rejected for {count}: {said}"


def _option(options: Mapping[str, Any], name: str, default: Any) -> Any:
    """A parser may be called without options, which then asks for nothing beyond reading."""
    return options.get(name, default)
