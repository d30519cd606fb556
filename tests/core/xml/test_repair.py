"""XML that is not well-formed: what is repaired, and what is refused all the same."""

from __future__ import annotations

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml.repair import problem, repair


def _repair(text: bytes) -> tuple[etree._Element, ParseError]:
    with pytest.raises(ParseError) as caught:
        xml.parse(text)
    return repair(text, caught.value), caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"<a>\n<b>x & y</b></a>", b"<a>\n<b>x &amp; y</b></a>"),
        (b"<a>\n<b>A&nbsp;B</b></a>", b"<a>\n<b>A&#160;B</b></a>"),
        (b"<a>\n<b>A&no-such;B</b></a>", b"<a>\n<b>A&amp;no-such;B</b></a>"),
        (b"<a>\n<b>A\x0bB</b></a>", b"<a>\n<b>AB</b></a>"),
        (b"<a>\n<b><c>x</b></c><d/></a>", b"<a>\n<b><c>x</c></b><d/></a>"),
        (b"<a>\n<![CDATA[x & y]]> &</a>", b"<a>\nx &amp; y &amp;</a>"),
        (b"<a><b/></a>\nmore", b"<a><b/></a>"),
    ],
)
def test_small_faults_are_repaired_and_named(text: bytes, expected: bytes) -> None:
    root, fault = _repair(text)
    assert etree.tostring(root) == expected
    found = problem(fault, "https://a.example/1.xml")
    assert (found.code, found.line) == ("repaired-syntax", 2)


@pytest.mark.parametrize(
    "text",
    [
        b"<a><b>x</b><b>y",
        b"<a><b>x</b><b",
        b"<a>" * 300 + b"&</a>" + b"</a>" * 299,
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x; & </a>',
        b"",
        b"{}",
    ],
    ids=["cut-in-text", "cut-in-tag", "deep", "doctype", "empty", "json"],
)
def test_other_faults_are_not_repaired(text: bytes) -> None:
    with pytest.raises(ParseError):
        _repair(text)
