"""The type of every document is recognised without being named: in a file, and at a URL."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ckanext.ukharvest.check_command import command
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.budget import HEAD
from ckanext.ukharvest.reading.type_detection import Probe, look_up, source_type
from tests.conformance.expectations import TYPE_OF
from tests.publisher import Publisher

# Documents whose type is not the one of their folder, by the beginning of their path.
EXPECTED = {
    # Broken, or of no format that is harvested.
    "bad/": "",
    "bad/own-cut-off.json": "data_json",
    "bad/own-cut-off.xml": "inventory",
    "bad/gemini--": "gemini-single",
    "bad/oaipmh--pyoai-": "oaipmh",
    "bad/errorpage-gsa-": "ckan",  # pages of a CKAN site
    # Titles alone, which are lists of anything.
    "ckan/ckanft-search_dataset.titles.json": "",
    # An exception report that does not say of which service it is.
    "csw/exception.xml": "",
    # A response with records is a saved file unless its server answers as a CSW.
    "csw/geodatagov-sample3_id": "gemini-single",
    "csw/owslib-csw_dov_getrecordbyid": "gemini-single",
    "csw/pycsw-apiso-post_GetRecordById": "gemini-single",
    "csw/pycsw-default-post_GetRecordById": "gemini-single",
    "csw/pycsw-iso19115p3-post_GetRecordById": "gemini-single",
    # JSON-LD with data.json's names: both types read it, data.json streams it.
    "dcat/ckanextdcat-catalog_pod.jsonld": "data_json",
    # A dataset of DKAN 2 that has data.json's fields and no others.
    "dkan/dataset.json": "data_json",
    "dkan/dkan2-metastore-": "",  # about schemas
    "dkan/dkan7-migrate-data11.json": "data_json",
    # FGDC, not ISO.
    "gemini/datagov-USGS": "",
    "gemini/geodatagov-waf-fgdc": "",
    "oaipmh/pyoai-fake1-00006.xml": "",  # a record without its response
    "sparql/w3c-csv-tsv": "",  # results that are not asked for
    "waf/no-records.html": "",
    "faults/": "data_json",
    "faults/csw-dublin-core.xml": "gemini-csw",
    "faults/iso-cited-party.xml": "gemini-single",
    "faults/serves-and-dataset-access.ttl": "dcat_rdf",
    "faults/shapes-of-known-properties.ttl": "dcat_rdf",
    "faults/showcase.json": "ckan",
    "faults/so-": "dcat_rdf",
    "faults/table-": "dataset_table",
    "faults/dcat-us3-graph.json": "dcat_rdf",
    "faults/two-titles-no-lang.ttl": "dcat_rdf",
    "faults/vcard-org-name.ttl": "dcat_rdf",
    "faults/windows-letters.xml": "inventory",
}


def expected_type(name: str) -> str:
    """Return the type of a document, by the longest part of its path that the table has."""
    starts = sorted((start for start in EXPECTED if name.startswith(start)), key=len)
    return EXPECTED[starts[-1]] if starts else TYPE_OF[name.partition("/")[0]]


@pytest.fixture(scope="session")
def documents(folder: Path) -> dict[str, bytes]:
    """Every document of a folder by its path."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in files
        if file.name != "MANIFEST.tsv"
    }


def differences(found: dict[str, str], expected: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return found and expected type of each document where they differ."""
    return {
        name: (found[name], expected[name]) for name in expected if found[name] != expected[name]
    }


def found_types(documents: dict[str, bytes]) -> dict[str, str]:
    """Return the type that a look-up finds: a file with records of a CSW is no CSW."""
    expected = {name: expected_type(name) for name in documents}
    saved = {
        name: "gemini-single"
        for name, content in documents.items()
        if expected[name] == "gemini-csw" and b"GetRecordsResponse" in content[:HEAD]
    }
    return expected | saved


def test_first_bytes_show_the_type(documents: dict[str, bytes]) -> None:
    found = {name: source_type(content[:HEAD]) for name, content in documents.items()}
    assert not differences(found, {name: expected_type(name) for name in documents})


def test_the_command_finds_the_type_of_standard_input(
    documents: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    for name, content in documents.items():
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        out, err = io.StringIO(), io.StringIO()
        code = command.run("", "-", limit=2, as_json=True, out=out, err=err)
        result: dict[str, Any] = json.loads(out.getvalue())
        found[name] = result["type"]
        assert code in (0, 1) or err.getvalue().startswith("ukharvest check: "), name
        assert result["type"] or "; expected a catalogue" in err.getvalue(), name
    assert not differences(found, found_types(documents))


def test_a_url_leads_to_the_type(
    documents: dict[str, bytes], publisher: Publisher, http: HttpClient
) -> None:
    found = {}
    for name, content in documents.items():
        path = f"/{name}"
        publisher.serve(path, content)
        answer = look_up(publisher.url(path), Probe(http))
        found[name] = answer.source_type if answer else ""
        del publisher.routes[path]
    assert not differences(found, found_types(documents))
