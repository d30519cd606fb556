"""Time and place of a dataset: dates, frequency, period, area."""

from __future__ import annotations

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.geometries import Geometry
from ckanext.ukharvest.core.values.periods import join_periods
from ckanext.ukharvest.core.values.places import parse_box
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.data_json import shared_fields
from ckanext.ukharvest.parsers.json_fields import Fields, value_text
from ckanext.ukharvest.parsers.ods.dataset import (
    DCAT,
    DEFAULT,
    INSPIRE,
    Dataset,
    dcat_row,
    default_row,
    names,
)


def _frequency(dataset: Dataset) -> FieldValues:
    for fields, key in (
        (dataset.dcat, "accrualperiodicity"),
        (dataset.default, "update_frequency"),
    ):
        if fields.has(key):
            frequency, unread = read_frequency(value_text(fields.get(key)), fields.reporter(key))
            return {"frequency": frequency, "extras": unread}
    return {}


def _temporal(fields: Fields, names: table.Names) -> table.Several:
    start, end, period = names
    periods = fields.ends(start, end)
    if not periods.whole:
        periods = join_periods((periods, fields.periods(period)))
    return table.Several(temporal=periods.whole, extras=periods.extras)


def _place(dataset: Dataset) -> FieldValues:
    area = shared_fields.place(dataset.default, "bbox")
    box = None if area.geometry else _box(dataset.inspire)
    named = shared_fields.place(dataset.dcat, "spatial")
    territory = "; ".join(dataset.default.texts("territory", strict=False))
    text = named.names or territory or dataset.inspire.text("extend_description")
    return {
        "spatial": area.geometry or box or named.geometry,
        "spatial_text": text,
        "extras": area.extras | named.extras,
    }


_SIDE_NAMES = tuple(
    f"extend_bounding_box_{side}"
    for side in ("westbound_longitude", "southbound_latitude")
    + ("eastbound_longitude", "northbound_latitude")
)


def _box(inspire: Fields) -> Geometry | None:
    texts = [value_text(inspire.get(name)) for name in _SIDE_NAMES]
    if not all(texts):
        return None
    try:
        return parse_box(texts)
    except ValueError as exc:
        inspire.report("bad-spatial", _SIDE_NAMES[0], str(exc))
        return None


MAPPING: tuple[Field[Dataset] | table.Row, ...] = (
    dcat_row("issued", "issued", table.date),
    default_row("modified", "modified", table.date),
    dcat_row("created", "extra created", table.date),
    Field(
        names(DCAT, "accrualperiodicity") + names(DEFAULT, "update_frequency"),
        "frequency",
        _frequency,
    ),
    dcat_row("temporal_coverage_start temporal_coverage_end temporal", "temporal", _temporal),
    Field(
        names(DEFAULT, "bbox", "territory")
        + names(DCAT, "spatial")
        + names(INSPIRE, *_SIDE_NAMES, "extend_description"),
        "spatial, spatial_text",
        _place,
    ),
)
