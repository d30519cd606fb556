"""Time and place of a dataset: dates, frequency, period, area."""

from __future__ import annotations

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import parse_frequency
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
            return {"frequency": fields.read(key, parse_frequency, "bad-frequency")}
    return {}


def _temporal(dataset: Dataset) -> FieldValues:
    fields = dataset.dcat
    start, end = (fields.date(f"temporal_coverage_{each}") for each in ("start", "end"))
    return {"temporal": Period(start, end) if start or end else fields.period("temporal")}


def _place(dataset: Dataset) -> FieldValues:
    geometry, _ = shared_fields.place(dataset.default, "bbox")
    box = None if geometry else _box(dataset.inspire)
    named, words = shared_fields.place(dataset.dcat, "spatial")
    territory = "; ".join(dataset.default.texts("territory", strict=False))
    text = words or territory or dataset.inspire.text("extend_description")
    return {"spatial": geometry or box or named, "spatial_text": text}


_SIDES = tuple(f"extend_bounding_box_{each}bound_l" for each in ("west", "south", "east", "north"))
_SIDE_NAMES = tuple(
    side + end for side, end in zip(_SIDES, ("ongitude", "atitude") * 2, strict=True)
)


def _box(inspire: Fields) -> geometries.Geometry | None:
    texts = [value_text(inspire.get(name)) for name in _SIDE_NAMES]
    if not all(texts):
        return None
    try:
        return geometries.bbox_polygon(*map(float, texts))
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
