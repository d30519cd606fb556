"""Distributions in RDF and other links to a dataset, and their parsed values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.records import Licence, Period, RawRecord, ResourceRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from tests.parsers.dcat.turtle import codes, ntriples, parse

FILE = "dcat:downloadURL <http://a.uk/f>"
EU = "http://publications.europa.eu/resource/authority/"


def _one(turtle: str) -> ResourceRecord:
    (resource,) = parse(f"dcat:distribution [ {turtle} ]").resources
    return resource


@pytest.mark.parametrize(
    ("turtle", "field", "expected"),
    [
        (FILE, "url", "http://a.uk/f"),
        ("dcat:accessURL <http://a.uk/p>", "url", "http://a.uk/p"),
        ('dcat:accessURL "http://a.uk/p"', "url", "http://a.uk/p"),
        (f"{FILE} ; dcat:accessURL <http://a.uk/p>", "url", "http://a.uk/f"),
        ("schema:contentUrl <http://a.uk/f>", "url", "http://a.uk/f"),
        (f'{FILE} ; dct:title "N"@en, "E"@cy', "name", "N"),
        (f'{FILE} ; schema:name "N"', "name", "N"),
        (f'{FILE} ; dct:description "<b>D</b>"', "description", "D"),
        (f'{FILE} ; dcat:mediaType "text/csv"', "mimetype", "text/csv"),
        (f'{FILE} ; dcat:mediaType "text/csv"', "format", "CSV"),
        (
            f"{FILE} ; dcat:mediaType <http://www.iana.org/assignments/media-types/text/csv>",
            "mimetype",
            "text/csv",
        ),
        (f"{FILE} ; dct:format <{EU}file-type/CSV>", "format", "CSV"),
        (f'{FILE} ; dct:format [ rdf:value "text/csv" ; rdfs:label "CSV" ]', "format", "CSV"),
        (
            f'{FILE} ; dct:format [ rdf:value "text/csv" ; rdfs:label "CSV" ]',
            "mimetype",
            "text/csv",
        ),
        (f'{FILE} ; schema:encodingFormat "text/csv"', "format", "CSV"),
        ("dcat:downloadURL <http://a.uk/f.csv>", "format", "CSV"),
        (f'{FILE} ; dcat:byteSize "5120.0"^^xsd:decimal', "size", 5120),
        (f'{FILE} ; dcat:byteSize "1.5E3"^^xsd:double', "size", 1500),
        (f"{FILE} ; dcat:size [ dcat:bytes 7 ]", "size", 7),
        (f'{FILE} ; dct:issued "2019"', "issued", "2019"),
        (f'{FILE} ; dct:modified "2019-05-01"', "modified", "2019-05-01"),
        (f'{FILE} ; dct:temporal "2019/2020"', "temporal", Period("2019", "2020")),
        (f"{FILE} ; dct:conformsTo <http://a.uk/s>", "schema_url", "http://a.uk/s"),
        (f"{FILE} ; dct:license <http://a.uk/l>", "licence", Licence(url="http://a.uk/l")),
        (f'{FILE} ; dct:identifier "7"', "id", "7"),
        ("dcat:accessURL <http://a.uk/wms?service=WMS>", "kind", "service"),
        ("dcat:accessService [ dcat:endpointURL <http://a.uk/api> ]", "url", "http://a.uk/api"),
        ("dcat:accessService [ dcat:endpointURL <http://a.uk/api> ]", "kind", "service"),
    ],
)
def test_a_predicate_becomes(turtle: str, field: str, expected: Any) -> None:
    assert getattr(_one(turtle), field) == expected


@pytest.mark.parametrize(
    ("turtle", "name", "expected"),
    [
        ("dcat:accessURL <http://a.uk/p>", "access_url", "http://a.uk/p"),
        ('dct:rights "R"', "rights", "R"),
        (
            "dcat:compressFormat <http://www.iana.org/assignments/media-types/application/gzip>",
            "compress_format",
            "application/gzip",
        ),
        ("dcatap:availability <http://a.eu/s>", "availability", "http://a.eu/s"),
        ("adms:status <http://a.eu/s>", "status", "http://a.eu/s"),
        ("foaf:page <http://a.uk/doc>", "documentation", '["http://a.uk/doc"]'),
        ('dct:language "en", "cy"', "language", "cy, en"),
        ('spdx:checksum [ spdx:algorithm "sha1" ; spdx:checksumValue "ab" ]', "hash", "ab"),
        (
            'spdx:checksum [ spdx:algorithm "sha1" ; spdx:checksumValue "ab" ]',
            "hash_algorithm",
            "sha1",
        ),
        ('dct:spatial "Leeds"', "spatial-text", "Leeds"),
    ],
)
def test_further_facts_are_kept(turtle: str, name: str, expected: str) -> None:
    assert _one(f"{FILE} ; {turtle}").extras[name] == expected


def test_services_of_a_distribution_are_kept_as_in_ckanext_dcat() -> None:
    service = 'dcat:accessService [ dct:title "API" ; dcat:endpointURL <http://a.uk/api> ]'
    file, api = parse(f"dcat:distribution [ {FILE} ; {service} ]").resources
    services = json.loads(file.extras["access_services"])
    assert (api.url, api.kind, api.name) == ("http://a.uk/api", "service", "API")
    assert services == [{"uri": "", "title": "API", "endpoint_url": ["http://a.uk/api"]}]


def test_a_services_terms_are_not_those_of_the_dataset() -> None:
    api = "<http://a.uk/api> a dcat:DataService ; dcat:servesDataset <http://a.uk/d> ;"
    api += (
        ' dcat:endpointURL <http://a.uk/v1> ; dct:title "API" ; dct:license <http://a.uk/terms> .'
    )
    record = parse(
        f'dct:title "T" ; dcat:distribution [ {FILE} ; dct:license "cc-zero" ]', api, bare=True
    )
    file, service = record.resources
    assert (file.url, service.url) == ("http://a.uk/f", "http://a.uk/v1")
    assert service.licence == Licence(url="http://a.uk/terms")
    assert record.licence is not None
    assert record.licence.id == "cc-zero"


def test_a_distribution_has_its_uri_as_identity() -> None:
    record = parse(
        "dcat:distribution <http://a.uk/d/r>", f'<http://a.uk/d/r> {FILE} ; dct:title "R" .'
    )
    assert [(each.id, each.name) for each in record.resources] == [("http://a.uk/d/r", "R")]


def test_distribution_without_properties() -> None:
    record = parse("dcat:distribution <http://a.uk/d/r>")
    assert [(each.url, each.id) for each in record.resources] == [("http://a.uk/d/r", "")]
    assert codes(record) == ["missing-url dcat:accessURL"]
    assert "http://a.uk/d/r" in record.problems[0].message


def test_a_distribution_without_any_address() -> None:
    record = parse('dcat:distribution [ dct:title "Roads" ]')
    assert record.resources == ()
    assert record.problems[0].message.startswith("distribution 'Roads', dcat:accessURL: missing")


def test_a_script_is_no_address() -> None:
    record = parse("dcat:distribution [ dcat:accessURL <javascript:alert(1)> ]")
    assert record.resources == ()
    assert codes(record) == ["bad-url dcat:accessURL"]


def test_distributions_of_schema_org_and_parts_and_samples() -> None:
    record = parse(
        "schema:distribution [ schema:contentUrl <http://a.uk/1> ] ;"
        " dct:hasPart <http://a.uk/other>, [ dcat:accessURL <http://a.uk/2> ] ;"
        " adms:sample <http://a.uk/s>",
        "<http://a.uk/s> dcat:accessURL <http://a.uk/3> .",
    )
    assert {(each.url, each.name) for each in record.resources} == {
        ("http://a.uk/1", ""),
        ("http://a.uk/2", ""),
        ("http://a.uk/3", "Sample"),
    }


def test_too_many_distributions() -> None:
    files = ", ".join(f"[ dcat:accessURL <http://a.uk/{n}> ]" for n in range(4))
    record = parse(f"dcat:distribution {files}", max_resources=3)
    assert len(record.resources) == 3
    assert codes(record) == ["too-many-distributions dcat:distribution"]


@pytest.mark.parametrize(
    ("turtle", "problem"),
    [
        ('dct:format "nonsense"', "unknown-format dct:format"),
        ('dcat:mediaType "nonsense"', "bad-media-type dcat:mediaType"),
        ('dcat:byteSize "big"', "bad-size dcat:byteSize"),
        ('dcat:byteSize "-1"', "bad-size dcat:byteSize"),
        ('dct:modified "soon"', "bad-date dct:modified"),
    ],
)
def test_a_defect_is_reported_under_the_distribution(turtle: str, problem: str) -> None:
    record = parse(f'dcat:distribution [ {FILE} ; dct:title "Roads" ; {turtle} ]')
    assert codes(record) == [problem]
    assert record.problems[0].message.startswith("distribution 'Roads', ")


def test_a_licence_that_all_distributions_have_is_the_datasets() -> None:
    record = parse(
        'dct:title "T" ; dcat:distribution'
        ' [ dcat:accessURL <http://a.uk/1> ; dct:license "cc-by" ],'
        ' [ dcat:accessURL <http://a.uk/2> ; dct:license "cc-by" ] ; '
        " void:sparqlEndpoint <http://a.uk/q> ; foaf:page <http://a.uk/p>",
        bare=True,
    )
    assert record.licence
    assert record.licence.id == "cc-by"


@pytest.mark.parametrize(
    ("turtle", "name", "label", "kind"),
    [
        ("dcat:landingPage <http://a.uk/x>", "Landing page", "HTML", "documentation"),
        ("foaf:page <http://a.uk/x>", "Documentation", "HTML", "documentation"),
        ("dct:references <http://a.uk/x>", "Reference", "HTML", "documentation"),
        ("void:dataDump <http://a.uk/x>", "Data dump", "RDF", "data"),
        ("void:sparqlEndpoint <http://a.uk/x>", "SPARQL endpoint", "SPARQL", "service"),
        ("geography:zippedShapefile <http://a.uk/x>", "Data as shapefile (zipped)", "SHP", "data"),
    ],
)
def test_pages_and_services_become_resources(turtle: str, name: str, label: str, kind: str) -> None:
    expected = ResourceRecord("http://a.uk/x", name=name, format=label, kind=kind)
    assert parse(turtle).resources == (expected,)


@pytest.mark.parametrize(
    ("turtle", "name"),
    [
        ("dcat:downloadURL <http://a.uk/files/rivers%20and%20lakes.csv>", "rivers and lakes.csv"),
        ("dcat:accessURL <http://a.uk/api> ; dct:format 'CSV'", "CSV resource"),
        ("dcat:accessURL <http://a.uk/v1.2/> ; dct:format 'JSON'", "v1.2"),
        ("dcat:accessURL <http://a.uk/>", ""),
        ("dcat:downloadURL <http://a.uk/a.csv> ; dct:title 'Rivers'", "Rivers"),
    ],
)
def test_a_distribution_without_title_is_named_by_url_or_format(turtle: str, name: str) -> None:
    assert _one(turtle).name == name


@pytest.mark.parametrize("name", ["dcat:distributions", "dct:distributions", "dct:distribution"])
def test_a_misnamed_distribution_is_read_and_reported(name: str) -> None:
    record = parse(f"{name} [ {FILE} ; dct:title 'F' ; dcat:bytesSize '12' ]")
    assert [each.size for each in record.resources] == [12]
    assert codes(record) == [f"misnamed-field {name}"]


def test_the_file_of_a_dataset_of_publish_my_data() -> None:
    record = parse('pmd:downloadURL <http://a.uk/x> ; pmd:mediaType "text/csv"')
    expected = ResourceRecord("http://a.uk/x", format="CSV", mimetype="text/csv", kind="data")
    assert record.resources == (expected,)


def test_page_and_distribution_of_one_url_are_one_resource() -> None:
    record = parse(f"dcat:distribution [ {FILE} ] ; dcat:landingPage <http://a.uk/f>")
    assert len(record.resources) == 1


@pytest.mark.parametrize(
    ("service", "url"),
    [
        ("[ dcat:landingPage <http://a.uk/page> ]", "http://a.uk/page"),
        ("[ dcat:endpointDescription <http://a.uk/api.json> ]", "http://a.uk/api.json"),
        ("<http://a.uk/service>", "http://a.uk/service"),
        ("[ dct:title 'S' ], <http://a.uk/service>", "http://a.uk/service"),
    ],
)
def test_a_service_without_endpoint_is_reached_by_what_it_has(service: str, url: str) -> None:
    resource = _one(f"dcat:accessService {service}")
    assert (resource.url, resource.kind) == (url, "service")


def test_a_service_without_any_url_is_no_resource() -> None:
    record = parse("dcat:distribution [ dcat:accessService [ dct:title 'S' ] ]")
    assert record.resources == ()
    assert "missing-url dcat:accessURL" in codes(record)


def test_a_page_without_a_url_is_left_out() -> None:
    assert parse("foaf:page [ dct:title 'Notes' ]").resources == ()


def test_an_empty_size_is_no_size() -> None:
    assert _one(f'{FILE} ; dcat:byteSize "" ; dcat:bytes 12').size == 12


def test_page_of_a_dataset_that_ckan_exports_is_no_file() -> None:
    uri = "https://ckan.example/dataset/0a1c7c1e-5a35-4d6b-9a39-5d0b0f4a3c52"
    content = ntriples(
        f'<{uri}> a dcat:Dataset ; dct:title "T" ; dcat:landingPage <http://a.uk/p> .'
    )
    record = dcat.parse(RawRecord(uri, content), {})
    assert (record.resources, record.url) == ((), "http://a.uk/p")
