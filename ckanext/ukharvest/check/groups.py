"""The problems that a trial met, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ckanext.ukharvest.core.problem_words import NOTE, PROBLEM, SEVERITIES
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.parsers.severity import severity_of

EXAMPLES = 3  # records that are named for each kind of problem
MOST = 30  # kinds
LONGEST = 300  # characters of a message

Problem = Mapping[str, Any]


@dataclass
class _Group:
    severity: str
    records: int = 0
    occurrences: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)


class Groups:
    """Problems by code, as they are met."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def note(
        self, found: Iterable[Problem], record: Mapping[str, Any], consequence: str = PROBLEM
    ) -> None:
        """Take the problems of a record; those of the source as a whole have an empty one."""
        codes: set[str] = set()
        for each in found:
            severity = severity_of(each["code"], consequence=consequence)
            group = self._groups.setdefault(each["code"], _Group(severity))
            group.severity = min(group.severity, severity, key=SEVERITIES.index)
            group.occurrences += 1
            if each["code"] not in codes and len(group.examples) < EXAMPLES:
                group.examples.append(
                    {
                        "title": shorten(record["title"], 200),
                        "guid": record["guid"],
                        "message": shorten(each["message"], LONGEST),
                        "line": each.get("line"),
                    }
                )
            group.records += each["code"] not in codes
            codes.add(each["code"])

    @property
    def has_any_to_mend(self) -> bool:
        """There is more than notes."""
        return any(each.severity != NOTE for each in self._groups.values())

    def told(self) -> Iterator[dict[str, Any]]:
        """Return the worst and most frequent ones, for the result."""
        ordered = sorted(
            self._groups.items(),
            key=lambda item: (SEVERITIES.index(item[1].severity), -item[1].records),
        )
        for code, group in ordered[:MOST]:
            yield {"code": code, **asdict(group)}
