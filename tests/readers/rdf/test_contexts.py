"""Contexts of JSON-LD that a document names by URL."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from tests.readers.rdf.rdf_site import Site


@pytest.mark.parametrize(
    ("members", "guid"),
    [
        ('"type": "Dataset", "id": "http://a.example/1"', "http://a.example/1"),
        ('"@type": "Dataset", "@id": "http://a.example/1", "id": "x"', "http://a.example/1"),
        ('"@type": "Dataset", "@id": "http://a.example/1", "type": {}', "http://a.example/1"),
    ],
)
def test_keywords_have_the_names_of_the_schema_org_context(
    site: Site, members: str, guid: str
) -> None:
    site.serve("/d", f'{{"@context": "http://schema.org/", {members}, "name": "Rivers"}}')
    found, ending = site.read()
    assert ([raw.guid for raw in found], ending.problems) == ([guid], ())


def test_dcat_us_3_needs_nothing_but_the_document(site: Site) -> None:
    base = "https://raw.githubusercontent.com/DOI-DO/dcat-us"
    catalogue = (
        '{"@id": "http://a.example/c", "@type": "dcat:Catalog", "dataset": ["http://a.example/1"]}'
    )
    one = '{"@id": "http://a.example/1", "@type": "dcat:Dataset", "titleMap": {"en": "Ice"}}'
    for branch in ("main", "refs/heads/main"):
        context = f"{base}/{branch}/context/dcat-us-3.0.jsonld"
        site.serve("/d", f'{{"@context": "{context}", "@graph": [{catalogue}, {one}]}}')
        (found,), ending = site.read()
        assert '/dc/terms/title> "Ice"@en' in (found.content or "")
        assert (found.guid, ending.complete) == ("http://a.example/1", True)


def test_contexts_come_from_document_package_or_our_http_client(site: Site) -> None:
    document = (
        '{{"@context": {0}, "@id": "http://a.example/1", "@type": "dcat:Dataset", "title": "x"}}'
    ).format
    terms = '{"dcat": "http://www.w3.org/ns/dcat#", "title": "http://purl.org/dc/terms/title"}'
    site.serve("/d", document(terms), "application/ld+json")
    content = site.read()[0][0].content
    site.serve("/terms", '{"@context": ["BASE/inner"]}')
    site.serve("/inner", f'{{"@context": {terms}}}')
    bundled = "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld"
    for context in ('"BASE/terms"', '["terms", {"x": "http://x.example/"}]', f'"{bundled}"'):
        site.serve("/d", document(context), "application/ld+json")
        assert site.read()[0][0].content == content
    site.serve("/inner", '{"@context": ["BASE/terms", "BASE/inner"]}')
    site.serve("/d", document('"BASE/terms"'), "application/ld+json")
    with pytest.raises(ProtocolError):
        site.read()


@pytest.mark.parametrize("context", ['"http://[::1"', '{"@import": "http://[::1"}'])
def test_a_context_that_is_no_url_is_refused_by_name(site: Site, context: str) -> None:
    body = f'{{"@context": {context}, "@id": "http://a.example/1", "@type": "dcat:Dataset"}}'
    site.serve("/d", body, "application/ld+json")
    with pytest.raises(
        ProtocolError, match=r"context http://\[::1 is not a web address"
    ) as refused:
        site.read()
    assert refused.value.code == "context"
