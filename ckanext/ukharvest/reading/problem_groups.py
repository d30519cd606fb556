"""Group the problems that a preview finds by code and field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.problems.texts import (
    ENTRY_NUMBERS,
    NOTE,
    PROBLEM,
    SEVERITIES,
)
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import severity_of
from ckanext.ukharvest.reading.preview_result import ProblemExample, ProblemGroup

EXAMPLES = 3  # records per group
MOST = 60  # groups in the result
LONGEST = 300  # characters of a message

Problem = Mapping[str, Any]


@dataclass
class _Group:
    severity: str
    records: int = 0
    occurrences: int = 0
    examples: list[ProblemExample] = field(default_factory=list)


class ProblemGroups:
    """Problems grouped by code and field; call ``add`` for each record, then ``results``."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], _Group] = {}

    def add(
        self, found: Iterable[Problem], record: Mapping[str, Any], consequence: str = PROBLEM
    ) -> None:
        """Add the problems of a record; for those of the source as a whole the record is empty.

        Args:
            record: its "title" and "guid".
            consequence: LOST if the problem is why the record failed.
        """
        seen: set[tuple[str, str]] = set()
        for each in found:
            severity = severity_of(each["code"], consequence=consequence)
            kind = (each["code"], ENTRY_NUMBERS.sub("", each.get("field", "")))
            group = self._groups.setdefault(kind, _Group(severity))
            group.severity = min(group.severity, severity, key=SEVERITIES.index)
            group.occurrences += 1
            if kind not in seen and len(group.examples) < EXAMPLES:
                group.examples.append(
                    {
                        "title": shorten(record["title"], 200),
                        "guid": record["guid"],
                        "message": shorten(each["message"], LONGEST),
                        "line": each.get("line"),
                    }
                )
            group.records += kind not in seen
            seen.add(kind)

    @property
    def has_problems(self) -> bool:
        """Tell whether any group is more severe than a note."""
        return any(each.severity != NOTE for each in self._groups.values())

    def results(self) -> Iterator[ProblemGroup]:
        """Yield the worst and most frequent groups, for the result."""
        ordered = sorted(
            self._groups.items(),
            key=lambda item: (SEVERITIES.index(item[1].severity), -item[1].records),
        )
        for (code, name), group in ordered[:MOST]:
            yield {
                "code": code,
                "field": name,
                "severity": group.severity,
                "records": group.records,
                "occurrences": group.occurrences,
                "examples": group.examples,
            }
