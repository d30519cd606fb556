"""What an address leads to: the address itself, its service, its site, or the nearest URL."""

from __future__ import annotations

import gzip
import json

import pytest

from ckanext.ukharvest.core.errors import FetchError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.budget import Over
from ckanext.ukharvest.reading.type_detection import Found, Probe, look_up, nothing_found
from ckanext.ukharvest.source_types import TYPES
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.records import items
from tests.reading.lookup_pages import ASK, CAPABILITIES, CKAN_PAGE, DKAN_PAGE, YES

POD_1_0 = [{"title": "Roads", "identifier": 1, "accessLevel": "public"}]
SOCRATA = {
    "@context": "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld",
    "@id": "https://data.example.org/data.json",
    "@type": "dcat:Catalog",
    "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
    "dataset": [{"accessLevel": "public", "identifier": "https://data.example.org/api/views/a-b"}],
}
DCAT_JSON = {
    "@context": {"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"},
    "@id": "https://hub.example.org",
    "@type": "dcat:Catalog",
    "dcat:dataset": [{"@type": "dcat:Dataset", "dct:title": "Roads"}],
}
DCAT_TURTLE = (
    "@prefix dcat: <http://www.w3.org/ns/dcat#> .\n<https://a.example/> a dcat:Catalog ;\n"
    "    dcat:dataset <https://a.example/dataset/1> .\n"
)
SCHEMA_ORG = {"@context": "https://schema.org/", "@type": "Dataset", "name": "Roads"}
CATALOGUE = {**SCHEMA_ORG, "@type": "DataCatalog", "dataset": [{"@type": "Dataset", "name": "a"}]}
INVENTORY = "<Inventory><Metadata/></Inventory>"


def page_of(json_ld: object, before: int = 0) -> str:
    """Return an HTML page with JSON-LD behind so many other characters."""
    script = f"<script type='application/ld+json'>{json.dumps(json_ld)}</script>"
    return f"<!doctype html><title>Roads</title>{'x' * before}{script}<p>Text"


def found_at(publisher: Publisher, http: HttpClient, path: str) -> Found | None:
    """Return what a path leads to, with the path of its URL."""
    found = look_up(publisher.url(path), Probe(http))
    site = publisher.url("")
    return found and Found(found.source_type, found.url.removeprefix(site), found.how)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_each_type_is_found_at_its_own_address(
    publisher: Publisher, http: HttpClient, name: str
) -> None:
    served = SERVERS[name](publisher, items(3))
    if name == "gemini-csw":
        publisher.serve("/csw?service=CSW&request=GetCapabilities", CAPABILITIES)
    if name == "dkan":  # whose API is as CKAN's
        publisher.serve("/", DKAN_PAGE)
    if name == "sparql":
        publisher.serve(ASK, YES)
    path = "/" if name == "dkan" else served.path
    found = look_up(publisher.url(path), Probe(http))
    assert found is not None
    assert (found.source_type, found.how) == (name, "service" if name == "sparql" else "address")


