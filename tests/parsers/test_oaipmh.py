"""The parser of a repository's record is chosen by the record itself."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers import oaipmh
from tests.publishing.gemini import gemini
from tests.publishing.records import Item

DC = '<{}><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">T</dc:title></{}>'
TRIPLES = (
    '<http://a.example/1> <http://purl.org/dc/terms/title> "T" .\n'
    "<http://a.example/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    " <http://www.w3.org/ns/dcat#Dataset> .\n"
)


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (gemini(Item(1, "T", "D")), "gmd:hierarchyLevel"),
        (DC.format("dc", "dc"), "dc:rights"),
        (DC.format("qualifieddc", "qualifieddc"), "dc:rights"),
        (TRIPLES, "dct:publisher"),
    ],
)
def test_each_format_has_its_parser_and_the_headers_identity(content: str, field: str) -> None:
    record = oaipmh.parse(RawRecord("oai:a:1", content), {"validation": "report"})
    assert (record.guid, record.title) == ("oai:a:1", "T")
    assert field in {each.field for each in record.problems}
    assert len(fingerprint(content, oaipmh.FORM, ())) == 64


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('<mods xmlns="http://www.loc.gov/mods/v3"/>', "<mods> of the namespace http://www.loc"),
        ("<record><leader/></record>", "its root element is <record>;"),
    ],
)
def test_another_format_is_refused_with_those_that_are_read(content: str, found: str) -> None:
    with pytest.raises(ParseError) as caught:
        oaipmh.parse(RawRecord("a", content), {})
    assert found in caught.value.message
    assert "expected DCAT in RDF/XML (rdf:RDF), ISO 19139" in caught.value.message
