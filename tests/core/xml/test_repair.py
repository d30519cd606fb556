"""XML that is not well-formed: what is repaired, and what is refused all the same."""

from __future__ import annotations

import io

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import Iteration, Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml.repair import elements, problem, repair


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
        (b"<a>\n<b>A&eac x &#38</b></a>", b"<a>\n<b>A&amp;eac x &amp;#38</b></a>"),
        (b"<a>\n<b>A&#11;B</b></a>", b"<a>\n<b>AB</b></a>"),
        (
            b"<a>\n<b><c>x</b></c><d>y &amp; &lt;</d></a>",
            b"<a>\n<b><c>x</c></b><d>y &amp; &lt;</d></a>",
        ),
        (b"<a>\n<b>caf\xe9 \xc5\xb5</b></a>", b"<a>\n<b>caf&#233; &#373;</b></a>"),
    ],
)
def test_small_faults_are_repaired_and_named(text: bytes, expected: bytes) -> None:
    root, fault = _repair(text)
    assert etree.tostring(root) == expected
    found = problem(fault, "https://a.example/1.xml")
    assert (found.code, found.line) == ("repaired-syntax", 2)


@pytest.mark.parametrize("encoding", ["klingon", "ascii", "UTF-16LE"])
def test_encoding_that_is_wrongly_declared_is_repaired(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<a>ŵ &amp; x</a>'.encode()
    assert _repair(text)[0].text == "ŵ & x"


def test_root_whose_namespace_has_a_brace_is_no_crash() -> None:
    root, _fault = _repair(b'<c:a xmlns:c="http://}ww.example">\n<c:b>x</c:b></c:a>')
    assert str(root.tag).endswith("}a")


def test_elements_of_a_repaired_document_come_once() -> None:
    records = "".join(f"<r>{number}{' & ' * (number == 2)}</r>\n" for number in range(5))
    body = io.BytesIO(f"<list>\n{records}<end/></list>".encode())
    problems: list[Problem] = []
    reading = Iteration(elements(body, [("list", "r")], problems, url="https://a.example/1"))
    assert [each.text for each in reading] == ["0", "1", "2 & ", "3", "4"]
    assert [each.tag for each in reading.result] == ["end"]
    assert [(each.code, each.line) for each in problems] == [("repaired-syntax", 4)]
    body = io.BytesIO(f"<list>{records}".encode())
    with pytest.raises(ParseError):
        list(elements(body, [("list", "r")], [], url=""))


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
