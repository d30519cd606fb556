"""DCAT documents in every syntax and every kind of pages, cut into records."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Reading, Source
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from tests.publisher import Response
from tests.readers.rdf.catalogues import PREFIXES, dataset
from tests.readers.rdf.rdf_site import Site


def test_a_next_link_to_a_host_behind_a_proxy_is_followed(
    site: Site,
) -> None:
    inside = "http://ckan-internal.invalid:5000"
    text = f'<{inside}/d> a hydra:PagedCollection ; hydra:nextPage "{inside}/d?page=2" .\n'
    site.serve("/d", PREFIXES + text + dataset(1), "text/turtle")
    site.serve("/d?page=2", PREFIXES + dataset(2), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2"]
    assert ending.complete


def test_hydra_pages_of_both_kinds_are_followed_to_the_total(site: Site) -> None:
    paged = (
        "<BASE/d{0}> a hydra:{1} ; hydra:totalItems {2} ; hydra:{3} {4} .\n" + dataset(1)
    ).format
    last = "<BASE/d?page=2> a hydra:{0} ; hydra:totalItems {1} .\n" + dataset(2)
    for kind, link, target in (
        ("PagedCollection", "nextPage", '"BASE/d?page=2"'),
        ("PartialCollectionView", "next", "<BASE/d?page=2>"),
    ):
        for total, complete in ((2, True), (3, False)):
            site.serve("/d", PREFIXES + paged("", kind, total, link, target), "text/turtle")
            site.serve("/d?page=2", PREFIXES + last.format(kind, total), "text/turtle")
            found, ending = site.read()
            assert [raw.guid[-1] for raw in found] == ["1", "2"]
            assert ending.complete is complete
            assert complete or "announces 3 datasets and shows 2" in ending.reason
    assert not site.read(paging="none")[1].complete


def test_link_headers_are_followed(site: Site) -> None:
    link = f'<{site.publisher.base}/x>; rel="prev", <{site.publisher.base}/more>; rel="next"'
    site.serve("/d", PREFIXES + dataset(1), "text/turtle", Link=link)
    site.serve("/more", PREFIXES + dataset(2), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2"]
    assert ending.complete


def test_numbered_pages_are_asked_for_until_there_is_none(site: Site) -> None:
    for number, path in enumerate(("/d", "/d?page=2", "/d?page=3"), 1):
        site.serve(path, PREFIXES + dataset(number), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2", "3"]
    assert ending.complete
    assert len(site.read(paging="none")[0]) == 1


def test_pages_in_a_circle_end_and_prove_nothing(site: Site) -> None:
    for path, other, number in (("/d", "/e", 1), ("/e", "/f", 2), ("/f", "/e", 3)):
        text = f"<BASE{path}> a hydra:PartialCollectionView ; hydra:next <BASE{other}> .\n"
        site.serve(path, PREFIXES + text + dataset(number), "text/turtle")
    found, ending = site.read()
    assert len(found) == 3
    assert not ending.complete
    assert "read before" in ending.reason


def test_a_linked_page_that_is_not_there_proves_nothing(site: Site) -> None:
    text = "<BASE/d> a hydra:PartialCollectionView ; hydra:next <BASE/gone> .\n"
    site.serve("/d", PREFIXES + text + dataset(1), "text/turtle")
    found, ending = site.read()
    assert (len(found), ending.complete) == (1, False)
    assert "page 2 is linked, but not there" in ending.reason


def test_an_empty_catalogue_proves_nothing(site: Site) -> None:
    site.serve("/d", PREFIXES + ":c a dcat:Catalog .", "text/turtle")
    found, ending = site.read()
    assert (found, ending.complete) == ([], False)


@pytest.mark.parametrize(
    ("body", "code", "line", "words"),
    [
        ("", "empty-document", None, "is empty"),
        ("<html><title>Log in</title></html>", "html-page", None, "title 'Log in'"),
        (PREFIXES + ':x a dcat:Dataset ;\n dct:title "x', "rdf-syntax", 9, "not valid Turtle"),
        ('{"dataset": [{"title": "x"}]}', "not-a-catalogue", None, "data_json"),
        ("<a>\n<b></c></a>", "not-xml", 2, "not well-formed"),
        ("<other a='b'/>", "not-a-catalogue", None, "root element is other"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x/>', "doctype", 1, "DOCTYPE"),
        ("once upon a time", "rdf-syntax", 1, "begins with 'once upon"),
        ('{"@context": "BASE/context"}', "context", None, "cannot be read"),
    ],
)
def test_document_without_dcat_is_refused_with_a_reason(
    site: Site, body: str, code: str, line: int | None, words: str
) -> None:
    error = site.refusal(body)
    assert (error.code, error.line) == (code, line)
    assert words in error.message


def test_unmodified_rdf_document_is_not_read(site: Site) -> None:
    body = (PREFIXES + dataset(1)).encode()
    site.publisher.routes["/d"] = Response(body, etag='"1"')
    _found, ending = site.read()
    source = Source(site.publisher.url("/d"), {}, site.http, ending.validators)
    reading = Reading(RdfReader().records(source))
    assert list(reading) == []
    assert reading.ending is not None
    assert reading.ending.unchanged
