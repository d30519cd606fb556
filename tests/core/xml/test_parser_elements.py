"""A large XML document, one element at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml.parser import elements

PATHS = (("list", "part", "item"),)


class Reading:
    def __init__(self, data: bytes) -> None:
        self._found = elements(io.BytesIO(data), PATHS, url="https://a.example/list")
        self.root: etree._Element

    def __iter__(self) -> Iterator[etree._Element]:
        self.root = yield from self._found


def ids(data: bytes) -> list[str]:
    return [each.get("id", "") for each in Reading(data)]


def test_elements_come_in_order_and_leave_the_root_behind() -> None:
    reading = Reading(
        b'<list a="1"><head>x</head><part><item id="1"><item id="in"/></item><other/>'
        b'<item id="2"/></part><item id="elsewhere"/></list>'
    )
    assert [each.get("id") for each in reading] == ["1", "2"]
    left = etree.tostring(reading.root).decode()
    assert left == ('<list a="1"><head>x</head><part><other/></part><item id="elsewhere"/></list>')


def test_an_element_is_whole_and_knows_its_line() -> None:
    (found,) = Reading(b'<list xmlns="urn:x">\n<part>\n<item><a>1</a></item></part></list>')
    assert found.findtext("{*}a") == "1"
    assert found.sourceline == 3


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf<list><part><item id="1"/></part></list>',
        b'\n\n<?xml version="1.0"?><list><part><item id="1"/></part></list>',
        b'<?xml version="1.0" encoding="utf-16"?><list><part><item id="1"/></part></list>',
        '<?xml version="1.0" encoding="utf-16"?><list><part><item id="1"/></part></list>'.encode(
            "utf-16"
        ),
    ],
)
def test_beginnings_that_servers_write_are_read(data: bytes) -> None:
    assert ids(data) == ["1"]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "not-xml", None),
        (b'<list>\n<part><item id="1"/>\n', "not-xml", 3),
        (b"<list>\n<part>&nbsp;</part></list>", "not-xml", 2),
        (b'<?xml version="1.0" encoding="no-such"?><list/>', "not-xml", 1),
        (b"<list>\xff</list>", "not-xml", 1),
        (b"<html><head><title>Log in</title></head></html>", "html", None),
        (b"<!DOCTYPE list [<!ELEMENT list ANY>]>\n<list><part><item/></part></list>", "doctype", 1),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><list><part>&a;</part></list>', "doctype", 1),
        (b"<list>" + b"<a>" * 100_000, "not-xml", 1),
    ],
)
def test_broken_and_other_documents_are_refused(data: bytes, code: str, line: int | None) -> None:
    with pytest.raises(ParseError) as caught:
        ids(data)
    assert caught.value.code == code
    assert caught.value.url == "https://a.example/list"
    if line is not None:
        assert caught.value.line == line


def test_a_long_document_is_not_kept() -> None:
    data = b"<list><part>" + b"<item><a/></item>" * 20_000 + b"</part></list>"
    for number, element in enumerate(Reading(data)):
        if number % 5_000 == 0:
            siblings = len(element.getparent())  # type: ignore[arg-type]
            assert siblings < 5_000


@pytest.mark.parametrize(
    "data",
    [
        b"<x:list><part><item/></part></x:list>",
        b"<list><x:part><item/></x:part></list>",
        b"<list><part><x:item/></part></list>",
        b'<list><part><item x:id="1"/></part></list>',
    ],
)
def test_an_undeclared_prefix_is_named_in_the_error(data: bytes) -> None:
    with pytest.raises(ParseError, match="Namespace prefix x"):
        ids(data)
