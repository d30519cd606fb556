"""OWSLib, an independent CSW client, reads the same records as our reader and parser."""

from __future__ import annotations

from dataclasses import dataclass, replace

from owslib.catalogue.csw2 import CatalogueServiceWeb
from owslib.iso import MD_Metadata

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests import gemini_catalogue
from tests.publisher import Publisher
from tests.publishing.csw import GMD, Catalogue
from tests.readers.reads import Reads

COUNT = 60
PAGE = 7


@dataclass(frozen=True)
class Seen:
    """What both readers have of a record."""

    guid: str
    title: str
    abstract: str
    links: frozenset[str]


def catalogue() -> Catalogue:
    return Catalogue([each.element for each in gemini_catalogue.records(COUNT)])


def read_by_owslib(url: str) -> list[Seen]:
    """Read the catalogue page by page, as OWSLib's documentation shows."""
    client = CatalogueServiceWeb(url, skip_caps=True)
    found: list[Seen] = []
    while not found or client.results["nextrecord"]:
        start = client.results["nextrecord"] if found else 1
        client.getrecords2(
            esn="full",
            outputschema=GMD,
            typenames="gmd:MD_Metadata",
            startposition=start,
            maxrecords=PAGE,
        )
        found += [_seen_by_owslib(each) for each in client.records.values()]
    return found


def _seen_by_owslib(record: MD_Metadata) -> Seen:
    (about,) = record.identification
    links = record.distribution.online if record.distribution else ()
    return Seen(
        record.identifier,
        _one_line(about.title),
        _one_line(about.abstract),
        frozenset(link.url.strip() for link in links if link.url),
    )


def _seen_by_us(raw: RawRecord) -> Seen:
    record = gemini.parse(raw, {})
    links = frozenset(resource.url for resource in record.resources)
    return Seen(record.guid, _one_line(record.title), _one_line(record.notes), links)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def test_owslib_reads_the_same_records(reads: Reads, publisher: Publisher) -> None:
    found, ending = reads(catalogue(), {"page_size": PAGE})
    assert ending.complete
    theirs = read_by_owslib(catalogue().serve(publisher))
    assert len(theirs) == COUNT
    for raw, other in zip(found, theirs, strict=True):
        ours = _seen_by_us(raw)
        assert replace(ours, links=other.links) == other
        assert other.links <= ours.links
        # OWSLib reads no links of a distributor.
        assert other.links == ours.links or "distributorTransferOptions" in (raw.content or "")
