"""A real pycsw, read by each binding and with each filter: the records that OWSLib reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from lxml import etree
from owslib.catalogue.csw2 import CatalogueServiceWeb
from owslib.fes import (
    And,
    OgcExpression,
    PropertyIsEqualTo,
    PropertyIsGreaterThanOrEqualTo,
    PropertyIsLessThanOrEqualTo,
    PropertyIsLike,
)

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Reading, Source
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS
from tests import gemini_catalogue
from tests.ckan.harvesting import Portal, extras, figures
from tests.ckan.servers import pycsw
from tests.conftest import LOOPBACK

GMD = "http://www.isotc211.org/2005/gmd"
OGC = "http://www.opengis.net/ogc"
COUNT = 60
PAGE = 25
MADE = gemini_catalogue.records(COUNT)
NAMES = ("apiso:Type", "apiso:Modified", "apiso:Title")
TYPE, DAY, TITLE = NAMES
FIRST, LAST = "2016-01-01", "2022-12-31"

Seen = tuple[str, str, str]  # identifier, title, date of the metadata


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("records")
    gemini_catalogue.write(MADE, folder)
    with pycsw.serve(folder, tmp_path_factory.mktemp("pycsw") / "records.db") as server:
        assert server.held == COUNT
        yield server.url


def kinds(*wanted: str) -> list[str]:
    return sorted(each.guid for each in MADE if each.kind in wanted)


def xml_of(condition: OgcExpression) -> str:
    """Return OWSLib's own filter as a source's option."""
    root = etree.Element(f"{{{OGC}}}Filter", nsmap={"ogc": OGC})
    root.append(etree.fromstring(etree.tostring(condition.toXML())))
    return etree.tostring(root, encoding="unicode")


@dataclass(frozen=True)
class Case:
    """One selection: our options, OWSLib's conditions, and the identifiers if we know them."""

    given: dict[str, Any]
    conditions: list[OgcExpression] = field(default_factory=list)
    cql: str = ""
    guids: list[str] | None = None


SERIES = PropertyIsEqualTo(TYPE, "series")
LIKE = PropertyIsLike(TITLE, "%a%")
SPAN = And([PropertyIsGreaterThanOrEqualTo(DAY, FIRST), PropertyIsLessThanOrEqualTo(DAY, LAST)])
CASES = {
    "all": Case({}, guids=sorted(each.guid for each in MADE)),
    "type": Case({"types": ["series"]}, [SERIES], guids=kinds("series")),
    "days": Case({"from": FIRST, "until": LAST}, [SPAN]),
    "filter": Case({"filter": xml_of(SERIES)}, [SERIES], guids=kinds("series")),
    "filter-and-type": Case(
        {"filter": xml_of(LIKE), "types": ["dataset"]},
        [And([PropertyIsEqualTo(TYPE, "dataset"), LIKE])],
    ),
    "cql": Case({"cql": f"{TYPE} = 'service'"}, cql=f"{TYPE} = 'service'", guids=kinds("service")),
}


def read_by_owslib(url: str, case: Case) -> list[Seen]:
    client = CatalogueServiceWeb(url)
    found: list[Seen] = []
    start = 1
    while start:
        client.getrecords2(
            constraints=case.conditions,
            cql=case.cql or None,
            esn="full",
            outputschema=GMD,
            typenames="gmd:MD_Metadata",
            startposition=start,
            maxrecords=PAGE,
        )
        found += [
            (key, _one_line(each.identification[0].title), each.datestamp)
            for key, each in client.records.items()
        ]
        start = client.results["nextrecord"]
    assert len(found) == client.results["matches"]
    return sorted(found)


def read_by_us(url: str, case: Case, method: str) -> tuple[list[Seen], str]:
    """Return the records, and the interface that was found."""
    given = {"method": method, "page_size": PAGE, **case.given}
    chosen = options.validate(given, (*GEMINI_CSW.options, *COMMON_OPTIONS))
    with HttpClient(Guard(LOOPBACK)) as http:
        reading = Reading(GEMINI_CSW.reader.records(Source(url, chosen, http)))
        raws = list(reading)
    assert reading.ending is not None
    assert reading.ending.complete is ("from" not in case.given)
    found = [(raw, GEMINI_CSW.parse(raw, chosen)) for raw in raws]
    seen = [(raw.guid, _one_line(record.title), raw.modified) for raw, record in found]
    return sorted(seen), reading.ending.interface


def _one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.in_process
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_owslib_reads_the_same_records_as_each_binding(url: str, case: Case) -> None:
    theirs = read_by_owslib(url, case)
    assert 0 < len(theirs) <= COUNT
    if case.guids is not None:
        assert [guid for guid, *_ in theirs] == case.guids
    for method, name in (("post", "POST"), ("get", "GET"), ("soap-1.2", "SOAP 1.2")):
        ours, interface = read_by_us(url, case, method)
        assert interface.startswith(f"{name} gmd:MD_Metadata sorted by apiso:Identifier")
        assert ours == theirs


def test_records_chosen_by_a_filter_are_harvested_by_soap(portal: Portal, url: str) -> None:
    config = {"method": "soap-1.2", "filter": xml_of(SERIES), "page_size": 4}
    source = portal.source(url, "gemini-csw", config=config)
    wanted = kinds("series")
    assert figures(portal.run(source)) == {"added": len(wanted)}
    assert sorted(extras(each)["guid"] for each in portal.datasets()) == wanted
    assert figures(portal.run(source)) == {"not modified": len(wanted)}