@pytest.mark.parametrize(
    ("routes", "asked", "expected"),
    [
        ({"/a/list.xml": INVENTORY}, "/a/list.xml", Found("inventory", "/a/list.xml", "address")),
        ({"/": CKAN_PAGE, "/dataset/x": CKAN_PAGE}, "/dataset/x", Found("ckan", "", "site")),
        (
            {"/csw?service=CSW&request=GetCapabilities": CAPABILITIES},
            "/csw",
            Found("gemini-csw", "/csw", "service"),
        ),
        (
            {"/csw?service=CSW&request=GetCapabilities": CAPABILITIES},
            "/csw?service=CSW&request=GetCapabilities",
            Found("gemini-csw", "/csw", "address"),
        ),
        (
            {"/council/data.json": {"dataset": []}, "/data.json": {"dataset": []}},
            "/council/open-data/page",
            Found("data_json", "/council/data.json", "place"),
        ),
        ({"/": CKAN_PAGE}, "/about", Found("ckan", "", "place")),
        ({"/data.json": POD_1_0}, "/about", Found("data_json", "/data.json", "place")),
        ({"/data.json": SOCRATA}, "/browse", Found("data_json", "/data.json", "place")),
        *(
            ({path: POD_1_0}, "/search", Found("data_json", path, "place"))
            for path in ("/api/feed/dcat-us/1.1.json",)
        ),
        *(
            ({path: DCAT_JSON}, "/search", Found("dcat_rdf", path, "place"))
            for path in ("/api/feed/dcat-ap/2.1.1.json", "/catalog.jsonld")
        ),
        ({"/catalog.ttl": DCAT_TURTLE}, "/about", Found("dcat_rdf", "/catalog.ttl", "place")),
        ({"/roads": page_of(SCHEMA_ORG)}, "/roads", Found("dcat_rdf", "/roads", "address")),
        ({"/list": page_of(CATALOGUE, 100_000)}, "/list", Found("dcat_rdf", "/list", "address")),
        ({"/roads": page_of(DCAT_JSON)}, "/roads", Found("dcat_rdf", "/roads", "address")),
        ({"/": page_of({**SCHEMA_ORG, "@type": "Organization"})}, "/", None),
        (
            {"/roads": page_of(SCHEMA_ORG), "/data.json": POD_1_0},
            "/roads",
            Found("data_json", "/data.json", "place"),
        ),
    ],
)
def test_the_nearest_that_answers(
    publisher: Publisher,
    http: HttpClient,
    routes: dict[str, object],
    asked: str,
    expected: Found | None,
) -> None:
    for path, content in routes.items():
        publisher.serve(path, content)
    assert found_at(publisher, http, asked) == expected


def test_compressed_answer_is_recognised(publisher: Publisher, http: HttpClient) -> None:
    packed = gzip.compress(json.dumps(POD_1_0 * 5000).encode())
    publisher.serve("/list", packed, headers={"Content-Encoding": "gzip"})
    assert found_at(publisher, http, "/list") == Found("data_json", "/list", "address")


@pytest.mark.parametrize("root", ["Capabilities", "ExceptionReport"])
def test_answer_without_records_is_no_saved_file(
    publisher: Publisher, http: HttpClient, root: str
) -> None:
    publisher.serve("/a.xml", CAPABILITIES.replace("Capabilities", root))
    assert found_at(publisher, http, "/a.xml") == Found("gemini-csw", "/a.xml", "address")


def test_nothing_answers(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/", "<!doctype html><title>Home</title>")
    probe = Probe(http)
    assert look_up(publisher.url("/a/b/c/d/e/f"), probe) is None
    assert probe.error is not None
    assert len(publisher.paths) == len(set(publisher.paths))


def test_what_an_address_sent_is_named_if_it_leads_nowhere(http: HttpClient) -> None:
    error = nothing_found("https://a.example/report", Probe(http, head=b"%PDF-1.7 1 0 obj"))
    assert error.code == "no-source"
    assert "https://a.example/report is text that begins with '%PDF-1.7 1 0 obj'" in error.message


def test_a_server_that_is_away_is_asked_once(http: HttpClient) -> None:
    with pytest.raises(FetchError):
        look_up("http://127.0.0.1:9/data", Probe(http))


def test_time_and_stop_end_it(publisher: Publisher, http: HttpClient) -> None:
    times = iter((0.0, 1.0, 50.0))
    with pytest.raises(Over) as over:
        look_up(publisher.url("/a"), Probe(http, clock=lambda: next(times)))
    assert over.value.why == "time"
    with pytest.raises(Over) as over:
        look_up(publisher.url("/a"), Probe(http, tell=lambda: False))
    assert over.value.why == "stopped"


def test_list_of_a_folder_has_no_title(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/", "<!DOCTYPE html><html><title>Index of /</title><a href='a.xml'>a.xml</a>")
    assert Probe(http).site_title(publisher.url("/data")) == ""
