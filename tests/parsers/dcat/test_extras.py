"""Fields of a DCAT dataset that become extras."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from tests.parsers.dcat.turtle import ntriples, parse

EU = "http://publications.europa.eu/resource/authority/"


def test_extras_are_never_empty() -> None:
    assert all(parse('dct:identifier "x"').extras.values())


@pytest.mark.parametrize(
    ("turtle", "name", "expected"),
    [
        ('dct:provenance [ rdfs:label "From B" ]', "provenance", "From B"),
        (
            f"dct:accessRights <{EU}access-right/PUBLIC>",
            "access_rights",
            f"{EU}access-right/PUBLIC",
        ),
        (
            "dcatap:applicableLegislation <http://a.eu/l>",
            "applicable_legislation",
            '["http://a.eu/l"]',
        ),
        ("dcatap:hvdCategory <http://a.eu/c>", "hvd_category", '["http://a.eu/c"]'),
        ('adms:versionNotes "New"', "version_notes", "New"),
        ("dct:isVersionOf <http://a.uk/2>", "is_version_of", '["http://a.uk/2"]'),
        ('dct:source "S"', "source", '["S"]'),
        ("dcat:spatialResolutionInMeters 10.5", "spatial_resolution_in_meters", "10.5"),
        ('dct:identifier "x"', "identifier", "x"),
        ("foaf:page <http://a.uk/doc>", "documentation", '["http://a.uk/doc"]'),
        ('adms:identifier [ skos:notation "n" ]', "alternate_identifier", '["n"]'),
        ('dct:issued "2019"', "issued", "2019"),
        ('dct:temporal "2019/2020"', "temporal_end", "2020"),
        ('dct:publisher [ foaf:name "P" ]', "publisher_name", "P"),
        ('dct:title "T"', "uri", "http://a.uk/d"),
        ('dct:title "T"', "metadata_uri", "http://a.uk/d"),
    ],
)
def test_extras_have_the_names_of_ckanext_dcat(turtle: str, name: str, expected: str) -> None:
    assert parse(turtle).extras[name] == expected


def test_an_example_of_the_eu_keeps_all_it_says() -> None:
    """A dataset with the predicates of the example in data.europa.eu's documentation."""
    record = parse(
        'dct:alternative "Parks, for short"@en ; dct:subject <http://a.eu/eurovoc/1> ;'
        f" dct:accessRights <{EU}access-right/PUBLIC> ;"
        f" dct:accrualPeriodicity <{EU}frequency/MONTHLY> ; dct:language <{EU}language/ENG> ;"
        ' dct:issued "2026-03-17"^^xsd:date ; dcat:distribution ['
        " dcat:accessURL <http://a.eu/page> ; dcat:downloadURL <http://a.eu/parks.csv> ;"
        f' dct:title "Parks"@en ; dct:type <{EU}distribution-type/DOWNLOADABLE_FILE> ;'
        f" dct:license <{EU}licence/CC_BY_4_0> ; dct:rights [ rdfs:label 'Free' ] ;"
        f" adms:status <{EU}distribution-status/COMPLETED> ; dct:format <{EU}file-type/CSV> ;"
        " dcat:mediaType <http://www.iana.org/assignments/media-types/text/csv> ]"
    )
    assert (record.issued, record.frequency, record.language) == ("2026-03-17", "R/P1M", ("en",))
    assert record.themes == ("http://a.eu/eurovoc/1",)
    assert record.extras["alternative"] == "Parks, for short"
    assert record.extras["subject"] == '["http://a.eu/eurovoc/1"]'
    assert record.extras["access_rights"] == f"{EU}access-right/PUBLIC"
    (file,) = record.resources
    assert (file.url, file.name, file.format) == ("http://a.eu/parks.csv", "Parks", "CSV")
    assert file.mimetype == "text/csv"
    assert file.licence is not None
    assert file.licence.url == f"{EU}licence/CC_BY_4_0"
    assert file.extras["access_url"] == "http://a.eu/page"
    assert file.extras["distribution_type"] == f"{EU}distribution-type/DOWNLOADABLE_FILE"
    assert file.extras["status"] == f"{EU}distribution-status/COMPLETED"
    assert file.extras["rights"] == "Free"
    assert record.problems == ()


@pytest.mark.parametrize(
    "kind",
    ["dcat:DatasetSeries", "pmd:Dataset", "void:Dataset", "schema:Dataset"],
)
def test_kinds_of_datasets(kind: str) -> None:
    content = ntriples(f'[] a {kind} ; dct:title "T" ; dct:relation <http://a.uk/other> .')
    assert dcat.parse(RawRecord("g", content), {}).title == "T"


def test_linksets_name_the_linked_datasets() -> None:
    linkset = "void:subset [ a void:Linkset ; {} ]"
    one = linkset.format("void:subjectsTarget <http://a.uk/d> ; void:objectsTarget <http://b.uk/e>")
    two = linkset.format("void:target <http://a.uk/d>, <http://c.uk/f>")
    for turtle, expected in ((one, ["http://b.uk/e"]), (two, ["http://c.uk/f"])):
        assert json.loads(parse(turtle).extras["linksets"]) == expected
    assert "linksets" not in parse("void:subset [ a void:Dataset ]").extras
