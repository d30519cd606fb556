"""Values for the form of a source, from the first records that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.values.text import one_line, shorten
from ckanext.ukharvest.reading.preview_result import Proposal

LONGEST = 200  # characters of a value


@dataclass
class CommonValues:
    """Counts the publishers, contacts and licences of records."""

    records: int = 0
    _values: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count a record's values.

        Args:
            entry: the record as ``records.as_entry`` returns it.
        """
        self.records += 1
        licence = entry.get("licence") or {}
        named = licence.get("title") or licence.get("id") or licence.get("url")
        for name, value in (
            ("publisher", _agent(entry.get("publisher"))),
            ("contact", _contact(entry.get("contact"))),
            ("licence", named),
        ):
            if text := shorten(one_line(str(value or "")), LONGEST):
                self._values.setdefault(name, Counter())[text] += 1

    def proposals(self) -> dict[str, Proposal]:
        """Return field → the value that most records have, if at least half of them have it."""
        found: dict[str, Proposal] = {}
        for name, counter in self._values.items():
            value, number = counter.most_common(1)[0]
            if number * 2 >= self.records:
                found[name] = {"value": value, "records": number, "of": self.records}
        return found


def _agent(agent: Mapping[str, Any] | None) -> str:
    return str((agent or {}).get("name") or "")


def _contact(agent: Mapping[str, Any] | None) -> str:
    agent = agent or {}
    return ", ".join(str(agent[key]) for key in ("name", "email") if agent.get(key))
