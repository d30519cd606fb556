"""RDF with small faults of syntax: read, reported with the line, and never complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.reading.records import FileClient

HEAD = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/"'
    ' xmlns:foaf="http://xmlns.com/foaf/0.1/">\n'
    '<dcat:Dataset rdf:about="http://a.example/1"><dct:title>One</dct:title>\n'
)
TAIL = '</dcat:Dataset>\n<dcat:Dataset rdf:about="http://a.example/2"><dct:title>Two</dct:title>'
TAIL += "</dcat:Dataset></rdf:RDF>"
AGENT = "<foaf:Agent><foaf:name>{}</foaf:name></foaf:Agent>"


def _read(path: Path, text: str, **options: Any) -> tuple[list[RawRecord], Ending]:
    path.write_text(text, encoding="utf-8")
    source = Source(path.name, options, FileClient(path))  # type: ignore[arg-type]
    reading = Reading(unique(RdfReader().records(source)))
    found = list(reading)
    assert reading.ending is not None
    return found, reading.ending


@pytest.mark.parametrize(
    ("fault", "expected", "words"),
    [
        ('<dcat:theme rdf:resource="http://t.example/1">Bees</dcat:theme>', "t.example/1", "Bees"),
        (f"<dct:publisher>words{AGENT.format('P')}</dct:publisher>", '"P"', "words"),
        ("words", '"One"', "words"),
        ("<title>words</title>", '"One"', "<title> has no namespace"),
        ("<dct:description>Say <b>this</b></dct:description>", "Say <b>this</b>", "HTML"),
        ('<dcat:theme resource="http://t.example/1"/>', "t.example/1", "rdf:resource"),
        (
            f"<dct:publisher>{AGENT.format('P')}{AGENT.format('Q')}</dct:publisher>",
            '"Q"',
            "2 nodes",
        ),
        ("<dct:description>A & B</dct:description>", '"A & B"', "well-formed"),
        ("<other:title>words</other:title>", '"One"', "well-formed"),
    ],
)
def test_what_other_parsers_read_is_read(
    tmp_path: Path, fault: str, expected: str, words: str
) -> None:
    found, ending = _read(tmp_path / "a.rdf", HEAD + fault + TAIL)
    assert [raw.guid for raw in found] == ["http://a.example/1", "http://a.example/2"]
    assert expected in (found[0].content or "")
    problem = ending.problems[0]
    assert (problem.code, problem.line) == ("repaired-syntax", 4)
    assert words in problem.message
    assert not ending.complete
    assert ending.reason.startswith("a document was repaired in line 4, so that nothing")
    assert ending.reason.endswith(problem.message)
    assert "a.rdf" in problem.message


def test_nodes_of_a_property_in_a_namespace_that_is_no_uri_are_read(tmp_path: Path) -> None:
    nodes = AGENT.format("P") + AGENT.format("Q")
    fault = f'<x:publisher xmlns:x="http://x.example/\u00c4#">{nodes}</x:publisher>'
    found, ending = _read(tmp_path / "a.rdf", HEAD + fault + TAIL)
    assert [raw.guid for raw in found] == ["http://a.example/1", "http://a.example/2"]
    assert not ending.complete


def test_a_document_without_faults_is_complete(tmp_path: Path) -> None:
    found, ending = _read(tmp_path / "a.rdf", HEAD + TAIL)
    assert (len(found), ending.complete, ending.problems) == (2, True, ())


def test_rdf_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError):
        _read(tmp_path / "a.rdf", HEAD + "A & B" + TAIL[:-20])


@pytest.mark.parametrize(
    "fault",
    [
        '"dct:publisher": {"@id": null}',
        '"dct:publisher": {"@id": 5}',
        '"dct:publisher": {"@type": 5}',
        '"dct:description": {"@value": 5, "@language": "en"}',
        '"dct:description": {"@value": {"a": 1}}',
        '"dct:description": {"@value": "x", "dct:title": "y"}',
        '"dct:description": NaN',
        '"@reverse": {"dct:isPartOf": "x"}',
        '"@included": "x"',
        r'"dct:description": "\ud800"',
        r'"dct:description": "\udc00 or \ud83d, a smiley: \ud83d\ude00"',
        r'"dct:description\ud800": "x"',
    ],
)
def test_a_wrong_value_of_json_ld_costs_itself_alone(tmp_path: Path, fault: str) -> None:
    context = '{"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"}'
    one = f'{{"@id": "http://a.example/1", "@type": "dcat:Dataset", "dct:title": "One", {fault}}}'
    found, ending = _read(tmp_path / "a.jsonld", f'{{"@context": {context}, "@graph": [{one}]}}')
    assert ['"One"' in (raw.content or "") for raw in found] == [True]
    assert [problem.code for problem in ending.problems] == ["repaired-syntax"]
    assert not ending.complete


def test_number_as_id_of_schema_org_costs_itself_alone(tmp_path: Path) -> None:
    one = '{"type": "Dataset", "id": 5, "name": "One", "url": "http://a.example/1"}'
    text = f'{{"@context": "https://schema.org", "@graph": [{one}]}}'
    found, ending = _read(tmp_path / "a.jsonld", text)
    assert [raw.guid for raw in found] == ["http://a.example/1"]
    assert [problem.code for problem in ending.problems] == ["repaired-syntax"]


def test_half_surrogates_beside_other_faults_are_named(tmp_path: Path) -> None:
    one = r'{"@type": "dcat:Dataset", "dct:title": "One \ud800", "dct:publisher": {"@id": 5}}'
    document = f'{{"@context": ["https://schema.org", {{"dct": "http://d.example/"}}], "a": {one}}}'
    found, ending = _read(tmp_path / "a.jsonld", document.replace('"a"', '"schema:a"'))
    assert "One ?" in (found[0].content or "")
    words = [problem.message for problem in ending.problems]
    assert [text.split(" is ")[0] for text in words][1:] == ["@id"]
    assert "half a surrogate pair" in words[0]
    assert not ending.complete


TURTLE = (
    "@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n"
    '<http://a.example/1> a dcat:Dataset ; dct:title "One" ;\n{} dct:subject "Bees" .\n{}\n'
    '<http://a.example/2> a dcat:Dataset ; dct:title "Two" .\n'
)


@pytest.mark.parametrize(
    ("inside", "between", "line"),
    [
        ('"dct:subject" "Ants" ;', "", 4),
        ("_:b <http://c.example/> ;", "", 4),
        ("", '"London"@en a dct:Location ; dct:title "x" .', 5),
        ("", "12 a dct:Location . true a dct:Location .", 5),
    ],
)
def test_triple_that_cannot_be_costs_itself_alone(
    tmp_path: Path, inside: str, between: str, line: int
) -> None:
    found, ending = _read(tmp_path / "a.ttl", TURTLE.format(inside, between))
    assert [raw.guid for raw in found] == ["http://a.example/1", "http://a.example/2"]
    assert '"Bees"' in (found[0].content or "")
    assert "left-out" not in (found[0].content or "")
    assert {(each.code, each.line) for each in ending.problems} == {("repaired-syntax", line)}
    assert "the triple was left out" in ending.problems[0].message
    assert not ending.complete


@pytest.mark.parametrize("fault", ["dct:x [", "no:prefix 1 ;", '"""a\nb""" dct:x 1 ;', 'dct:x "'])
def test_turtle_with_other_faults_is_refused(tmp_path: Path, fault: str) -> None:
    with pytest.raises(ProtocolError, match="not valid Turtle"):
        _read(tmp_path / "a.ttl", TURTLE.format(fault, '"x" a dct:Location .'))


@pytest.mark.parametrize("link", ["<?page=2>", '"?page=2"', "</d?page=2>"])
def test_a_relative_link_of_a_saved_page_proves_nothing(tmp_path: Path, link: str) -> None:
    text = (
        "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> ."
        "@prefix hydra: <http://www.w3.org/ns/hydra/core#> ."
        '<http://a.example/1> a dcat:Dataset ; dct:title "One" .'
        f"<> a hydra:PagedCollection ; hydra:nextPage {link} ."
    )
    found, ending = _read(tmp_path / "a.ttl", text)
    assert (len(found), ending.complete) == (1, False)
    assert "page 2 is linked, but not there" in ending.reason
