"""The rows of a dataset's additional information: labels, values, and their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from ckanext.ukharvest.core.listed import is_yes
from ckanext.ukharvest.shown import days, facts, inspire, labels, values
from ckanext.ukharvest.shown.portal import Portal

# The unit by its register's name, as GEMINI wants it: 9001 is the metre.
_METRE = ("urn:ogc:def:uom:EPSG::9001", "EPSG::9001")
_ORDER = {key: number for number, key in enumerate(labels.LABELS)}
_YES_NO = {"True": "yes", "False": "no"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        key: of the extra, or one of ``labels``' own.
        is_given: the source says it; else the value says that it does not.
    """

    key: str
    label: str
    value: Markup
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """All lines of a dataset: those that have a label, and others by their keys' words."""

    known: tuple[Row, ...]
    others: tuple[Row, ...]


def is_location_data(given: Mapping[str, str]) -> bool:
    """Tell whether a dataset's facts say that it is of UK Location or INSPIRE."""
    says = any(is_yes(given.get(key, "")) for key in ("UKLP", "INSPIRE"))
    return says and given.get("resource-type", "").lower() != "nongeographicdataset"


def rows(
    given: Mapping[str, str],
    portal: Portal,
    said: Mapping[str, Markup] | None = None,
    *,
    is_harvested: bool = True,
) -> Rows:
    """Return the lines in the order of ``labels.LABELS``; blank ones are left out.

    Of location data that was harvested a line that INSPIRE wants says so where it is not given.

    Args:
        given: a dataset's extras, all that may be shown.
        said: values that are markup already, for some of the keys or for ``labels``' own.
    """
    found = _combined(given, portal)
    values_of = {key: _value(key, found, portal) for key in found if key not in (said or {})}
    values_of.update(said or {})
    # The same in ISO's code and as an interval.
    if values_of.get("update_frequency") == values_of.get("frequency-of-update"):
        values_of.pop("update_frequency", None)
    shown = [
        Row(key, _label(key, portal), value)
        for key in sorted(values_of, key=_place)
        if (value := values_of[key]) and not _is_said_better(key, values_of)
    ]
    if is_harvested and is_location_data(given):
        shown = _with_missing(shown, given, portal)
    known = tuple(row for row in shown if row.key in labels.LABELS)
    return Rows(known, tuple(row for row in shown if row.key not in labels.LABELS))


def _place(key: str) -> tuple[int, str]:
    return _ORDER.get(key, len(_ORDER)), key


def _label(key: str, portal: Portal) -> str:
    label = labels.LABELS.get(key)
    return portal.translate(label) if label else facts.words_of(key)


def _combined(given: Mapping[str, str], portal: Portal) -> dict[str, str]:
    """The facts, with those of several put together, less what programs alone understand."""
    found = {key: text for key, text in given.items() if key not in labels.HIDDEN and text}
    # A schema of the portal's own may have a list.
    start, end = (
        facts.shown(found.get(f"temporal_coverage-{end}", "")).striptags() for end in ("from", "to")
    )
    if period := days.period(start, end, portal):
        found[labels.PERIOD] = period
    if number := found.get("spatial-resolution"):
        unit = given.get("spatial-resolution-units", "")
        found["spatial-resolution"] = f"{number} {'m' if unit in _METRE else unit}".strip()
    if found.get("harvest_source_reference") == given.get("guid"):
        found.pop("harvest_source_reference", None)
    return found


def _value(key: str, found: Mapping[str, str], portal: Portal) -> Markup:
    text = found[key]
    if key in inspire.KEYS:
        return inspire.value(key, found, portal)
    if key in values.KEYS:
        return values.shown(key, text, portal)
    if key == labels.PERIOD:
        return escape(text)
    return facts.shown(portal.translate(_YES_NO[text]) if text in _YES_NO else text)


def _is_said_better(key: str, values_of: Mapping[str, Markup]) -> bool:
    return bool(values_of.get(labels.SAID_BETTER.get(key, "")))


def _with_missing(shown: list[Row], given: Mapping[str, str], portal: Portal) -> list[Row]:
    wanted = list(labels.OF_LOCATION)
    if given.get("resource-type") == "service":
        wanted.append(labels.OF_LOCATION_SERVICE)
    present = {row.key for row in shown}
    missing = [
        Row(key, _label(key, portal), escape(portal.translate(labels.NOT_GIVEN)), is_given=False)
        for key in wanted
        if key not in present and labels.SAID_BETTER.get(key) not in present
    ]
    return sorted([*shown, *missing], key=lambda row: _place(row.key))
