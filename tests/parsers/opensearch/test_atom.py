"""Links of an Atom entry."""

from __future__ import annotations

import pytest

from tests.parsers.opensearch.entries import TITLED, atom, codes, geojson


@pytest.mark.parametrize(
    ("rel", "kind", "name"),
    [
        ("enclosure", "data", "Data"),
        ("via", "documentation", "Original metadata"),
        ("icon", "documentation", "Preview"),
        ("search", "service", "Search"),
        ("http://www.iana.org/assignments/relation/describedby", "documentation", "Documentation"),
    ],
)
def test_links_become_resources_by_their_relation(rel: str, kind: str, name: str) -> None:
    link = f'<link rel="{rel}" href="https://a.example/x.csv" type="text/csv" length="7"/>'
    (found,) = atom(TITLED + link).resources
    assert (found.kind, found.name, found.format, found.size) == (kind, name, "CSV", 7)


def test_links_that_lead_nowhere_are_left_out() -> None:
    links = (
        '<link rel="enclosure" href="javascript:x()"/><link rel="up" href="https://a.example/"/>'
    )
    record = atom(TITLED + links)
    assert record.resources == ()
    assert codes(record) == ["bad-url"]
    assert geojson(links={"data": [None, 1, {"href": ["x"]}, {}]}).resources == ()


def test_services_are_known_by_their_requests() -> None:
    wms = "https://a.example/ows?service=WMS&amp;request=GetCapabilities"
    offering = f'<owc:offering><owc:operation code="GetCapabilities" href="{wms}"/></owc:offering>'
    (found,) = atom(TITLED + offering).resources
    assert (found.kind, found.format, found.name) == ("service", "WMS", "Service")


def test_rights_beside_link_to_licence_are_kept() -> None:
    link = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"/>'
    assert atom(f"{TITLED}{link}<rights>Our terms.</rights>").rights == "Our terms."
