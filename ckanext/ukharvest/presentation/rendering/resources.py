"""Group a dataset's resources for its page: data, services, documentation; years of data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.values import link_protocols
from ckanext.ukharvest.core.values.stars import NOT_DATA

Resource = Mapping[str, Any]

DATA, SERVICES, DOCUMENTATION = "data", "services", "documentation"
HEADINGS = {DATA: "Data", SERVICES: "Services", DOCUMENTATION: "Documentation"}

_SERVICE = ("service", "api")
# DD/MM/YYYY, as data.gov.uk had publishers write it, and ISO 8601.
_DAY_FIRST = re.compile(r"(?:(?:(\d{1,2})/)?(\d{1,2})/)?(\d{4})", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)", re.ASCII)
_LEAST = 2  # dated resources that make a time series


@dataclass(frozen=True, slots=True)
class Year:
    """The resources of one year, newest first."""

    year: int
    resources: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Resources of one kind.

    Attributes:
        kind: DATA, SERVICES or DOCUMENTATION.
        resources: those without a year, in the dataset's order.
        years: newest first; () if there is no time series.
    """

    kind: str
    resources: tuple[Resource, ...]
    years: tuple[Year, ...] = ()

    @property
    def heading(self) -> str:
        """English, to be translated."""
        return HEADINGS[self.kind]

    @property
    def count(self) -> int:
        return len(self.resources) + sum(len(year.resources) for year in self.years)


def groups(resources: Iterable[Resource]) -> list[Group]:
    """Return the groups that have any resources, in the order of the page."""
    kinds: dict[str, list[Resource]] = {kind: [] for kind in HEADINGS}
    for resource in resources:
        kinds[_kind(resource)].append(resource)
    return [
        _by_year(members) if kind == DATA else Group(kind, tuple(members))
        for kind, members in kinds.items()
        if members
    ]


def _kind(resource: Resource) -> str:
    word = str(resource.get("resource_type") or "").strip().lower()
    is_of_a_service = not word and str(resource.get("format") or "") in link_protocols.SERVICES
    if word in _SERVICE or is_of_a_service:
        return SERVICES
    return DOCUMENTATION if word in NOT_DATA else DATA


def _by_year(resources: Sequence[Resource]) -> Group:
    dated = [(when, resource) for resource in resources if (when := _date(resource))]
    if len(dated) < _LEAST:
        return Group(DATA, tuple(resources))
    dated.sort(key=lambda pair: pair[0], reverse=True)
    years = [
        Year(year, tuple(resource for when, resource in dated if when[0] == year))
        for year in dict.fromkeys(when[0] for when, _ in dated)
    ]
    undated = tuple(resource for resource in resources if not _date(resource))
    return Group(DATA, undated, tuple(years))


def _date(resource: Resource) -> tuple[int, int, int] | None:
    """Return year, month and day of a resource's data; 0 for unknown parts."""
    text = str(resource.get("date") or "").strip()
    if match := _DAY_FIRST.fullmatch(text):
        day, month, year = match.groups()
    elif match := _YEAR_FIRST.match(text):
        year, month, day = match.groups()
    else:
        return None
    return int(year), int(month or 0), int(day or 0)
