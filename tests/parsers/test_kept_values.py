"""Values that stand beside others, or where another is expected, arrive."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.inventory import parser as inventory
from tests.parsers import carriers
from tests.parsers.carriers import FILE, iso_text
from tests.parsers.dcat.turtle import ntriples

ISO_PARTY = (
    "<gmd:{place}><gmd:CI_ResponsibleParty><gmd:organisationName>{name}</gmd:organisationName>"
    '<gmd:role><gmd:CI_RoleCode codeListValue="publisher"/></gmd:role>'
    "</gmd:CI_ResponsibleParty></gmd:{place}>"
)


def test_cited_party_publishes_where_no_point_of_contact_does() -> None:
    cited = ISO_PARTY.format(place="citedResponsibleParty", name=iso_text("River Agency"))
    record = carriers.gemini(citation=cited)
    assert record.publisher is not None
    assert record.publisher.name == "River Agency"
    point = ISO_PARTY.format(place="pointOfContact", name=iso_text("Council"))
    both = carriers.gemini(point, citation=cited)
    assert both.publisher is not None
    assert both.publisher.name == "Council"
    assert "River Agency" in both.extras["responsible-organisation"]


def test_organisation_beside_name_of_vcard_is_kept() -> None:
    record = carriers.dcat(
        'dcat:contactPoint [ vcard:fn "Data desk" ; vcard:organization-name "River Agency" ]'
    )
    (body,) = json.loads(record.extras["responsible-organisation"])
    assert (record.contact and record.contact.name, body["name"]) == ("Data desk", "River Agency")


def test_problem_of_file_hides_no_odd_value_of_dataset() -> None:
    record = carriers.dcat(
        'dct:language [ rdfs:seeAlso "plain English" ] ;'
        f' dcat:distribution [ dcat:accessURL <{FILE}> ; dct:language "not applicable" ]'
    )
    assert "bad-language" in {problem.code for problem in record.problems}
    assert "plain English" in str(record.extras)


def test_text_without_language_stands_beside_tagged_ones() -> None:
    record = carriers.dcat('dct:title "Sea ice", "Hielo marino"@es')
    assert record.title == "Sea ice"
    assert {code: text.title for code, text in record.translations.items()} == {
        "es": "Hielo marino"
    }


def test_service_of_a_dataset_is_a_resource() -> None:
    record = carriers.dcat(
        f"dcat:distribution [ dcat:accessURL <{FILE}> ] ; dcat:accessService <https://a.example/s>",
        '<https://a.example/s> dct:title "API" ; dcat:endpointURL <https://a.example/api> .',
    )
    assert [file.url for file in record.resources] == [FILE, "https://a.example/api"]


@pytest.mark.parametrize("base", ["https://data.example/catalogue/a.ttl", ""])
def test_page_without_scheme_is_not_on_the_host_of_its_document(base: str) -> None:
    folder = base.rpartition("/")[0] or "file://"
    page = f"<https://a.example/x> a dcat:Dataset ; dct:title 'T' ; dcat:landingPage <{folder}/"
    text = ntriples(f"{page}www.example.gov.uk/data> .")
    record = dcat.parse(RawRecord("https://a.example/x", text, url=base), {})
    assert record.url == "https://www.example.gov.uk/data"
    assert "bad-url" in {problem.code for problem in record.problems}


def test_geometry_of_geosparql_in_gml_is_read() -> None:
    gml = (
        '<gml:Envelope srsName=\\"urn:ogc:def:crs:EPSG::4326\\"><gml:lowerCorner>50 -6'
        "</gml:lowerCorner><gml:upperCorner>51 -4</gml:upperCorner></gml:Envelope>"
    )
    record = carriers.dcat(f'dct:spatial [ gsp:asGML "{gml}" ]')
    assert record.spatial is not None
    assert record.spatial["coordinates"][0][0] == [-6.0, 50.0]


def test_letters_of_windows_in_latin_1_are_read() -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><Inventory xmlns="http://schemas.esd.org.uk/'
        'inventory"><Datasets><Dataset><Identifier>x</Identifier><Title>Children’s centres</Title>'
        "</Dataset></Datasets></Inventory>"
    )
    content = text.encode("cp1252").decode("latin-1").partition("?>")[2]
    assert inventory.parse(RawRecord("x", content), {}).title == "Children’s centres"
