"""Links of a GEMINI record become resources (GEMINI 19)."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.options import MAX_RESOURCES
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.elements_distribution import (
    HOST,
    distributor,
    link,
    parsed,
    resource_of_link,
    transfer,
)
from tests.parsers.gemini.part import anchor, codes, text

CIT = "http://standards.iso.org/iso/19115/-3/cit/2.0"
PROTOCOL = "http://www.opengis.net/def/serviceType/ogc/wms"


def test_link_is_read_with_all_its_fields() -> None:
    found = resource_of_link(
        f"{HOST}/rivers.csv",
        "download",
        name="Rivers of\n the north",
        description="All of <b>them</b>.",
        protocol="application/pdf",
        applicationProfile="web browser",
    )
    assert found == ResourceRecord(
        f"{HOST}/rivers.csv",
        name="Rivers of the north",
        description="All of them.",
        format="CSV",
        mimetype="application/pdf",
        kind="data",
        extras={
            "resource_locator_protocol": "application/pdf",
            "resource_locator_function": "download",
            "resource_locator_application_profile": "web browser",
        },
    )


def test_a_link_may_say_nothing_but_its_address() -> None:
    assert resource_of_link(f" {HOST}/7 ") == ResourceRecord(f"{HOST}/7", kind="data")


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        pytest.param(text("OGC:WMS"), "OGC:WMS", id="text"),
        pytest.param(anchor("OGC WMS", PROTOCOL), "OGC WMS", id="anchor"),
        pytest.param(anchor("", PROTOCOL), PROTOCOL, id="empty-anchor"),
    ],
)
def test_a_protocol_may_be_an_anchor(protocol: str, expected: str) -> None:
    found = resource_of_link(f"{HOST}/ows", protocol=protocol)
    assert found.format == "WMS"
    assert found.extras["resource_locator_protocol"] == expected


def test_a_name_may_be_that_of_a_file() -> None:
    found = resource_of_link(
        f"{HOST}/7", name='<gmx:MimeFileType type="text/csv">a</gmx:MimeFileType>'
    )
    assert (found.name, found.mimetype, found.format) == ("a", "text/csv", "CSV")


def test_links_stay_in_the_records_order() -> None:
    record = parsed(
        distributor(link(f"{HOST}/1"), link(f"{HOST}/2")),
        transfer(link(f"{HOST}/3")),
        transfer(link(f"{HOST}/4"), link(f"{HOST}/5")),
    )
    assert [each.url[-1] for each in record.resources] == list("12345")


def test_a_distributors_own_site_is_no_resource() -> None:
    contact = (
        "<gmd:distributorContact><gmd:CI_ResponsibleParty><gmd:contactInfo><gmd:CI_Contact>"
        f"<gmd:onlineResource>{link(HOST)}</gmd:onlineResource></gmd:CI_Contact></gmd:contactInfo>"
        "</gmd:CI_ResponsibleParty></gmd:distributorContact>"
    )
    record = parsed(distributor(link(f"{HOST}/1"), contact=contact))
    assert [each.url for each in record.resources] == [f"{HOST}/1"]


def test_the_distributor_of_a_format_has_links_too() -> None:
    inside = distributor(link(f"{HOST}/1"))
    inside = inside.replace("gmd:distributor>", "gmd:formatDistributor>")
    record = parsed(
        f"<gmd:distributionFormat><gmd:MD_Format>{inside}</gmd:MD_Format></gmd:distributionFormat>"
    )
    assert [each.url for each in record.resources] == [f"{HOST}/1"]


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("s3://bucket/rivers.csv", id="s3"),
        pytest.param("Server=gis01; Service=rivers", id="connection"),
        pytest.param("P:\\GIS\\rivers.shp", id="path"),
        pytest.param("/data/rivers.csv", id="relative"),
        pytest.param("javascript:alert(1)", id="script"),
        pytest.param("on request", id="words"),
    ],
)
def test_wrong_link_is_reported_and_kept_as_text(url: str) -> None:
    record = parsed(transfer(link(url, name="Rivers")))
    assert record.resources == ()
    assert [(p.code, p.field) for p in record.problems] == [("bad-url", "gmd:linkage")]
    kept = json.loads(record.extras["unlinked-resource-locators"])
    assert kept == [{"locator": url, "name": "Rivers"}]


@pytest.mark.parametrize(
    "linkage",
    [
        pytest.param("<gmd:linkage><gmd:URL/></gmd:linkage>", id="empty"),
        pytest.param('<gmd:linkage gco:nilReason="missing"/>', id="nil"),
        pytest.param("", id="missing"),
    ],
)
def test_a_missing_address_is_reported(linkage: str) -> None:
    record = parsed(transfer(f"<gmd:CI_OnlineResource>{linkage}</gmd:CI_OnlineResource>"))
    assert record.resources == ()
    assert codes(record) == ["missing-url"]
    assert "unlinked-resource-locators" not in record.extras


def test_no_distribution_no_resources() -> None:
    assert parsed().resources == ()
    assert parsed('<gmd:transferOptions gco:nilReason="missing"/>').problems == ()


def test_the_same_address_twice_is_one_resource() -> None:
    record = parsed(
        transfer(
            link(f"{HOST}/1", description="First"),
            link(f"{HOST}/2"),
            link(f"{HOST}/1", name="Rivers (CSV)"),
        )
    )
    first, second = record.resources
    assert (first.name, first.description, first.format) == ("Rivers (CSV)", "First", "CSV")
    assert second.url == f"{HOST}/2"
    assert codes(record) == ["repeated-link"]


def test_layers_of_a_service_are_resources_of_their_own() -> None:
    layers = (link(f"{HOST}/wms", name=name) for name in ("rivers", "lakes"))
    record = parsed(transfer(*layers))
    assert [each.name for each in record.resources] == ["rivers", "lakes"]
    assert record.problems == ()


def test_the_rest_of_many_links_is_left_out() -> None:
    record = parsed(
        transfer(*(link(f"{HOST}/{number}") for number in range(4))),
        settings={"max_resources": 3},
    )
    assert len(record.resources) == 3
    assert [p.message for p in record.problems] == ["gmd:onLine: 4 of them; the first 3 were read"]
    assert MAX_RESOURCES in gemini.OPTIONS


def test_swiss_links_give_an_address_for_each_language() -> None:
    urls = "".join(
        f'<che:URLGroup><che:LocalisedURL locale="#{locale}">{HOST}/{locale}'
        "</che:LocalisedURL></che:URLGroup>"
        for locale in ("DE", "EN", "FR")
    )
    record = parsed(
        transfer(
            '<gmd:CI_OnlineResource xmlns:che="http://www.geocat.ch/2008/che"><gmd:linkage>'
            f"<che:PT_FreeURL>{urls}</che:PT_FreeURL></gmd:linkage></gmd:CI_OnlineResource>"
        )
    )
    assert [each.url for each in record.resources] == [f"{HOST}/EN"]


def test_iso_19115_3_writes_the_address_as_text() -> None:
    record = parsed(
        transfer(
            f'<cit:CI_OnlineResource xmlns:cit="{CIT}"><cit:linkage>{text(HOST + "/a.csv")}'
            f"</cit:linkage><cit:protocol>{text('WWW:LINK')}</cit:protocol>"
            f"<cit:name>{text('Rivers')}</cit:name></cit:CI_OnlineResource>"
        )
    )
    assert [(each.url, each.name, each.format) for each in record.resources] == [
        (f"{HOST}/a.csv", "Rivers", "CSV")
    ]
