"""A source preview: its limits, results and error messages."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.parsers.gemini.rules import BY_CODE
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.source_preview import SourcePreview
from ckanext.ukharvest.reading.type_detection import DATA, detect, source_type
from tests.conftest import LOOPBACK
from tests.publisher import SOURCES, Publisher, recorded
from tests.reading.full_datasets import FULL, GUIDE_LIST, datasets
from tests.reading.previewed import PATH, preview


def test_the_first_records_are_read_and_the_others_counted(publisher: Publisher) -> None:
    publisher.serve(PATH, datasets(1204, **FULL))
    found = preview(publisher.url(PATH))
    assert (found["verdict"], found["problems"]) == ("yes", [])
    assert (found["read"], found["count"], found["count_is_exact"]) == (20, 1204, True)
    assert len(found["sample"]) == 20
    first = found["sample"][0]
    assert (first["title"], first["formats"], first["fate"]) == ("D 0", ["CSV"], "fine")
    assert dict(first["fields"])["tags"] == "a tag"
    assert found["estimate_seconds"] >= 120
    assert found["asked"][0]["status"] == 200


def test_problems_are_grouped_by_code_with_examples(publisher: Publisher) -> None:
    catalogue = datasets(6, **FULL)
    for each in catalogue["dataset"][:3]:
        each["modified"] = "yesterday"
    del catalogue["dataset"][5]["title"]
    publisher.serve(PATH, catalogue)
    found = preview(publisher.url(PATH))
    assert found["verdict"] == "problems"
    assert found["fates"] == {"problems": 3, "fine": 2, "lost": 1}
    lost, dated = found["problems"]
    assert (lost["code"], lost["severity"], lost["records"]) == ("missing-title", "lost", 1)
    assert (dated["code"], dated["records"]) == ("bad-date", 3)
    assert [each["title"] for each in dated["examples"]] == ["D 0", "D 1", "D 2"]


def test_failed_record_counts_for_why_it_fails_alone(publisher: Publisher) -> None:
    catalogue = datasets(2, **{**FULL, "modified": "yesterday", "identifier": "same"})
    publisher.serve(PATH, catalogue)
    groups = preview(publisher.url(PATH))["problems"]
    assert {group["code"]: group["records"] for group in groups} == {
        "duplicate-guid": 1,
        "bad-date": 1,
    }


@pytest.mark.parametrize(
    ("body", "verdict", "code"),
    [
        ("<!doctype html><title>Home</title>", "no", "html-page"),
        ('{"dataset": []}', "no", None),
        ('{"dataset": [', "no", "json-syntax"),
    ],
)
def test_preview_explains_an_unreadable_document(
    publisher: Publisher, body: str, verdict: str, code: str
) -> None:
    publisher.serve(PATH, body)
    found = preview(publisher.url(PATH))
    assert (found["verdict"], (found["error"] or {}).get("code")) == (verdict, code)
    assert found["read"] == 0
    assert found["excerpt"].startswith(body[:10])


def test_missing_url_is_reported_with_its_status(publisher: Publisher) -> None:
    found = preview(publisher.url("/nothing"))
    assert (found["verdict"], found["error"]["code"]) == ("no", "bad-status")
    assert found["asked"][0]["status"] == 404


def test_the_right_address_of_the_site_is_found(publisher: Publisher) -> None:
    publisher.serve("/", "<!doctype html><title>Home</title>")
    publisher.serve(PATH, datasets(1))
    assert preview(publisher.url("/"))["suggested_url"] == publisher.url(PATH)


def test_fitting_type_is_recommended(publisher: Publisher) -> None:
    publisher.serve("/catalogue", "<Inventory><Dataset/></Inventory>")
    found = preview(publisher.url("/catalogue"))
    assert (found["verdict"], found["detected_type"]) == ("no", "inventory")


def test_list_of_datasets_is_suggested_as_data_json(publisher: Publisher) -> None:
    publisher.serve(PATH, GUIDE_LIST)
    for name in ("inventory", "dcat_rdf", "gemini-waf", "gemini-single"):
        found = preview(publisher.url(PATH), name)
        assert (found["verdict"], found["detected_type"]) == ("no", "data_json"), name


def test_a_search_says_how_many_there_are_and_is_asked_once(publisher: Publisher) -> None:
    packages = [{"id": f"{n:03}", "title": f"D {n}", "resources": []} for n in range(100)]
    result = {"count": 1204, "results": packages}
    search = "/api/3/action/package_search?rows=100&start=0&sort=id+asc"
    publisher.serve(search, {"success": True, "result": result})
    found = preview(publisher.url("/"), "ckan")
    assert (found["read"], found["count"], found["count_is_exact"]) == (20, 1204, True)
    assert found["requests"] == 1


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"conformsTo": "https://project-open-data.cio.gov/v1.1/schema"', "data_json"),
        (b'{"help": "x", "success": true, "result": []}', "ckan"),
        (b'{"@context": {"dcat": "http://www.w3.org/ns/dcat#"}}', "dcat_rdf"),
        (b"@prefix dcat: <http://www.w3.org/ns/dcat#> .", "dcat_rdf"),
        # Project Open Data 1.0, and the list of 1.1 without its catalogue.
        (b'[{"title": "A", "mbox": "", "identifier": 1, "accessLevel": "public"', "data_json"),
        (b'[{"@type": "dcat:Dataset", "identifier": "a", "accessLevel": "public"', "data_json"),
        (b'[{"title": "A", "identifier": 1}]', ""),
        (b'{"title": "A", "identifier": 1, "accessLevel": "public"}', "data_json"),
        # JSON-LD whose context, and so the prefix dcat, is elsewhere.
        (b'{"@context": "context.jsonld", "@graph": [{"type": "DatasetSeries"', "dcat_rdf"),
        (b'[{"@context": ["https://x.example/c"], "@type": ["Thing", "Dataset"]', "dcat_rdf"),
        (b'{"@context": "/c", "@type": "https://schema.org/Dataset"', "dcat_rdf"),
        (b'{"@context": "https://schema.org", "@type": "DataCatalog", "dataset": [', "dcat_rdf"),
        (b'{"@context": "https://www.w3.org/ns/activitystreams", "type": "Note"', ""),
        (b'{"@context": "/contexts/Book", "@type": "hydra:Collection"', ""),
        (b'{"type": "Dataset", "name": "A"}', ""),
        (b'<?xml version="1.0"?><gmd:MD_Metadata xmlns:gmd="x">', "gemini-single"),
        (b'<csw:Capabilities xmlns:csw="http://www.opengis.net/cat/csw/2.0.2">', "gemini-csw"),
        (
            b'<s:Envelope xmlns:s="x"><s:Body><GetRecordsResponse xmlns='
            b'"http://www.opengis.net/cat/csw/2.0.2">',
            "gemini-csw",
        ),
        (b'<s:Envelope xmlns:s="x"><s:Body>', ""),
        (b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><Identify>', "oaipmh"),
        (b'<?xml version="1.0"?><oai:OAI-PMH xmlns:oai="x"><oai:error code="badVerb"/>', "oaipmh"),
        (b'<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">', "sparql"),
        (b'{"head": {}, "boolean": true}', "sparql"),
        (b'{"head":{"vars":["dataset"]},"results":{"bindings":[', "sparql"),
        (b"<html><title>Virtuoso SPARQL Query Editor</title>", "sparql"),
        (b"@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .", "sparql"),
        (b'<rdf:RDF xmlns:sd="http://www.w3.org/ns/sparql-service-description#">', "sparql"),
        (b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">', "opensearch"),
        (b'<feed xmlns:os="http://a9.com/-/spec/opensearch/1.1/"><os:totalResults>', "opensearch"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>', ""),
        (b'{"type": "FeatureCollection", "totalResults": 3, "features": [', "opensearch"),
        (b'<!DOCTYPE html><meta name="generator" content="ckan 2.10.1">', "ckan"),
        (b'<html><title>Index</title><a href="rivers.xml">rivers</a>', "gemini-waf"),
        (b'{"total_count": 2, "results": [{"dataset_id": "parks", "metas": {}', "ods"),
        (b'{"nhits": 2, "parameters": {}, "datasets": [{"datasetid": "parks"', "ods"),
        (b'<html ng-app="ods.core"><title>Home</title>', "ods"),
        (b'<html><title>Home</title><script src="//static.opendatasoft.com/x.js">', "ods"),
        (b"<html><title>Home</title><p>We left opendatasoft.com", ""),
        (b"<html><title>Home</title>", ""),
        (b"\xff\xfe\x00", ""),
        (b"", ""),
    ],
)
def test_source_type_is_recognised_by_the_first_bytes(head: bytes, expected: str) -> None:
    assert source_type(head) == expected


CASES = sorted(folder.parent.name for folder in SOURCES.glob("*/source.json"))


@pytest.mark.parametrize("case", CASES)
def test_a_preview_says_what_the_check_of_a_publisher_says(case: str) -> None:
    told = json.loads((SOURCES / case / "source.json").read_text(encoding="utf-8"))
    expected = json.loads((SOURCES / case / "expected.json").read_text(encoding="utf-8"))
    kind = source_types.TYPES[told["type"]]
    with recorded(case) as publisher, HttpClient(Guard(LOOPBACK)) as http:
        source = Source(
            publisher.url(told["path"]), options.validate(told["options"], kind.options), http
        )
        found = SourcePreview(kind, source, Watched(http, Budget())).run()
    records = expected.get("records", [])
    errors = expected.get("errors", [])
    assert (found["error"] or {}).get("code") == (errors[0]["code"] if errors else None)
    assert found["read"] == len(records)
    assert found["count"] >= len(records)
    assert found["fates"].get("lost", 0) == sum("error" in each for each in records)
    rejected = {"code": "not-valid"}  # for its problems; other errors hide them
    told_of = [record for record in records if record.get("error", rejected)["code"] == "not-valid"]
    codes = {each["code"] for record in told_of for each in record.get("problems", [])}
    codes |= {record["error"]["code"] for record in records if "error" in record}
    codes |= {each["code"] for each in expected.get("problems", [])}
    assert {group["code"] for group in found["problems"]} == codes
    advice = {code for code in codes if code in BY_CODE and not BY_CODE[code].is_error}
    assert advice <= {each["code"] for each in found["problems"] if each["severity"] == "note"}
    assert found["verdict"] == "no" if errors else found["verdict"] in ("yes", "no", "problems")
    assert json.loads(json.dumps(found)) == found  # as the database stores it


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'\xef\xbb\xbf {"type": "FeatureCollection", "features": []}', DATA),
        (b'{"dataset": [{"spatial": {"type": "Feature"}}]}', "data_json"),
        (b'{"name": "Feature"}', ""),
        (b"a,b\n1,2\n", ""),
        (b"", ""),
    ],
)
def test_document_format_is_detected_by_the_first_bytes(head: bytes, expected: str) -> None:
    assert detect(head) == expected
