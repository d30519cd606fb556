"""Nothing of an ISO record vanishes: a known property in an odd shape is kept or reported."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.completion import complete
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.parsers.gemini.document import Entry, IsoNode, Reads
from ckanext.ukharvest.parsers.table import collect

VALUE, URL = "Zqx", "https://zqx.example/Zqx"
SPACES = (
    'xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="https://a.example/x"'
)
# What stands in a property, and its attributes.
SHAPES = {
    "text": (VALUE, ""),
    "anchor": (f'<gmx:Anchor xlink:href="{URL}">{VALUE}</gmx:Anchor>', ""),
    "anchor without text": (f'<gmx:Anchor xlink:href="{URL}"/>', ""),
    "other class": (
        f"<x:A><x:b><gco:CharacterString>{VALUE}</gco:CharacterString></x:b></x:A>",
        "",
    ),
    "code": (f'<x:Code codeListValue="{VALUE}"/>', ""),
    "reference": ("", f'xlink:href="{URL}"'),
    "reason": ("", f'gco:nilReason="other:{VALUE}"'),
    "text and reason": (VALUE, 'gco:nilReason="missing"'),
}
FOLDER = Path(__file__).parents[1] / "conformance" / "complete"
DOCUMENTS = ("gemini-2.3.xml", "iso-19115-3.xml")


@cache
def _root(name: str) -> etree._Element:
    return etree.parse(Path(FOLDER / name)).getroot()


def _properties(root: etree._Element) -> dict[str, int]:
    """Return the properties that readers look at, the first of each path, and their places."""
    reads = Reads()
    record = IsoNode(root, [], reads)
    identification = record.first("identificationInfo/*")
    assert identification is not None
    collect(gemini.MAPPING, Entry(record, identification, "x", "", {}))
    places: dict[str, int] = {}
    for place, element in enumerate(root.iter("*")):
        if element in reads.visited:
            above = [xml.local_name(part) for part in element.iterancestors()]
            places.setdefault("/".join([*reversed(above[:-1]), xml.local_name(element)]), place)
    return places


def _is_kept(root: etree._Element) -> bool:
    content = etree.tostring(root, encoding="unicode")
    try:
        record = complete(gemini.parse(RawRecord("x", content), {}))
    except ParseError:
        return True  # without identity or title, it fails, and says so
    return VALUE.lower() in json.dumps(dataclasses.asdict(record), default=str).lower()


def _lost(name: str, change: Callable[[etree._Element], None]) -> set[str]:
    """Return the properties whose value is lost if a document's are changed, each alone."""
    lost = set()
    for path, place in _properties(_root(name)).items():
        copy = deepcopy(_root(name))
        change(next(islice(copy.iter("*"), place, None)))
        if not _is_kept(copy):
            lost.add(path)
    return lost


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_known_property_of_iso_in_any_shape_is_kept(name: str, shape: str) -> None:
    content, attributes = SHAPES[shape]

    def change(element: etree._Element) -> None:
        inside = etree.fromstring(f"<x {SPACES} {attributes}>{content}</x>")
        element.clear(keep_tail=True)
        element.text = inside.text
        element.attrib.update(inside.attrib)
        element.extend(inside)

    assert _lost(name, change) - LOST == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_second_value_of_iso_is_kept(name: str) -> None:
    def change(element: etree._Element) -> None:
        more = etree.Element(element.tag)
        more.text = VALUE
        element.addnext(more)

    assert _lost(name, change) - LOST == set()


# Read, and told of no dataset.
LOST = {
    # GEMINI 2.3, element 35: the name and email address of who made the record, not their page.
    *(
        f"contact/{party}/contactInfo/CI_Contact/{part}"
        for party in ("CI_ResponsibleParty", "CI_Responsibility/party/CI_Organisation")
        for part in (
            "address/CI_Address/electronicMailAddress",
            "onlineResource/CI_OnlineResource/linkage",
        )
    ),
    # ISO 19115-1, B.3.1: of the record's dates, whatever their type, the last change counts.
    "dateInfo/CI_Date/dateType",
}
