"""Datasets in RDF: each predicate and its parsed value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import DatasetRecord, Licence, Period, RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from tests.parsers.dcat.turtle import codes, ntriples, parse

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
OGL_TITLE = "UK Open Government Licence (OGL)"
EU = "http://publications.europa.eu/resource/authority/"


def test_a_complete_dataset_has_no_problems() -> None:
    assert parse("").problems == ()


@pytest.mark.parametrize(
    ("turtle", "field", "expected"),
    [
        # Texts, and the language that is chosen.
        ('dct:title " A\u00a0b "', "title", "A b"),
        ('dct:title "Titre"@fr, "Title"@en, "Bare"', "title", "Title"),
        ('dct:title "Titre"@fr, "Title"@en-GB, "Bare"', "title", "Title"),
        ('dct:title "Titre"@fr, "Bare"', "title", "Bare"),
        ('dct:title "Titre"@fr, "Titel"@de', "title", "Titel"),
        ('rdfs:label "L"', "title", "L"),
        ('schema:name "S"', "title", "S"),
        (
            'dct:title "T" ; dct:description "<p>One</p><p>Two &amp; three</p>"',
            "notes",
            "One\n\nTwo & three",
        ),
        ('dct:title "T" ; dct:description "D" ; rdfs:comment "C"', "notes", "D\n\nC"),
        ('dct:title "T" ; dct:abstract "A"', "notes", "A"),
        # Descriptions.
        ('dcat:keyword "air, water", "Luft"@de, "air"', "tags", ("air", "water", "Luft")),
        ("dcat:keyword <http://a.uk/concept>", "tags", ()),
        ('dcat:keyword [ skos:prefLabel "Air" ]', "tags", ("Air",)),
        (f'dcat:theme <{EU}data-theme/ENVI>, "Air"', "themes", ("Air", f"{EU}data-theme/ENVI")),
        ("dct:subject <http://a.uk/s>", "themes", ("http://a.uk/s",)),
        ('dct:theme "Air"', "themes", ("Air",)),
        (
            'dcat:theme "Air", [ skos:prefLabel "Water" ; schema:position 1 ], "Noise"',
            "themes",
            ("Water", "Air", "Noise"),
        ),
        (
            'dct:language "en", <http://publications.europa.eu/resource/authority/language/CYM>',
            "language",
            ("en", "cy"),
        ),
        ('dc:language "en, cy"', "language", ("en", "cy")),
        ('dct:conformsTo <http://a.uk/s.json>, "INSPIRE"', "schema_urls", ("http://a.uk/s.json",)),
        ('owl:versionInfo "2.0"', "version", "2.0"),
        ('dcat:version "3.1"', "version", "3.1"),
        ('adms:version "1"', "version", "1"),
        ("dcat:landingPage <http://a.uk/p>", "url", "http://a.uk/p"),
        ("foaf:homepage <http://a.uk/h>", "url", "http://a.uk/h"),
        # Dates.
        ('dct:issued "2019-05"^^xsd:gYearMonth', "issued", "2019-05"),
        ('dct:modified "2019-05-01", "2020-01-01"', "modified", "2020-01-01"),
        ('schema:dateModified "2019-05-01"', "modified", "2019-05-01"),
        ("dct:modified <http://reference.data.gov.uk/id/day/2019-05-01>", "modified", "2019-05-01"),
        # Frequencies.
        (f"dct:accrualPeriodicity <{EU}frequency/ANNUAL>", "frequency", "R/P1Y"),
        ("dct:accrualPeriodicity <http://purl.org/cld/freq/daily>", "frequency", "R/P1D"),
        ('dct:accrualPeriodicity "Annual"', "frequency", "R/P1Y"),
        ('dct:accrualPeriodicity [ rdfs:label "monthly" ]', "frequency", "R/P1M"),
        ("dct:accrualPeriodicity [ rdf:value [ time:years 1.0 ] ]", "frequency", "R/P1Y"),
        # Terms.
        (f"dct:license <{OGL}>", "licence", Licence("uk-ogl", OGL_TITLE, OGL)),
        (
            f'dct:license [ rdfs:label "OGL" ; rdfs:seeAlso <{OGL}> ]',
            "licence",
            Licence("uk-ogl", OGL_TITLE, OGL),
        ),
        (
            f'dct:rights "Published under {OGL}."',
            "licence",
            Licence("uk-ogl", "UK Open Government Licence (OGL)", OGL),
        ),
        (
            "dct:license <http://a.uk/def/licenses/cc-zero>",
            "licence",
            Licence("cc-zero", "Creative Commons CCZero", "http://a.uk/def/licenses/cc-zero"),
        ),
        ('dct:rights [ a dct:RightsStatement ; rdfs:label "All ours" ]', "rights", "All ours"),
        (f"dct:accessRights <{EU}access-right/PUBLIC>", "rights", ""),
    ],
)
def test_a_predicate_becomes(turtle: str, field: str, expected: Any) -> None:
    title = "" if field == "title" or "dct:title" in turtle else 'dct:title "T" ; '
    assert getattr(parse(title + turtle, bare=True), field) == expected


def test_the_source_chooses_the_language() -> None:
    record = parse('dct:title "Title"@en, "Teitl"@cy', bare=True, language="cy")
    assert record.title == "Teitl"


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        (
            '[ schema:startDate "2019-01-01" ; schema:endDate "2019-12-31" ]',
            Period("2019-01-01", "2019-12-31"),
        ),
        ('[ dcat:startDate "2019"^^xsd:gYear ]', Period("2019", "")),
        (
            '[ time:hasBeginning [ time:inXSDDate "2019-01-01" ] ;'
            ' time:hasEnd [ time:inXSDDateTimeStamp "2020-01-01T00:00:00Z" ] ]',
            Period("2019-01-01", "2020-01-01T00:00:00Z"),
        ),
        ('[ scv:min "2019-01-01" ; scv:max "2020-01-01" ]', Period("2019-01-01", "2020-01-01")),
        ('"2019-05"^^xsd:gYearMonth', Period("2019-05", "2019-05")),
        (
            '[ dcat:startDate "2019" ; dcat:endDate "2020" ], [ dcat:startDate "2018" ;'
            ' dcat:endDate "2019" ]',
            Period("2018", "2020"),
        ),
        ("<http://a.uk/some/period>", None),
    ],
)
def test_periods(turtle: str, expected: Period | None) -> None:
    assert parse(f"dct:temporal {turtle}").temporal == expected


SQUARE = [[[0.0, 51.0], [1.0, 51.0], [1.0, 52.0], [0.0, 52.0], [0.0, 51.0]]]
WKT = "POLYGON((0 51, 1 51, 1 52, 0 52, 0 51))"
GEOJSON = json.dumps({"type": "Polygon", "coordinates": SQUARE}).replace('"', '\\"')


@pytest.mark.parametrize(
    "turtle",
    [
        f'[ locn:geometry "{WKT}"^^gsp:wktLiteral ]',
        f'[ locn:geometry "{GEOJSON}" ]',
        f'[ dcat:bbox "{WKT}" ; dcat:centroid "POINT(0.5 51.5)" ]',
        f'[ locn:geometry "broken", "{WKT}" ]',
        f'[ gsp:hasGeometry [ gsp:asWKT "{WKT}" ] ]',
    ],
)
def test_geometries(turtle: str) -> None:
    record = parse(f"dct:spatial {turtle}")
    assert record.spatial == {"type": "Polygon", "coordinates": SQUARE}
    assert record.problems == ()


def test_places_in_words_and_uris() -> None:
    record = parse(
        'dct:spatial <http://sws.geonames.org/2635167/>, "Wales"',
        '<http://sws.geonames.org/2635167/> skos:prefLabel "United Kingdom"@en .',
    )
    assert record.spatial is None
    assert record.spatial_text == "Wales; United Kingdom"
    assert record.extras["spatial_uri"] == "http://sws.geonames.org/2635167/"


def test_functions_and_services_of_local_government() -> None:
    record = parse(
        "dcat:theme <http://id.esd.org.uk/service/579>, <https://id.esd.org.uk/function/72/> ;"
        " dct:subject <http://standards.esd.org.uk/?uri=service%2F12>"
    )
    services = "http://id.esd.org.uk/service/579 http://id.esd.org.uk/service/12"
    assert record.extras["la_service"] == services
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/72"
    assert record.themes == ()


def test_a_function_that_is_in_no_list_is_kept_and_reported() -> None:
    record = parse("dcat:theme <http://id.esd.org.uk/function/9999>, <http://a.uk/theme/1>")
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/9999"
    assert record.themes == ("http://a.uk/theme/1",)
    problems = [each for each in record.problems if each.code != "missing-field"]
    assert [(each.code, each.field) for each in problems] == [("unknown-la-function", "dcat:theme")]


def test_reference_systems_are_no_schemas_and_laws_are_mandates() -> None:
    record = parse(
        "dct:conformsTo <http://www.opengis.net/def/crs/EPSG/0/27700>, <http://a.uk/schema> ;"
        ' dcatap:applicableLegislation <http://data.europa.eu/eli/reg_impl/2023/138/oj>, "An act"'
    )
    assert record.schema_urls == ("http://a.uk/schema",)
    assert record.extras["mandate"] == '["http://data.europa.eu/eli/reg_impl/2023/138/oj"]'
    assert "An act" in record.extras["applicable_legislation"]


@pytest.mark.parametrize(
    ("turtle", "problem"),
    [
        ('dct:modified "soon"', "bad-date dct:modified"),
        ('dct:issued ""', "empty-field dct:issued"),
        ('dct:temporal "then"', "bad-period dct:temporal"),
        ('dct:language "gibberish!"', "bad-language dct:language"),
        ('dct:accrualPeriodicity "now and then"', "bad-frequency dct:accrualPeriodicity"),
        ('dct:spatial [ locn:geometry "somewhere" ]', "bad-spatial dct:spatial"),
        ('dct:spatial "POLYGON((0 51, 400 51, 1 52, 0 51))"', "bad-spatial dct:spatial"),
        ('dcat:keyword "x"', "bad-tag dcat:keyword"),
        ('dcat:contactPoint [ vcard:hasEmail "nobody" ]', "bad-email vcard:hasEmail"),
    ],
)
def test_a_defect_is_reported_and_loses_no_record(turtle: str, problem: str) -> None:
    assert problem in codes(parse(turtle))


def test_missing_dcat_fields_are_reported() -> None:
    record = parse('dct:title "T" ; dct:publisher <http://a.uk/p>', bare=True)
    assert codes(record) == [
        "missing-field dct:publisher",
        "missing-field dct:description",
        "missing-field dcat:contactPoint",
        "missing-field dct:license",
    ]
    assert "http://a.uk/p" in record.problems[0].message


@pytest.mark.parametrize(
    ("content", "guid", "code"),
    [
        ("", "", "missing-identifier"),
        ("", "x", "no-dataset"),
        ("nonsense", "x", "not-ntriples"),
        (ntriples("<http://a.uk/d> a dcat:Dataset ."), "x", "missing-title"),
        (ntriples('<http://a.uk/d> a dcat:Dataset ; dct:title " " .'), "x", "missing-title"),
    ],
)
def test_unreadable_dcat_record_is_refused(content: str, guid: str, code: str) -> None:
    with pytest.raises(ParseError) as caught:
        dcat.parse(RawRecord(guid, content), {})
    assert caught.value.code == code


def test_every_order_of_the_triples_gives_the_same_record() -> None:
    lines = ntriples(
        '<http://a.uk/d> a dcat:Dataset ; dct:title "T", "U" ; dcat:keyword "b", "a" ;'
        ' dcat:contactPoint [ vcard:fn "C" ], [ vcard:fn "D" ] ; dcat:distribution'
        " [ dcat:accessURL <http://a.uk/10> ], [ dcat:accessURL <http://a.uk/9> ] ."
    ).splitlines()
    found = [_parsed(order) for order in (sorted(lines), sorted(lines, reverse=True))]
    assert found[0] == found[1]
    assert [each.url for each in found[0].resources] == ["http://a.uk/9", "http://a.uk/10"]


def _parsed(lines: list[str]) -> DatasetRecord:
    return dcat.parse(RawRecord("g", "\n".join(lines)), {})


@pytest.mark.parametrize("mapping", [dcat.MAPPING, dcat.RESOURCE_MAPPING])
def test_the_mapping_names_every_predicate_once_per_target(mapping: Any) -> None:
    rows = [(source, row.target) for row in mapping for source in row.source]
    assert len(rows) == len(set(rows))


def test_themes_become_tags_where_an_option_says_so() -> None:
    eu = "<http://publications.europa.eu/resource/authority/data-theme/TRAN>"
    own = '[ a skos:Concept ; skos:prefLabel "Bridges" ]'
    turtle = f'dcat:keyword "roads" ; dcat:theme {eu}, {own}, <http://a.uk/unknown>'
    assert parse(turtle).tags == ("roads",)
    with_themes = parse(turtle, themes_as_tags=True)
    assert sorted(with_themes.tags) == ["Bridges", "Transport", "roads"]
    assert with_themes.themes == parse(turtle).themes
