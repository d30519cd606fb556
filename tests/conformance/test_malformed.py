"""Malformed documents, and other kinds of documents, are refused with the right reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.expectations import TYPE_OF
from tests.conformance.manifest import Sample
from tests.conformance.running import check_all

ALL = tuple(TYPE_OF.values())
JSON = ("ckan", "data_json", "dkan", "ods")
# Results of SPARQL can be XML, so that a document of XML is refused in other words.
BY_STREAM = (*JSON, "sparql")
RDF = ("dcat_rdf",)
WAF = ("gemini-waf",)
DOCUMENTS = tuple(kind for kind in ALL if kind not in WAF)
XML_TYPES = ("inventory", "gemini-single", "gemini-csw", "oaipmh", "opensearch")
XML = tuple(kind for kind in XML_TYPES if kind in ALL)

# Document → types, text, and line in the message (None: the fault has none). Documents of bad/ that
# are missing here are of kinds that are not read yet.
REFUSED: tuple[tuple[str, tuple[str, ...], str, int | None], ...] = (
    (
        "errorpage-gsa-403.html",
        DOCUMENTS,
        "HTML page instead of {kind}, title '403 Forbidden'",
        None,
    ),
    ("errorpage-gsa-403.html", WAF, "with the title '403 Forbidden' has 30 links, none to", None),
    (
        "errorpage-gsa-sitedown.html",
        DOCUMENTS,
        "HTML page instead of {kind}, title '503 Site Temporarily Down'",
        None,
    ),
    ("errorpage-gsa-sitedown.html", WAF, "'503 Site Temporarily Down' has 30 links", None),
    ("datajson--ng-bad.json", WAF, "is not an HTML page: it begins with '", None),
    (
        "datajson--ng-bad.json",
        BY_STREAM,
        "not valid JSON: unexpected character in line 3",
        3,
    ),
    (
        "datajson--ng-good-but-not-data.json",
        ("data_json", "dkan", "ods"),
        "found the keys good",
        None,
    ),
    ("datajson--ng-good-but-not-data.json", ("ckan",), "an object with good", None),
    ("geonetwork-badMd.xml", XML, "its root element is <abc>", 2),
    ("geonetwork-badMd.xml", WAF, "with the root element <abc>; expected an HTML page", None),
    ("geonetwork-badMd.xml", RDF, "the root element is abc; expected rdf:RDF", None),
    ("geonetwork-badMd.xml", JSON, "XML instead of JSON", None),
    ("spatial-wms-capabilities.xml", XML, "root element is <WMT_MS_Capabilities>", 2),
    ("spatial-wms-capabilities.xml", RDF, "the root element is WMT_MS_Capabilities", None),
    ("spatial-wms-capabilities.xml", JSON, "XML instead of JSON", None),
    ("gemini--spatial-gemini2.1-error_bad_xml.xml", (*XML, *RDF), "not well-formed XML", 16),
    ("oaipmh--pyoai-fake3-00001.xml", (*XML, *RDF), "not well-formed XML", 1),
    ("oaipmh--sickle-ListRecordsBroken.xml", XML, "not well-formed XML", 1),
    ("oaipmh--sickle-ListRecordsBroken.xml", RDF, "not RDF: the document begins with", 1),
    ("w3c-rdf-turtle-turtle-syntax-bad-base-01.ttl", RDF, "not valid Turtle", 2),
    ("w3c-rdf-turtle-turtle-syntax-bad-lang-01.ttl", RDF, "not valid Turtle", 2),
    ("w3c-rdf-turtle-turtle-syntax-bad-num-01.ttl", RDF, "not valid Turtle", 1),
    ("w3c-rdf-turtle-turtle-syntax-bad-prefix-01.ttl", RDF, "prefix : has not been declared", 2),
    ("w3c-rdf-turtle-turtle-syntax-bad-uri-01.ttl", RDF, "not valid Turtle: Invalid IRI", 2),
    ("w3c-rdfms-abouteach-error001.rdf", RDF, "not valid RDF/XML", 31),
    ("w3c-rdfms-rdf-id-error001.rdf", RDF, "333-555-666 is not a valid rdf:ID", 24),
    ("own-maintenance.html", DOCUMENTS, "HTML page instead of {kind}, title 'Down for", None),
    ("own-maintenance.html", WAF, "with the title 'Down for repairs' has 1 link", None),
    ("own-cut-off.json", BY_STREAM, "not valid JSON", 3),
    ("own-cut-off.xml", (*XML, *RDF), "not well-formed XML", 5),
    ("own-cut-off.ttl", RDF, "not valid Turtle", 2),
)
KIND = {
    "dcat_rdf": "RDF",
    "gemini-csw": "an answer of a CSW",
    "gemini-single": "a GEMINI record",
    "inventory": "Inventory XML",
    "oaipmh": "an answer of OAI-PMH",
    "opensearch": "an answer of OpenSearch",
}


@pytest.mark.parametrize("source_type", ALL)
def test_a_malformed_document_is_refused_in_words(
    source_type: str, folder: Path, samples: list[Sample], tmp_path: Path
) -> None:
    there = {sample.name for sample in samples}
    jobs = [row for row in REFUSED if source_type in row[1] and f"bad/{row[0]}" in there]
    documents = ((source_type, folder / "bad" / name) for name, *_ in jobs)
    outcomes = check_all(documents, tmp_path)
    for (name, _, words, line), outcome in zip(jobs, outcomes, strict=True):
        (error,) = outcome.errors
        assert words.format(kind=KIND.get(source_type, "JSON")) in error["message"], name
        assert error["line"] == line, name
        assert outcome.records == [], name
        assert outcome.status == 2, name
        assert error["message"] in outcome.stderr, name


def test_every_malformed_document_has_a_line_in_the_table(samples: list[Sample]) -> None:
    named = {f"bad/{row[0]}" for row in REFUSED}
    assert {sample.name for sample in samples if sample.kind == "bad"} - named == set()
