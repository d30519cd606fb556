"""Schemas of a catalogue's records: gmd as ever, another one only without it or by an option."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.readers.csw.filters import MDB, SCHEMAS
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from tests.publishing.csw import CSW, GMD, Catalogue, dublin_core, gmd
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads, guids

ISO_3 = "POST mdb:MD_Metadata sorted by apiso:Identifier full-iso19115-3"
DCAT = "POST gmd:MD_Metadata sorted by apiso:Identifier full-dcat"


def _mdb(guid: str) -> str:
    return (
        f'<mdb:MD_Metadata xmlns:mdb="{MDB}" xmlns:mcc="http://standards.iso.org/iso/19115/-3/mcc/1.0"'
        ' xmlns:gco="http://standards.iso.org/iso/19115/-3/gco/1.0"><mdb:metadataIdentifier>'
        f"<mcc:MD_Identifier><mcc:code><gco:CharacterString>{guid}</gco:CharacterString></mcc:code>"
        "</mcc:MD_Identifier></mdb:metadataIdentifier></mdb:MD_Metadata>"
    )


def _rdf(guid: str) -> str:
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/">'
        f'<dcat:Dataset rdf:about="http://a.example/{guid}"><dct:title>Title of {guid}</dct:title>'
        "</dcat:Dataset></rdf:RDF>"
    )


def _capabilities(*schemas: str) -> str:
    values = "".join(f"<ows:Value>{schema}</ows:Value>" for schema in schemas)
    return (
        f'<csw:Capabilities xmlns:csw="{CSW}" xmlns:ows="http://www.opengis.net/ows">'
        '<ows:OperationsMetadata><ows:Operation name="GetRecords">'
        f'<ows:Parameter name="outputSchema">{values}</ows:Parameter>'
        "</ows:Operation></ows:OperationsMetadata></csw:Capabilities>"
    )


def _catalogue(record: str, schema: str, **more: object) -> Catalogue:
    records = [record.replace("ID", f"r{number}") for number in range(1, 7)]
    types = ("mdb:MD_Metadata",) if schema == MDB else ("gmd:MD_Metadata", "csw:Record")
    offered = _capabilities(CSW, schema)
    more = {"schemas": (schema,), "types": types, "capabilities": offered, **more}
    return Catalogue(records, **more)  # type: ignore[arg-type]


def test_iso_19115_3_is_read_from_a_server_without_gmd(reads: Reads) -> None:
    found, ending = reads(_catalogue(_mdb("ID"), MDB))
    assert guids(found) == [f"r{number}" for number in range(1, 7)]
    assert (ending.complete, ending.interface) == (True, ISO_3)
    assert "mdb%2F2.0" in found[0].url
    found, ending = reads(_catalogue(_mdb("ID"), MDB), interface=ISO_3)
    assert (len(found), ending.interface) == (6, ISO_3)


@pytest.mark.parametrize("schema", ["dcat", "geodcat-ap"])
def test_dcat_is_read_from_a_server_without_gmd(reads: Reads, schema: str) -> None:
    found, ending = reads(_catalogue(_rdf("ID"), SCHEMAS[schema]))
    assert guids(found) == [f"http://a.example/r{number}" for number in range(1, 7)]
    assert (ending.complete, ending.interface) == (True, DCAT.replace("dcat", schema))
    assert GEMINI_CSW.parser.parse(found[0], {}).title == "Title of r1"


def test_dublin_core_is_read_from_a_server_that_offers_nothing_else(reads: Reads) -> None:
    more = (
        "<dct:spatial>Wend</dct:spatial><dct:references>https://a.example/1.csv</dct:references>"
        '<ows:BoundingBox xmlns:ows="http://www.opengis.net/ows" crs="urn:ogc:def:crs:EPSG::4326">'
        "<ows:LowerCorner>51 -1</ows:LowerCorner><ows:UpperCorner>52 0</ows:UpperCorner>"
        "</ows:BoundingBox></csw:Record>"
    )
    record = dublin_core("ID").replace("Summary", "").replace("</csw:Record>", more)
    catalogue = _catalogue(record, CSW, types=("csw:Record",))
    found, ending = reads(catalogue)
    assert guids(found) == [f"r{number}" for number in range(1, 7)]
    interface = "POST csw:Record sorted by dc:identifier full-csw"
    assert (ending.complete, ending.interface) == (True, interface)
    parsed = GEMINI_CSW.parser.parse(found[0], {})
    assert (parsed.title, parsed.spatial_text) == ("Title of r1", "Wend")
    assert [file.url for file in parsed.resources] == ["https://a.example/1.csv"]
    assert parsed.spatial is not None
    assert len(reads(catalogue, interface=interface)[0]) == 6


def test_an_option_asks_for_another_schema(reads: Reads) -> None:
    both = _catalogue(_mdb("ID"), MDB, schemas=(GMD, MDB), types=("gmd:MD_Metadata", "csw:Record"))
    found, ending = reads(both, {"schema": "iso19115-3"})
    assert len(found) == 6
    assert {each.schema for each in both.asked} == {MDB}
    assert ending.interface.endswith("full-iso19115-3")


def test_a_server_with_gmd_is_asked_for_nothing_else(reads: Reads) -> None:
    offered = _capabilities(CSW, GMD, *SCHEMAS.values())
    catalogue = Catalogue(many(6), schemas=(GMD, *SCHEMAS.values()), capabilities=offered)
    found, ending = reads(catalogue)
    assert (len(found), ending.interface) == (6, BEST)
    assert {each.schema for each in catalogue.asked} == {GMD}


def test_a_list_of_records_is_kept_where_gmd_is_offered(reads: Reads) -> None:
    names = [f"r{number}" for number in range(1, 7)]
    catalogue = Catalogue(
        [dublin_core(each) for each in names],
        schemas=(CSW, MDB),
        capabilities=_capabilities(CSW, GMD, MDB),
        whole={each: gmd(each) for each in names},
    )
    found, ending = reads(catalogue)
    assert guids(found) == names
    assert ending.interface.endswith(" summary")


@pytest.mark.parametrize("known", [BEST, "POST csw:Record sorted by dc:identifier summary"])
def test_a_source_that_was_read_never_changes_its_schema(reads: Reads, known: str) -> None:
    catalogue = _catalogue(_mdb("ID"), MDB)
    assert "outputSchema" in reads.refused(catalogue, interface=known).message
    assert MDB not in {each.schema for each in catalogue.asked}
