"""The values that a source's records have, to choose filters from and to fill in its form.

For filters the server's own numbers come first, since they cover all records and its filters cost
least. Other fields are counted in the records that a preview reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core import record_filter
from ckanext.ukharvest.core.record_filter import FilterField, FilterFields, FilterValue, with_values
from ckanext.ukharvest.core.values.text import one_line, shorten
from ckanext.ukharvest.reading.preview_result import HeldField, Proposal

LONGEST = 200  # characters of a proposed value


class HeldValues:
    """Counts the values of records."""

    def __init__(self) -> None:
        self.records = 0
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in record_filter.FIELDS}

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count a record's values.

        Args:
            entry: the record as ``records.as_entry`` returns it, also one that filters leave out.
        """
        self.records += 1
        for name, counts in self._counts.items():
            counts.update(record_filter.values_of(entry, name))

    def fields(self, server: FilterFields, options: Mapping[str, Any]) -> list[HeldField]:
        """Return the fields with at least two values, or with one that not all records have.

        Args:
            server: those that the server counts; records are not counted for them again.
            options: the source's; a value that they name is kept, though no record has it now.
        """
        known = {one.name for one in server.fields}
        counted = [self._field(name) for name in self._counts if name not in known]
        fields = [(one, server.total) for one in server.fields]
        fields += [(one, self.records) for one in counted]
        return [
            _held(field, of, options)
            for field, of in fields
            if _distinguishes(field, of)
            or any(_named(field, option, options) for option in (field.include, field.exclude))
        ]

    def _field(self, name: str) -> FilterField:
        values = [FilterValue(value, number) for value, number in self._counts[name].items()]
        return with_values(record_filter.FILTER_FIELDS[name], values)


def _distinguishes(field: FilterField, of: int | None) -> bool:
    """Tell whether a filter by the field could leave anything out."""
    return len(field.values) > 1 or any(value.records != of for value in field.values)


def _named(field: FilterField, option: str, options: Mapping[str, Any]) -> list[str]:
    """Return the field's values in an option."""
    ours = [text for text in options.get(option) or () if text.startswith(field.prefix)]
    return [text.removeprefix(field.prefix).strip() for text in ours]


def _held(field: FilterField, of: int | None, options: Mapping[str, Any]) -> HeldField:
    values = {value.value.casefold(): value for value in field.values}
    choices: dict[str, str] = {}
    for choice, option in (("only", field.include), ("without", field.exclude)):
        for text in _named(field, option, options):
            choices[text.casefold()] = choice
            values.setdefault(text.casefold(), FilterValue(text, 0))
    return {
        "name": field.name,
        "include": field.include,
        "exclude": field.exclude,
        "prefix": field.prefix,
        "of": of,
        "values": [
            {
                "value": value.value,
                "title": value.title,
                "records": value.records,
                "choice": choices.get(key, ""),
            }
            for key, value in values.items()
        ],
    }


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
            ("publisher", (entry.get("publisher") or {}).get("name")),
            ("contact", _contact(entry.get("contact"))),
            ("licence", named),
        ):
            if text := shorten(one_line(str(value or "")), LONGEST):
                self._values.setdefault(name, Counter())[text] += 1

    def proposals(self) -> dict[str, Proposal]:
        """Return field → the value that most records have, if at least half of them have it."""
        proposals: dict[str, Proposal] = {}
        for name, counter in self._values.items():
            value, number = counter.most_common(1)[0]
            if number * 2 >= self.records:
                proposals[name] = {"value": value, "records": number, "of": self.records}
        return proposals


def _contact(agent: Mapping[str, Any] | None) -> str:
    agent = agent or {}
    return ", ".join(str(agent[key]) for key in ("name", "email") if agent.get(key))
