"""Time and place of a dataset: dates, frequency, period, area."""

from __future__ import annotations

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.geometries import Geometry
from ckanext.ukharvest.core.values.periods import join_periods
from ckanext.ukharvest.core.values.places import parse_box
from ckanext.ukharvest.parsers.data_json import shared_fields
from ckanext.ukharvest.parsers.json_fields import Fields, value_text
from ckanext.ukharvest.parsers.ods.dataset import (
    Dataset,
    dcat_names,
    default_names,
    inspire_names,
)


def _dates(dataset: Dataset) -> FieldValues:
    return {
        "issued": dataset.dcat.date("issued"),
        "modified": dataset.default.date("modified"),
        "extras": {"created": dataset.dcat.read("created", parse_date, "bad-date")},
    }


def _frequency(dataset: Dataset) -> FieldValues:
    for fields, key in (
        (dataset.dcat, "accrualperiodicity"),
        (dataset.default, "update_frequency"),
    ):
        if fields.has(key):
            frequency, unread = read_frequency(value_text(fields.get(key)), fields.reporter(key))
            return {"frequency": frequency, "extras": unread}
    return {}


def _temporal(dataset: Dataset) -> FieldValues:
    fields = dataset.dcat
    periods = fields.ends("temporal_coverage_start", "temporal_coverage_end")
    if not periods.whole:
        periods = join_periods((periods, fields.periods("temporal")))
    return {"temporal": periods.whole, "extras": periods.extras}


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


_SIDES = tuple(f"extend_bounding_box_{each}bound_l" for each in ("west", "south", "east", "north"))
_SIDE_NAMES = tuple(
    side + end for side, end in zip(_SIDES, ("ongitude", "atitude") * 2, strict=True)
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


MAPPING: tuple[Field[Dataset], ...] = (
    Field(
        default_names("modified") + dcat_names("issued", "created"),
        "issued, modified; extra created",
        _dates,
    ),
    Field(
        dcat_names("accrualperiodicity") + default_names("update_frequency"),
        "frequency",
        _frequency,
    ),
    Field(
        dcat_names("temporal_coverage_start", "temporal_coverage_end", "temporal"),
        "temporal",
        _temporal,
    ),
    Field(
        default_names("bbox", "territory")
        + dcat_names("spatial")
        + inspire_names(*_SIDE_NAMES, "extend_description"),
        "spatial, spatial_text",
        _place,
    ),
)
