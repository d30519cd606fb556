"""Fields that no specification has are kept or reported, in every format.

The documents of ``complete/`` get fields that nobody has heard of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check, TextClient
from ckanext.ukharvest.source_types import TYPES
from tests.conformance.complete_documents import DOCUMENTS, FOLDER

OWN = "https://unheard.example/"
# Objects of the documents → places for such fields; a number is a place in a list.
PLACES = {
    "pod-1.1.json": ("dataset.0", "dataset.0.distribution.0"),
    "ckan.json": ("result", "result.resources.0"),
    "dkan-2.json": ("", "distribution.0.data"),
    "dkan-7.json": ("result.0", "result.0.resources.0", "result.0.dkan_additional_fields"),
    "ods-v1.json": (
        *("datasets.0", "datasets.0.metas", "datasets.0.interop_metas.dcat"),
        *("datasets.0.interop_metas.inspire", "datasets.0.attachments.0"),
    ),
    "ods-v2.1.json": (
        *("results.0", "results.0.metas.default", "results.0.metas.dcat"),
        *("results.0.metas.inspire", "results.0.metas.custom"),
        *("results.0.attachments.0", "results.0.alternative_exports.0"),
    ),
    "opensearch.json": ("features.0", "features.0.properties"),
    "schema-org.jsonld": ("", "distribution.0"),
    "inventory-0.3.xml": (
        *(".//{*}Dataset", ".//{*}Dataset/{*}Resources/{*}Resource", ".//{*}Rendition"),
    ),
    "opensearch-atom.xml": ("{*}entry",),
    "oai_dc.xml": (".//{*}record/{*}metadata/*",),
}


def fields_of(number: int) -> dict[str, Any]:
    """Return fields with a text, a number, a list and an object, each with its own value."""
    return {
        "unheardText": f"unheard-text-{number}",
        "unheardNumber": 90210 + number,
        "unheardList": [f"unheard-first-{number}", f"unheard-second-{number}"],
        "unheardObject": {"inside": f"unheard-inside-{number}"},
        # Taken by CKAN, or by the form of its datasets.
        "state": f"unheard-state-{number}",
        "theme-primary": f"unheard-theme-{number}",
    }


def with_unknown_fields(name: str) -> tuple[bytes, list[str]]:
    """Return a complete document with such fields, and their values."""
    content = (FOLDER / name).read_bytes()
    if name.endswith(".xml"):
        return _with_unknown_elements(content, PLACES[name])
    document = json.loads(content)
    values: list[str] = []
    for number, path in enumerate(PLACES[name]):
        place = document
        for key in filter(None, path.split(".")):
            place = place[int(key) if key.isdecimal() else key]
        # What CKAN and DKAN have themselves under these names is not theirs to give away.
        added = {key: value for key, value in fields_of(number).items() if key not in place}
        if DOCUMENTS[name].source_type in ("ckan", "dkan"):
            added = {key: value for key, value in added.items() if key[:7] == "unheard"}
        place |= added
        values += _texts(added)
    return json.dumps(document).encode(), values


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    else:
        yield str(value)


def _with_unknown_elements(content: bytes, places: tuple[str, ...]) -> tuple[bytes, list[str]]:
    root = etree.fromstring(content)
    values: list[str] = []
    for number, path in enumerate(places):
        parent = root.find(path)
        assert parent is not None, path
        single = etree.SubElement(parent, f"{{{OWN}}}unheardText")
        single.text = f"unheard-text-{number}"
        twice = [etree.SubElement(parent, f"{{{OWN}}}unheardList") for _ in range(2)]
        twice[0].text, twice[1].text = f"unheard-first-{number}", f"unheard-second-{number}"
        deep = etree.SubElement(parent, f"{{{OWN}}}unheardObject", code=f"unheard-code-{number}")
        etree.SubElement(deep, f"{{{OWN}}}inside").text = f"unheard-inside-{number}"
        values += [each.text or "" for each in (single, *twice, deep[0])]
        values.append(f"unheard-code-{number}")
    return etree.tostring(root), values


def read(name: str, content: bytes, http: HttpClient, tmp_path: Path) -> str:
    """Return what ``ukharvest check`` prints of a document's record."""
    document = DOCUMENTS[name]
    location, client = document.url, TextClient(name, content)
    if not document.url:
        location, client = str(tmp_path / name), http
        Path(location).write_bytes(content)
    # With "strict" the document is refused, which is no silence either.
    options = {"validation": "lenient"} if document.source_type == "inventory" else {}
    (record,) = Check(TYPES[document.source_type], location, options, http=client)
    assert "error" not in record, record["error"]
    return json.dumps(record, ensure_ascii=False)


@pytest.mark.parametrize("name", PLACES)
def test_fields_of_no_specification_are_kept_or_reported(
    name: str, http: HttpClient, tmp_path: Path
) -> None:
    content, values = with_unknown_fields(name)
    text = read(name, content, http, tmp_path)
    assert [value for value in values if value not in text] == []
