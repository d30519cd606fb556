"""Documents that publishers of public bug reports had, read whole as a check reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.reading.records import Check, Entry
from ckanext.ukharvest.source_types import TYPES

SCHEMA_ORG = {
    "@context": {"@vocab": "https://schema.org/"},
    "@type": "Dataset",
    "@id": "https://example.org/d/1",
    "name": "One",
    "description": "d",
    "creator": {"@list": [{"@type": "Person", "name": "Ann"}, {"@type": "Person", "name": "Bob"}]},
    "publisher": {"@type": "Organization", "name": "P"},
    "spatialCoverage": {"@type": "Place", "geo": {"@type": "GeoShape", "box": "50 -1 52 1"}},
    "identifier": {"@type": "PropertyValue", "propertyID": "DOI", "value": "10.1234/x"},
}
ESIP = "http://esipfed.org/ns/fedsearch/1.1/"
FEED = f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:os="http://a9.com/-/spec/opensearch/1.1/"
    xmlns:time="http://a9.com/-/opensearch/extensions/time/1.0/">
  <id>urn:feed</id><title>t</title><updated>2020-01-01T00:00:00Z</updated>
  <os:totalResults>1</os:totalResults>
  <entry>
    <id>G1</id><title>One</title><updated>2020-01-01T00:00:00Z</updated><summary>s</summary>
    <time:start>2002-07-04T00:00:00.000Z</time:start>
    <time:end>2014-07-31T23:59:59.000Z</time:end>
    <link rel="{ESIP}data#" href="https://example.org/a.nc"/>
    <link rel="{ESIP}metadata#" href="https://example.org/a.html" title="Landing page"/>
    <link rel="{ESIP}documentation#" href="https://example.org/doc.pdf"/>
    <link rel="{ESIP}browse#" href="https://example.org/a.png"/>
  </entry>
</feed>"""


def check(kind: str, text: str, path: Path, http: HttpClient) -> tuple[Check, list[Entry]]:
    """Check a saved document."""
    path.write_text(text, encoding="utf-8")
    checked = Check(TYPES[kind], str(path), {}, http=http)
    return checked, list(checked)


def test_a_list_of_schema_org_keeps_its_order(tmp_path: Path, http: HttpClient) -> None:
    _, (entry,) = check("dcat_rdf", json.dumps(SCHEMA_ORG), tmp_path / "a.jsonld", http)
    assert entry["author"]["name"] == "Ann"
    assert entry["extras"]["identifier"] == "https://doi.org/10.1234/x"
    assert bounds(entry["spatial"]) == (-1, 50, 1, 52)


def test_links_and_times_of_esip_are_read(tmp_path: Path, http: HttpClient) -> None:
    _, (entry,) = check("opensearch", FEED, tmp_path / "a.xml", http)
    files = [(file["url"][20:], file["kind"], file["name"]) for file in entry["resources"]]
    assert files == [
        ("a.nc", "data", "Data"),
        ("a.html", "documentation", "Landing page"),
        ("doc.pdf", "documentation", "Documentation"),
        ("a.png", "documentation", "Preview"),
    ]
    ends = {"start": "2002-07-04T00:00:00Z", "end": "2014-07-31T23:59:59Z"}
    assert entry["temporal"] == ends


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["a", "b"], "the file only names 2 records; their content is elsewhere"),
        (["a"], "the file only names 1 record; its content is elsewhere"),
    ],
)
def test_a_saved_list_of_names_is_no_import(
    tmp_path: Path, http: HttpClient, names: list[str], reason: str
) -> None:
    answer: dict[str, Any] = {"help": "", "success": True, "result": names}
    checked, entries = check("dkan", json.dumps(answer), tmp_path / "a.json", http)
    reason += "; give the source's URL instead of a saved file"
    assert (checked.exit_code, checked.complete, checked.reason) == (1, False, reason)
    assert [entry["elsewhere"] for entry in entries] == [True] * len(names)
