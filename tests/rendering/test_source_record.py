"""A stored record's form, and how it is served and laid out."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.rendering import source_record
from ckanext.ukharvest.rendering.source_record import JSON, N_TRIPLES, TEXT, XML, Form


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ('<?xml version="1.0"?><a/>', XML),
        ("\ufeff\n <gmd:MD_Metadata xmlns:gmd='x'>", XML),
        ("<a/>", XML),
        ("<!-- by hand --><a/>", XML),
        ('<svg xmlns="http://www.w3.org/2000/svg"/>', XML),
        ("<!DOCTYPE html><p>", TEXT),
        ("<html><script>alert(1)</script></html>", TEXT),
        ('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', TEXT),
        ('{"title": "Rivers"}', JSON),
        (' [{"a": 1}]', JSON),
        ('<http://a.example/1> <http://purl.org/dc/terms/title> "Rivers" .', N_TRIPLES),
        ("_:b0 <http://purl.org/dc/terms/title> <http://a.example/> .", N_TRIPLES),
        ("<urn:uuid:1> <http://purl.org/dc/terms/title> 'x' .", N_TRIPLES),
        ("@prefix dcat: <http://www.w3.org/ns/dcat#> .", TEXT),
        ("", TEXT),
        ("1 < 2", TEXT),
    ],
)
def test_forms_of_records_are_recognised(content: str, form: Form) -> None:
    assert source_record.form_of(content) is form


@pytest.mark.parametrize(
    ("content", "served"),
    [
        (
            '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>é</a>',
            '<?xml version="1.0"?>\n<a>é</a>',
        ),
        ("<?xml version='1.0' encoding='utf-16' standalone='yes'?><a/>", None),
        ('<?xml version="1.0"\n  encoding = "ascii" ?>\n<a>é</a>', None),
        ('\ufeff<?xml version="1.0" encoding="utf-16"?><a>é</a>', '<?xml version="1.0"?><a>é</a>'),
        ('\n\n<?xml version="1.0" encoding="x"?><a/>', '<?xml version="1.0"?>\n\n<a/>'),
        ('<a encoding="ISO-8859-1">é</a>', '<a encoding="ISO-8859-1">é</a>'),
        (
            '<?xml version="1.0"?><a x=\' encoding="y"\'/>',
            '<?xml version="1.0"?><a x=\' encoding="y"\'/>',
        ),
        ("<a/>", "<a/>"),
    ],
)
def test_xml_is_shown_without_its_encoding(content: str, served: str | None) -> None:
    found = source_record.as_utf8(content)
    if served is not None:
        assert found == served
    ours, read = xml.parse(content), xml.parse(found.encode("utf-8"))
    assert read.text == ours.text
    assert found.count("\n") == content.count("\n")


def test_json_is_laid_out_in_lines() -> None:
    lines, is_all = source_record.lines_of('{"b": "é \\ud800", "a": [1]}')
    assert lines == ["{", '  "b": "é ?",', '  "a": [', "    1", "  ]", "}"]
    assert is_all
    assert source_record.lines_of('{"a": ') == (['{"a": '], True)
    deep = "[" * 100_000
    assert source_record.lines_of(deep) == ([deep], True)


def test_lines_are_counted_as_parsers_do() -> None:
    assert source_record.lines_of("<a>\r\n\u2028\n") == (["<a>", "\u2028", ""], True)
    lines, is_all = source_record.lines_of("\n" * 3_000_000)
    assert len(lines) == source_record.MOST_LINES
    assert not is_all
