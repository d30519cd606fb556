"""One document of RDF, in every syntax and encoding."""

from __future__ import annotations

import json
import random

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from tests.readers.rdf.catalogues import CATALOGUE, PREFIXES
from tests.readers.rdf.rdf_site import Site

SYNTAXES = {
    "turtle": (ox.RdfFormat.TURTLE, "text/turtle"),
    "n-triples": (ox.RdfFormat.N_TRIPLES, "application/n-triples"),
    "n-quads": (ox.RdfFormat.N_QUADS, "application/n-quads"),
    "rdf-xml": (ox.RdfFormat.RDF_XML, "application/rdf+xml"),
    "json-ld": (ox.RdfFormat.JSON_LD, "application/ld+json"),
    "trig": (ox.RdfFormat.TRIG, "application/trig"),
    "n3": (ox.RdfFormat.N3, "text/n3"),
}


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("named", [True, False])
def test_the_same_graph_is_the_same_content_in_every_syntax(
    site: Site, syntax: str, named: bool
) -> None:
    site.serve("/d", CATALOGUE, "text/turtle")
    before = [(raw.guid, raw.content) for raw in site.read()[0]]
    triples = list(ox.parse(CATALOGUE, format=ox.RdfFormat.TURTLE, rename_blank_nodes=True))
    random.Random(7).shuffle(triples)
    form, media_type = SYNTAXES[syntax]
    body = ox.serialize((each.triple for each in triples), format=form)
    site.serve("/d", body, media_type if named else "text/plain")
    found, ending = site.read()
    assert ending.complete
    assert sorted((raw.guid, raw.content) for raw in found) == sorted(before)


def test_n_triples_of_urns_are_not_taken_for_xml(site: Site) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset>"
    site.serve("/d", f'<urn:x> {kind} .\n<urn:x> <http://purl.org/dc/terms/title> "x" .\n')
    assert [raw.guid for raw in site.read()[0]] == ["urn:x"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<rdf:RDF xmlns:rdf='x'>" + "<a>" * 100_000, id="xml"),
        pytest.param(PREFIXES + ":a dct:title " + "[ dct:title " * 50_000, id="turtle"),
        pytest.param('{"@context": ' + "[" * 100_000, id="context"),
        pytest.param('{"@context": {"a": "b:c"}, "a": ' + "[" * 100_000, id="json"),
    ],
)
def test_documents_without_bottom_are_refused(site: Site, body: str) -> None:
    site.refusal(body)


RDF_XML = (
    '{0}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/">'
    '<dcat:Dataset rdf:about="{1}"><dct:title>Café</dct:title></dcat:Dataset></rdf:RDF>'
)


def test_json_ld_inside_an_html_page_is_read(site: Site) -> None:
    one = {"@context": "https://schema.org/", "@type": "Dataset", "@id": "#1", "name": "Café"}
    two = {"@context": "https://schema.org/", "@type": "Dataset", "@id": "/2", "name": "Two"}
    other = {"@context": "https://schema.org/", "@type": "Organization", "name": "A council"}
    script = '<script type="application/ld+json">{}</script>'.format
    blocks = (json.dumps(one, ensure_ascii=False), json.dumps([two, other]), "broken Dataset {")
    page = f"<!DOCTYPE html><title>Data</title>{''.join(map(script, blocks))}<p>Text"
    site.serve("/d", page, "text/html")
    found, ending = site.read()
    base = site.publisher.base
    assert [raw.guid for raw in found] == [f"{base}/d#1", f"{base}/2"]
    assert "Café" in (found[0].content or "")
    assert ending.complete
    assert site.refusal(f"<title>Log in</title>{script(json.dumps(other))}").code == "html-page"


def test_entities_that_abbreviate_are_read_and_no_others(site: Site) -> None:
    doctype = '<!DOCTYPE rdf:RDF [<!ENTITY id "https://council.example/id/">{0}]>'
    site.serve("/d", RDF_XML.format(doctype.format(""), "&id;trees"))
    assert [raw.guid for raw in site.read()[0]] == ["https://council.example/id/trees"]
    for more in ('<!ENTITY b "&id;&id;">', '<!ENTITY b SYSTEM "b">', '<!ENTITY % b "x">'):
        error = site.refusal(RDF_XML.format(doctype.format(more), "&id;trees"))
        assert "DOCTYPE" in error.message


def test_other_encodings_are_read(site: Site) -> None:
    declared = '<?xml version="1.0" encoding="{0}"?>'
    for encoding in ("iso-8859-1", "windows-1252", "utf-16"):
        text = RDF_XML.format(declared.format(encoding), "http://a.example/1")
        site.serve("/d", text.encode(encoding))
        found, ending = site.read()
        assert "Café" in (found[0].content or "")
        assert not ending.problems
    site.serve("/d", (PREFIXES + ':1 a dcat:Dataset ; dct:title "Café" .').encode("latin-1"))
    found, ending = site.read()
    assert "Café" in (found[0].content or "")
    assert [problem.code for problem in ending.problems] == ["not-utf-8"]


@pytest.mark.parametrize("syntax", ["turtle", "json-ld", "rdf-xml"])
def test_addresses_with_blanks_lose_nothing(site: Site, syntax: str) -> None:
    page = "https://council.example/a b{c}.csv"
    body = {
        "turtle": PREFIXES + f':1 a dcat:Dataset ; dct:title "x" ; dcat:landingPage <{page}> .',
        "json-ld": '{"@context": {"dcat": "http://www.w3.org/ns/dcat#"}, "@id": "http://a.example/1",'
        f' "@type": "dcat:Dataset", "dcat:landingPage": {{"@id": "{page}"}}}}',
        "rdf-xml": RDF_XML.format("", "http://a.example/1").replace(
            "<dct:title>", f'<dcat:landingPage rdf:resource="{page}"/><dct:title>'
        ),
    }[syntax]
    site.serve("/d", body)
    found, ending = site.read()
    assert "<https://council.example/a%20b%7Bc%7D.csv>" in (found[0].content or "")
    assert [problem.code for problem in ending.problems] == ["bad-iri"]


def test_json_ld_that_cannot_be_divided_has_a_limit(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.readers.rdf.file._MOST_AT_ONCE", 2 << 20)
    terms = {"dcat": "http://www.w3.org/ns/dcat#", "title": "http://purl.org/dc/terms/title"}
    one = {"@type": "dcat:Dataset", "title": "x" * 1000}
    many = [{"@id": f"http://a.example/{n}", **one} for n in range(3000)]
    site.serve("/d", json.dumps({"@context": terms, "@graph": many}), "application/ld+json")
    assert len(site.read()[0]) == 3000
    held = {"@context": terms, "dcat:dataset": {"@list": many}}
    site.serve("/d", json.dumps(held), "application/ld+json")
    with pytest.raises(ProtocolError, match=r"more than 2 MB .* array of datasets in") as refused:
        site.read()
    assert refused.value.code == "too-large"
