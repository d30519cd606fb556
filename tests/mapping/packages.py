"""Package dicts made from records, and their extras."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict

ALWAYS = {"guid": "g", "import_source": "harvest", "harvest_source_reference": "g"}


def package(
    record: DatasetRecord | None = None,
    existing: dict[str, Any] | None = None,
    schema: tuple[str, ...] = (),
    **defaults: Any,
) -> dict[str, Any]:
    record = record or DatasetRecord("g", "T")
    return to_package_dict(record, existing, None, schema, Defaults("org", **defaults)).package


def extras(found: dict[str, Any]) -> dict[str, str]:
    assert len({each["key"] for each in found["extras"]}) == len(found["extras"])
    return {each["key"]: each["value"] for each in found["extras"]}


def as_extras(**values: str) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in values.items()]
