"""XML checked for another parser: well-formed, not too deep, no DTD except abbreviations."""

from __future__ import annotations

import io

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml.scan import expand, scan


def test_scan_returns_the_root_and_rewinds_the_file() -> None:
    body = io.BytesIO(b'<a xmlns="http://a.example/"><b/></a>')
    assert scan(body) == "{http://a.example/}a"
    assert body.tell() == 0


def test_abbreviations_are_replaced_and_lines_stay() -> None:
    text = b"""<!DOCTYPE a [
  <!ENTITY x "http://x.example/'"> <!-- a comment -->
]>
<a b='&x;c'>&x; &amp;</a>"""
    found = expand(io.BytesIO(text)).read()
    assert found.count(b"\n") == text.count(b"\n")
    assert b"DOCTYPE" not in found
    assert b"<a b='http://x.example/&apos;c'>http://x.example/&apos; &amp;</a>" in found


@pytest.mark.parametrize(
    "external", ['PUBLIC "-//DUBLIN CORE//DCMES//EN"\n"http://a.example/a.dtd"', "SYSTEM 'a.dtd'"]
)
def test_reference_to_a_dtd_is_left_out(external: str) -> None:
    for subset in ("", '[<!ENTITY x "y">]'):
        text = f"<!DOCTYPE rdf:RDF {external}{subset}>\n<a>y</a>".encode()
        found = expand(io.BytesIO(text)).read()
        assert found == b"\n" * text.count(b"\n") + b"<a>y</a>"


@pytest.mark.parametrize(
    "subset",
    [
        '[<!ENTITY x SYSTEM "file:///etc/passwd">]',
        '[<!ENTITY x "y"><!ENTITY z "&x;&x;">]',
        '[<!ENTITY % x "y">]',
        "[<!ELEMENT a ANY>]",
        'SYSTEM "http://a.example/a.dtd" [<!ENTITY x "&y;">]',
        f'[<!ENTITY x "{"y" * 300}">]',
    ],
)
def test_any_other_doctype_is_refused(subset: str) -> None:
    body = io.BytesIO(f"<!DOCTYPE a {subset}><a/>".encode())
    assert expand(body) is body
    with pytest.raises(ParseError) as caught:
        scan(body)
    assert caught.value.code == "doctype"


@pytest.mark.parametrize(
    ("subset", "words"),
    [
        ('[\n<!ENTITY x "y" <!ENTITY z "y">]', "entity x not terminated"),
        ('[\n<!ENTITY x "y>]', "cannot be read"),
    ],
)
def test_broken_doctype_is_named_with_its_fault(subset: str, words: str) -> None:
    body = io.BytesIO(f"\n<!DOCTYPE a {subset}>\n<a/>".encode())
    with pytest.raises(ParseError, match=words) as caught:
        scan(expand(body))
    assert (caught.value.code, caught.value.line) == ("doctype", 3)


def test_growth_by_abbreviations_is_limited() -> None:
    text = f'<!DOCTYPE a [<!ENTITY x "{"y" * 190}">]><a>{"&x;" * 100_000}</a>'
    with pytest.raises(ParseError, match="four times"):
        expand(io.BytesIO(text.encode()))


def test_depth_and_syntax_are_refused_with_the_line() -> None:
    with pytest.raises(ParseError) as caught:
        scan(io.BytesIO(b"<a>" * 300))
    assert caught.value.code == "too-deep"
    with pytest.raises(ParseError) as caught:
        scan(io.BytesIO(b"<a>\n<b></c></a>"))
    assert caught.value.line == 2
