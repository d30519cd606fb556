"""Values that the records of a source have, for filters to be chosen from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ckanext.ukharvest.core.records import Source

MOST_VALUES = 200  # of a field; those of the most records are kept
LONGEST_VALUE = 200  # characters; longer texts are descriptions, nothing to choose by


@dataclass(frozen=True, slots=True)
class FilterValue:
    """One value that records have.

    Attributes:
        value: as options state it.
        records: number of records that have it, None if it is not known.
        title: its name for people, "" if that is the value itself.
    """

    value: str
    records: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field by which records can be selected.

    Attributes:
        name: one of ``record_filter.FIELDS``, or the server's own name.
        values: those of most records first.
        include, exclude: options that list wanted and unwanted values; "" if there is none.
        prefix: stands before each value in those options.
    """

    name: str
    values: tuple[FilterValue, ...]
    include: str = ""
    exclude: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class FilterFields:
    """The fields that a server counts, and the number of its records without any filter."""

    fields: tuple[FilterField, ...] = ()
    total: int | None = None


# Asks a source's server; never for more than a few small answers.
AskForFields = Callable[[Source], FilterFields]


def field_of(
    name: str,
    values: list[FilterValue],
    *,
    include: str = "",
    exclude: str = "",
    prefix: str = "",
) -> FilterField:
    """Return a field with its values sorted and limited."""
    fit = [each for each in values if each.value and len(each.value) <= LONGEST_VALUE]
    fit.sort(key=lambda each: (-(each.records or 0), (each.title or each.value).casefold()))
    return FilterField(name, tuple(fit[:MOST_VALUES]), include, exclude, prefix)
