"""Croissant: record sets, fields and files within archives, read from JSON-LD."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.records import Reading, Source
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.reading.records import FileClient

CR = "http://mlcommons.org/croissant/"
CONTEXT = {
    "@vocab": "https://schema.org/",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "dataType": {"@id": f"{CR}dataType", "@type": "@vocab"},
    **{
        name: f"{CR}{name}"
        for name in ("recordSet", "field", "source", "fileObject", "extract", "column", "key")
        + ("includes", "citeAs", "transform")
    },
}
WITHIN = {"http://mlcommons.org/croissant/1.1": f"{CR}containedIn"}  # 1.0: a name of schema.org


def _document(version: str) -> dict[str, Any]:
    within = {WITHIN.get(version, "containedIn"): {"@id": "a.zip"}}
    column = {
        "fileObject": {"@id": "depths.csv"},
        "extract": {"column": "Depth"},
        "transform": "metres",
    }
    field = {"@id": "f", "name": "depth", "dataType": "Float", "source": column}
    return {
        "@context": CONTEXT,
        "@type": "Dataset",
        "name": "Fords",
        "url": "https://a.example/fords",
        "conformsTo": version,
        "citeAs": "Smith 2026",
        "distribution": [
            {"@id": "a.zip", "name": "All", "contentUrl": "https://a.example/a.zip"},
            {"@id": "depths.csv", "name": "Depths", "contentUrl": "in/depths.csv", **within},
            {"@id": "maps", "@type": f"{CR}FileSet", "includes": "maps/*.png", **within},
        ],
        "recordSet": {"@id": "r", "name": "fords", "key": {"@id": "f"}, "field": [field]},
    }


@pytest.mark.parametrize("version", [f"{CR}1.0", f"{CR}1.1"])
def test_record_sets_and_archived_files_are_kept(tmp_path: Path, version: str) -> None:
    path = tmp_path / "fords.jsonld"
    path.write_text(json.dumps(_document(version)), "utf-8")
    source = Source(path.name, {}, FileClient(path))  # type: ignore[arg-type]
    (record,) = [dcat.parse(raw, {}) for raw in Reading(RdfReader().records(source))]
    assert (record.guid, record.schema_urls) == ("https://a.example/fords", ())
    assert [file.url for file in record.resources] == ["https://a.example/a.zip"]
    assert [(file.id, file.extras["uri"]) for file in record.resources] == [("a.zip", "a.zip")]
    assert {problem.code for problem in record.problems} == {"missing-field"}
    (fords,) = json.loads(record.extras["record_sets"])
    (field,) = fords["field"]
    assert (fords["name"], field["name"]) == ("fords", "depth")
    assert field["dataType"] == "https://schema.org/Float"
    assert field["source"]["extract"] == {"column": "Depth"}
    assert field["source"]["transform"] == "metres"
    archived = json.loads(record.extras["archived_files"])
    assert sorted(file.get("contentUrl") or file["includes"] for file in archived) == [
        "in/depths.csv",
        "maps/*.png",
    ]
    assert record.extras["bibliographic_citation"] == "Smith 2026"
