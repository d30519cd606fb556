"""The rows of a dataset's additional information: labels, values, and their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.presentation.rendering import dates as days
from ckanext.ukharvest.presentation.rendering import (
    facts,
    field_labels,
    inspire,
    translations,
    values,
)
from ckanext.ukharvest.presentation.rendering.portal_values import Portal

# The unit by its register's name, as GEMINI requires it: 9001 is the metre.
_METRE = ("urn:ogc:def:uom:EPSG::9001", "EPSG::9001")
_ORDER = {key: number for number, key in enumerate(field_labels.LABELS)}
_YES_NO = {"True": "yes", "False": "no"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        key: of the extra, or one of ``field_labels``' own.
        is_given: the source gives it; otherwise the value says that it does not.
    """

    key: str
    label: str
    value: Markup
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a dataset: those with a label, and others labelled by their keys."""

    known: tuple[Row, ...]
    others: tuple[Row, ...]

    @property
    def main(self) -> tuple[Row, ...]:
        """The rows that most people look for."""
        return tuple(row for row in self.known if row.key in field_labels.MAIN)

    @property
    def more(self) -> tuple[Row, ...]:
        """All other rows."""
        return (*(row for row in self.known if row.key not in field_labels.MAIN), *self.others)


def is_location_data(given: Mapping[str, str]) -> bool:
    """Tell whether a dataset's facts mark it as UK Location or INSPIRE data."""
    says = any(is_yes(given.get(key, "")) for key in ("UKLP", "INSPIRE"))
    return says and given.get("resource-type", "").lower() != "nongeographicdataset"


def rows(
    given: Mapping[str, str],
    portal: Portal,
    said: Mapping[str, Markup] | None = None,
    *,
    is_harvested: bool = True,
) -> Rows:
    """Return the rows in the order of ``field_labels.LABELS``, without blank ones.

    For harvested location data, rows that INSPIRE requires say if they are not given.

    Args:
        given: a dataset's extras, all that may be shown.
        said: values that are markup already, for some of the keys or for ``field_labels``' own.
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
    known = tuple(row for row in shown if row.key in field_labels.LABELS)
    return Rows(known, tuple(row for row in shown if row.key not in field_labels.LABELS))


def _place(key: str) -> tuple[int, str]:
    return _ORDER.get(key, len(_ORDER)), key


def _label(key: str, portal: Portal) -> str:
    label = field_labels.LABELS.get(key)
    return portal.translate(label) if label else facts.label_for_key(key)


def _combined(given: Mapping[str, str], portal: Portal) -> dict[str, str]:
    """Return the facts, some of them combined, without technical ones."""
    found = {key: text for key, text in given.items() if key not in field_labels.HIDDEN and text}
    # A schema of the portal's own may have a list.
    start, end = (
        facts.render_extra(found.get(f"temporal_coverage-{end}", "")).striptags()
        for end in ("from", "to")
    )
    if period := days.format_period(start, end, portal):
        found[field_labels.PERIOD] = period
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
    if key in translations.KEYS:
        return translations.render_translations(text, portal)
    if key in values.KEYS:
        return values.render_value(key, text, portal)
    if key == field_labels.PERIOD:
        return escape(text)
    return facts.render_extra(portal.translate(_YES_NO[text]) if text in _YES_NO else text)


def _is_said_better(key: str, values_of: Mapping[str, Markup]) -> bool:
    return bool(values_of.get(field_labels.SAID_BETTER.get(key, "")))


def _with_missing(shown: list[Row], given: Mapping[str, str], portal: Portal) -> list[Row]:
    wanted = list(field_labels.OF_LOCATION)
    if given.get("resource-type") == "service":
        wanted.append(field_labels.OF_LOCATION_SERVICE)
    present = {row.key for row in shown}
    missing = [
        Row(
            key,
            _label(key, portal),
            escape(portal.translate(field_labels.NOT_GIVEN)),
            is_given=False,
        )
        for key in wanted
        if key not in present
        and field_labels.SAID_BETTER.get(key) not in present
        and not (key == "spatial" and given.get(key))  # the page's map shows it
    ]
    return sorted([*shown, *missing], key=lambda row: _place(row.key))
