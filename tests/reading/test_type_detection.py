"""What a document is, by its first bytes: each type in each shape and encoding that is read."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest

from ckanext.ukharvest.reading.type_detection import (
    DATA,
    describe_unknown,
    detect,
    source_type,
)

# Required by data.gov.uk's guide, in the order in which programs that sort keys write them.
GRAPH = {"@type": "dcat:Catalog", "dataset": ["https://a.example/1"]}
OF_GUIDE = {
    "description": "Where they are.",
    "identifier": "roads",
    "license": "https://www.nationalarchives.gov.uk/doc/open-government-licence/",
    "publisher": {"name": "Tarnside"},
    "title": "Roads",
}
POD = {"title": "Roads", "identifier": "roads", "accessLevel": "public"}
PACKAGE = {"id": "1", "name": "roads", "title": "Roads", "notes": "", "resources": []}
RECORD = '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"><gmd:fileIdentifier/>'
CSW = 'xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"'
SOAP = '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>{}</s:Body>'
BY_ID = f"<csw:GetRecordByIdResponse {CSW}>{RECORD}"
DCAT = "http://www.w3.org/ns/dcat#"
A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
TRIPLE = f"<https://a.example/d> {A} <{DCAT}Dataset>"
OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><request/>'
PYTHON = (
    "<!DOCTYPE HTML><html><head><title>Directory listing for /waf/</title></head><body><ul>"
    '<li><a href="{}">it</a></li></ul>'
)
IIS = '<html><head><title>gis - /waf/</title></head><body><pre><A HREF="/waf/a.xml">a.xml</A>'
APACHE = '<html><title>Index of /waf</title><a href="?C=N;O=D">Name</a> <a href="{}">it</a>'


def success(result: Any) -> dict[str, Any]:
    return {"help": "…", "success": True, "result": result}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        # data.json: a list, one dataset, under either key, in a catalogue in a catalogue.
        ([OF_GUIDE], "data_json"),
        ([{"title": "Roads", "description": "", "distribution": []}], "data_json"),
        (OF_GUIDE, "data_json"),
        ([POD], "data_json"),
        ([{"title": "", "identifier": "", "modified": "", "publisher": {}}], "data_json"),
        ({"dataset": []}, "data_json"),
        ({"datasets": [OF_GUIDE]}, "data_json"),
        ({"@type": "Catalog", "catalog": [{"dataset": [OF_GUIDE]}]}, "data_json"),
        ({"@type": "dcat:Dataset", **POD}, "data_json"),
        # CKAN's actions, the first versions of its API, and packages that were saved.
        (success({"count": 1, "results": [PACKAGE]}), "ckan"),
        (success(["roads"]), "ckan"),
        (success(PACKAGE), "ckan"),
        (success([PACKAGE]), "ckan"),
        ({"help": "…", "success": False, "error": {"message": "Not found"}}, "ckan"),
        ({"version": 3}, "ckan"),
        ({"count": 1, "results": ["roads"]}, "ckan"),
        ({"count": 1, "results": [PACKAGE]}, "ckan"),
        ([PACKAGE], "ckan"),
        (PACKAGE, "ckan"),
        # DKAN 7 as CKAN, with lists in lists and without success, and DKAN 2.
        (success([[PACKAGE]]), "dkan"),
        (success([{**PACKAGE, "log_message": ""}]), "dkan"),
        ({"result": ["roads"]}, "dkan"),
        ({"result": PACKAGE}, "dkan"),
        ([{**OF_GUIDE, "%Ref:publisher": {}}], "dkan"),
        ({"@type": "dcat:Dataset", **POD, "%modified": "2024"}, "dkan"),
        # Opendatasoft: versions 2.1, 2.0 and 1.0, an export, one dataset, nothing found.
        ({"total_count": 1, "results": [{"dataset_id": "roads"}]}, "ods"),
        ({"total_count": 1, "datasets": [{"dataset": {"dataset_id": "roads"}}]}, "ods"),
        ({"nhits": 1, "datasets": [{"datasetid": "roads"}]}, "ods"),
        ([{"dataset_id": "roads", "metas": {}}], "ods"),
        ({"dataset": {"dataset_id": "roads", "metas": {}}}, "ods"),
        ({"total_count": 0, "results": []}, "ods"),
        # JSON-LD: a context, a graph, all names in full, schema.org's.
        ({"@context": {"dcat": DCAT}, "@graph": []}, "dcat_rdf"),
        ({"@graph": [{"@type": f"{DCAT}Dataset"}]}, "dcat_rdf"),
        ({"@context": "https://a.example/dcat-us-3.0.jsonld", "@graph": [GRAPH]}, "dcat_rdf"),
        ([{"@id": "https://a.example/d", "@type": [f"{DCAT}Dataset"]}], "dcat_rdf"),
        ({"@context": "https://schema.org", "@type": "Dataset", **OF_GUIDE}, "dcat_rdf"),
        # Results of SPARQL, and of OpenSearch.
        ({"head": {}, "boolean": True}, "sparql"),
        ({"head": {"vars": ["d"]}, "results": {"bindings": []}}, "sparql"),
        ({"type": "FeatureCollection", "properties": {"totalResults": 1}}, "opensearch"),
        ({"type": "FeatureCollection", "os:totalResults": 1, "features": []}, "opensearch"),
    ],
)
def test_json_is_recognised_by_its_keys(document: Any, expected: str) -> None:
    assert source_type(json.dumps(document).encode()) == expected
    assert source_type(json.dumps(document, indent=4).encode()) == expected


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        [1, 2],
        ["roads", "parks"],
        [[1, 2], [3, 4]],
        [{"title": "Mr", "identifier": 7, "name": "Hill"}],
        [{"title": "News", "description": "Of today", "published": "2026-01-01"}],
        [{"type": "Feature", "geometry": None, "properties": {"title": "x", "identifier": "y"}}],
        {"datasets": [{"id": "a:b", "kind": "bigquery#dataset"}]},
        {"dataset": ["roads"]},
        {"count": 1, "next": None, "previous": None, "results": [{"id": 1}]},
        {"count": 1, "results": [{"title": "A book"}]},
        {"jsonrpc": "2.0", "result": 19, "id": 1},
        {"name": "roads", "title": "Roads", "resources": [], "licenses": []},
        {"@context": "https://www.w3.org/ns/activitystreams", "type": "Note"},
        {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Roads"},
        [{"@type": "https://schema.org/Person"}],
        {"result": [1, 2]},
        {"result": "done"},
        {"type": "object", "properties": {"@type": {}, "dcat:Dataset": {}}},
        {"type": "FeatureCollection", "numberMatched": 4, "features": []},
        {"stac_version": "1.0.0", "id": "a", "title": "x", "description": "y", "license": "z"},
    ],
)
def test_other_json_is_no_source(document: Any) -> None:
    assert source_type(json.dumps(document).encode()) == ""


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (RECORD, "gemini-single"),
        ('<MD_Metadata xmlns="http://www.isotc211.org/2005/gmd">', "gemini-single"),
        ('<mdb:MD_Metadata xmlns:mdb="http://standards.iso.org/iso/19115">', "gemini-single"),
        ('<che:CHE_MD_Metadata xmlns:che="http://www.geocat.ch/2008/che">', "gemini-single"),
        (BY_ID, "gemini-single"),
        (SOAP.format(BY_ID), "gemini-single"),
        (f"<csw:GetRecordsResponse {CSW}>", "gemini-csw"),
        (SOAP.format(f"<csw:GetRecordsResponse {CSW}>"), "gemini-csw"),
        (SOAP.format(f"<csw:Capabilities {CSW}>"), "gemini-csw"),
        (f"<csw:Capabilities {CSW}>", "gemini-csw"),
        ('<Capabilities xmlns="http://www.opengis.net/cat/csw/3.0">', "gemini-csw"),
        ('<i:Inventory xmlns:i="http://schemas.esd.org.uk/inventory">', "inventory"),
        ('<Dataset xmlns="http://schemas.esd.org.uk/inventory">', "inventory"),
        (OAI + "<Identify/>", "oaipmh"),
        (OAI + "<ListRecords/>", "oaipmh"),
        (OAI + "<ListIdentifiers/>", "oaipmh"),
        ('<sparql xmlns="http://www.w3.org/2005/sparql-results#">', "sparql"),
        ('<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">', "opensearch"),
        (
            '<a:feed xmlns:a="http://www.w3.org/2005/Atom" '
            'xmlns:os="http://a9.com/-/spec/opensearch/1.1/">',
            "opensearch",
        ),
        (
            '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
            f'xmlns:d="{DCAT}"><d:Dataset>',
            "dcat_rdf",
        ),
        ('<Dataset xmlns="http://www.unidata.ucar.edu/thredds">', ""),
        ('<Inventory xmlns="urn:shop">', ""),
        ('<Capabilities xmlns="http://www.opengis.net/wmts/1.0">', ""),
        ('<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:rss">', ""),
        ('<feed xmlns="http://www.w3.org/2005/Atom">', ""),
    ],
)
def test_xml_is_recognised_by_its_root(document: str, expected: str) -> None:
    before = '<!-- <Inventory> and <RDF> --><?xml-stylesheet href="a.xsl"?>\n<!DOCTYPE x>\n'
    for start in ("", "\n\n", '<?xml version="1.0" encoding="UTF-8"?>', before):
        assert source_type((start + document).encode()) == expected, start
    utf_16 = f'<?xml version="1.0" encoding="UTF-16"?>{document}'
    assert source_type(codecs.BOM_UTF8 + document.encode()) == expected
    assert source_type(codecs.BOM_UTF16_LE + utf_16.encode("utf-16-le")) == expected
    assert source_type(codecs.BOM_UTF16_BE + utf_16.encode("utf-16-be")) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (f"@prefix dcat: <{DCAT}> .\n[] a dcat:Dataset .", "dcat_rdf"),
        (f"PREFIX dcat: <{DCAT}>\n", "dcat_rdf"),
        (
            f"# Our data\n# of today\n@base <https://a.example/> .\n@prefix d: <{DCAT}> .",
            "dcat_rdf",
        ),
        (f"@prefix d: <{DCAT}> .\n<https://a.example/g> {{ <#a> a d:Dataset }}", "dcat_rdf"),
        (f"{TRIPLE} .\n", "dcat_rdf"),
        (f"{TRIPLE} <https://a.example/g> .\n", "dcat_rdf"),
        (f"_:b0 {A} <{DCAT}Dataset> .\n", "dcat_rdf"),
        (f"<https://a.example/d> a <{DCAT}Dataset> .\n", "dcat_rdf"),
        ("@prefix s: <https://schema.org/> .\n[] a s:Dataset .", "dcat_rdf"),
        ("@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .", "sparql"),
        ("@prefix foaf: <http://xmlns.com/foaf/0.1/> .", ""),
        (f"[] a <{DCAT}Dataset> .", "dcat_rdf"),
        (f"[ a <{DCAT}Dataset> ] .", "dcat_rdf"),
        ("@prefix schema: <https://schema.org/> .\n[] a schema:Person .", ""),
        (f"# import dcat\n\nDCAT = '{DCAT}'\n", ""),
        (f"name,url\nDCAT,{DCAT}\n", ""),
    ],
)
def test_rdf_as_text_is_recognised(document: str, expected: str) -> None:
    assert source_type(document.encode()) == expected
    assert source_type(codecs.BOM_UTF8 + document.encode()) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (APACHE.format("a.xml"), "gemini-waf"),
        (APACHE.format("2024/"), "gemini-waf"),
        (PYTHON.format("a.xml"), "gemini-waf"),
        (PYTHON.format("2024/"), "gemini-waf"),
        (IIS, "gemini-waf"),
        ('<html><title>Our records</title><a class=x href="/files/a.XML">a</a>', "gemini-waf"),
        ('<html><meta name="generator" content="FrontPage"><a href="a.xml">a</a>', "gemini-waf"),
        ('<html><title>SPARQL</title><a href="a.xml">results</a>', "sparql"),
        (APACHE.format("a.jpg"), ""),
        (APACHE.format("../"), ""),
        ('<html><title>News</title><a href="/rss.xml">RSS</a>', ""),
        ('<html><title>News</title><link rel="sitemap" href="/map.xml"><a href="/b/">b</a>', ""),
    ],
)
def test_page_of_a_folder_is_recognised(page: str, expected: str) -> None:
    assert source_type(page.encode()) == expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_json_in_any_encoding_is_recognised(encoding: str) -> None:
    assert source_type(json.dumps([OF_GUIDE]).encode(encoding)) == "data_json"


def test_lines_of_json_are_recognised_by_the_first() -> None:
    lines = "\n".join(json.dumps(PACKAGE) for _ in range(3))
    assert source_type(lines.encode()) == "ckan"


def test_truncated_response_is_recognised() -> None:
    text = json.dumps({"@context": {"dcat": DCAT}, "@graph": [{"@id": "a"}]})
    assert source_type(text[:-9].encode()) == "dcat_rdf"
    assert source_type(json.dumps([OF_GUIDE])[:-9].encode()) == "data_json"


def test_geojson_in_any_encoding_is_data() -> None:
    document = json.dumps({"type": "FeatureCollection", "features": []})
    assert detect(document.encode("utf-16")) == DATA


@pytest.mark.parametrize(
    "content",
    [b"{" * 50_000, b'{"a": ' + b"9" * 50_000, b"[" + b'"' * 9_999, b"<" * 9_999, b"\0" * 99]
    + [b'{"a": 1e999999999999}', b"\xff\xfe{", b'{"\\ud800": 1}', b"<?xml?>", b"<a:b>&x;"],
)
def test_hostile_bytes_have_no_type(content: bytes) -> None:
    assert detect(content) == ""
    assert "; expected a catalogue" in describe_unknown(content)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[1, 2]", "a JSON list of numbers, where datasets are objects"),
        (b'["a"]', "a JSON list of texts"),
        (b"[true]", "a JSON list of yes or no"),
        (b"[[1]]", "a JSON list of lists"),
        (b"[]", "an empty JSON list"),
        (b'[{"b": 1, "a": 2}]', "objects with a, b, where a list of datasets has title"),
        (b'{"good": "json"}', "a JSON object with good"),
        (b"<abc><def/></abc>", "XML with the root element abc"),
        (b"<metadata><idinfo/></metadata>", "metadata: FGDC record"),
        (b"<html><title>Sign in</title>", "an HTML page with the title 'Sign in'"),
        (b"broken xml", "text that begins with 'broken xml'"),
        (b"PK\x03\x04", "not text"),
        (b" \n", "empty"),
    ],
)
def test_an_unknown_document_is_described(content: bytes, expected: str) -> None:
    assert expected in describe_unknown(content)
