"""From a record's resource to a resource of a package dict."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, Licence, Period, ResourceRecord
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict

URL = "https://a.example/file.csv"
FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "URL and name, even a blank one": ({}, {}),
    "name": ({"name": "Table"}, {"name": "Table"}),
    "description": ({"description": "D"}, {"description": "D"}),
    "format": ({"format": "CSV"}, {"format": "CSV"}),
    "media type": ({"mimetype": "text/csv"}, {"mimetype": "text/csv"}),
    "kind": ({"kind": "service"}, {"resource_type": "service"}),
    "size": ({"size": 7}, {"size": 7}),
    "a size of nothing": ({"size": 0}, {"size": 0}),
    "issued": ({"issued": "2025"}, {"data_issued": "2025"}),
    "modified": ({"modified": "2026"}, {"data_modified": "2026"}),
    "schema": ({"schema_url": "https://s"}, {"schema_url": "https://s"}),
    "a licence's URL before its title": (
        {"licence": Licence("uk-ogl", "OGL", "https://l")},
        {"licence": "https://l"},
    ),
    "a licence's title": ({"licence": Licence(title="OGL")}, {"licence": "OGL"}),
    "a period, which begins at its date": (
        {"temporal": Period("2019", "2020")},
        {"temporal_coverage-from": "2019", "temporal_coverage-to": "2020", "date": "2019"},
    ),
    "a period without beginning": (
        {"temporal": Period(end="2020")},
        {"temporal_coverage-to": "2020"},
    ),
    "a fact without a field": ({"extras": {"colour": "blue"}}, {"colour": "blue"}),
    "no blank fact": ({"extras": {"colour": ""}}, {}),
    "a fact in place of a field": ({"format": "X", "extras": {"format": "Y"}}, {"format": "Y"}),
    "no other id, name or URL": ({"extras": {"id": "1", "name": "x", "url": "x"}}, {}),
}


@pytest.mark.parametrize(("given", "expected"), FIELDS.values(), ids=FIELDS)
def test_a_resource_has(given: dict[str, Any], expected: dict[str, Any]) -> None:
    record = DatasetRecord("g", "T", resources=(ResourceRecord(URL, **given),))
    existing = {"resources": [{"id": "a", "url": URL, "name": ""}]}
    (found,) = to_package_dict(record, existing, None, (), Defaults("org")).package["resources"]
    assert found == {"id": "a", "url": URL, "name": "", **expected}
