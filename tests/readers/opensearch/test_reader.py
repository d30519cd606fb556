"""What the source's URL can lead to, and what of a result is its content."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.check_command import command
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import Blocked, ConfigError, ProtocolError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import RawRecord, Source
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.source_preview import SourcePreview
from ckanext.ukharvest.source_types.lists import OPENSEARCH
from tests.conftest import LOOPBACK
from tests.publisher import Response
from tests.publishing.opensearch import Search, atom_feed, entries, identities, osdd
from tests.readers.reads import Reads, guids

LINK = '<link rel="{}" type="application/opensearchdescription+xml" href="{}">'


def page(*links: str) -> Response:
    return Response(f"<!DOCTYPE html><html><head>{''.join(links)}</head></html>".encode())


def test_a_website_is_read_by_its_description_document(reads: Reads) -> None:
    website = page(LINK.format("alternate", "/no"), LINK.format("SEARCH", "osdd.xml"))
    service = Search(entries(3), change=lambda given: None if "n" in given else website)
    found, ending = reads(service, path="/home")
    assert (guids(found), ending.complete) == (identities(0, 1, 2), True)


def test_a_website_without_one_is_no_source(reads: Reads) -> None:
    with pytest.raises(ProtocolError, match="HTML page instead of an answer of OpenSearch"):
        reads(Search([], change=lambda _given: page()), path="/home")
    pages = page(LINK.format("search", "/other"))
    with pytest.raises(ProtocolError, match="is not an OpenSearch description document"):
        reads(Search([], change=lambda _given: pages), path="/home")


@pytest.mark.parametrize("option", ["search_terms", "answer"])
def test_a_list_of_results_takes_no_options(reads: Reads, option: str) -> None:
    given = {"search_terms": "a", "answer": "atom"}
    with pytest.raises(ConfigError, match=f"{option}: .* is a list of results"):
        reads(Search(entries(3)), {option: given[option]}, path="/search")


def test_a_link_into_internal_space_is_refused(reads: Reads) -> None:
    inside = '<link rel="next" href="http://169.254.169.254/latest/"/>'
    service = Search(entries(5), inside=lambda _start, _given: inside)
    with pytest.raises(Blocked):
        reads(service, path="/search")
    website = page(LINK.format("search", "http://169.254.169.254/osdd.xml"))
    with pytest.raises(Blocked):
        reads(Search([], change=lambda _given: website), path="/home")
    with pytest.raises(Blocked):
        reads(Search([], osdd("http://169.254.169.254/s?q={searchTerms?}")))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('<rss version="2.0"><channel/></rss>', "root element is <rss>; expected an OpenSearch"),
        ("<ExceptionReport><Text>No such index</Text></ExceptionReport>", "No such index"),
        ('{"type": "FeatureCollection"}', "expected a FeatureCollection of GeoJSON"),
        ('{"features": {}}', "expected a FeatureCollection of GeoJSON"),
    ],
)
def test_another_document_is_refused_with_its_name(reads: Reads, body: str, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        reads(Search([], change=lambda _given: Response(body.encode())))


def of_entry(reads: Reads, entry: str) -> RawRecord:
    feed = atom_feed(entry, 1).replace("<feed ", '<feed xmlns:gml="http://www.opengis.net/gml" ')
    (raw,), _ = reads(Search([], change=lambda _given: Response(feed.encode())))
    return raw


def print_of(raw: RawRecord) -> str:
    assert raw.content is not None
    assert OPENSEARCH.volatile is not None
    return fingerprint(OPENSEARCH.volatile.sub("", raw.content), "xml_or_json", ())


ENTRY = "<entry><id>a</id><title>A</title>{}</entry>"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<updated>2024-05-01</updated>", "<updated>2024-05-02T01:02:03Z</updated>"),
        ('<link rel="self" href="/a?t=1"/>', '<link rel="self" href="/a?t=2"/>'),
        ("<os:totalResults>3</os:totalResults>", ""),
        ('<gml:Point gml:id="a1"/>', '<gml:Point gml:id="a2"/>'),
    ],
)
def test_response_dates_do_not_change_the_fingerprint(reads: Reads, one: str, other: str) -> None:
    prints = {print_of(of_entry(reads, ENTRY.format(each))) for each in (one, other)}
    assert len(prints) == 1


@pytest.mark.parametrize("more", ["<published>2024</published>", '<link rel="icon" href="/b"/>'])
def test_each_part_of_an_entry_changes_the_fingerprint(reads: Reads, more: str) -> None:
    prints = {print_of(of_entry(reads, ENTRY.format(each))) for each in ("", more)}
    assert len(prints) == 2


def test_relative_links_are_completed(reads: Reads) -> None:
    entry = '<entry xml:base="/files/"><id>a</id><link rel="enclosure" href="a.csv"/></entry>'
    base = reads.publisher.base
    assert f'href="{base}/files/a.csv"' in (of_entry(reads, entry).content or "")


def test_a_record_without_id_has_its_identifier_or_fails_alone(reads: Reads) -> None:
    assert of_entry(reads, "<entry><identifier>b</identifier></entry>").guid == "b"
    raw = of_entry(reads, "<entry><title>A</title></entry>")
    assert raw.error is not None
    assert raw.error.message == "entry 1: id is missing; expected an identifier that never changes"


def features(*found: Any, **more: Any) -> Response:
    return Response(json.dumps({"features": found, **more}).encode())


@pytest.mark.parametrize(
    ("more", "is_complete"),
    [
        ({"totalResults": 2}, True),
        ({"numberMatched": 2}, True),
        ({"properties": {"totalResults": "2"}}, True),
        ({"properties": {"totalResults": 2, "exactCount": False}}, False),
        ({"totalResults": 3}, False),
        ({}, False),
    ],
)
def test_totals_of_geojson(reads: Reads, more: dict[str, Any], is_complete: bool) -> None:
    both = [{"id": "a", "properties": {"updated": "2024"}}, {"properties": {"identifier": "b"}}]
    service = Search([], change=lambda _given: features(*both, **more))
    found, ending = reads(service)
    assert guids(found) == ["a", "b"]
    assert ending.complete == is_complete


def test_features_of_any_shape_fail_alone(reads: Reads) -> None:
    odd = [None, 1, [], {"id": []}, {"id": "a", "properties": []}]
    found, _ = reads(Search([], change=lambda _given: features(*odd, totalResults=5)))
    assert [bool(raw.error) for raw in found] == [True, True, True, True, False]


def test_updated_and_navigation_of_a_feature_are_no_content(reads: Reads) -> None:
    def of_feature(**inner: Any) -> str:
        feature = {"id": "a", "properties": {"title": "A", **inner}}
        (raw,), _ = reads(Search([], change=lambda _given: features(feature, totalResults=1)))
        return print_of(raw)

    data = {"href": "a.csv"}
    first = of_feature(updated="2024", links={"data": [data], "self": [{"href": "/1"}]})
    again = of_feature(updated="2025", links=[{"rel": "data", **data}])
    assert first == again
    assert first != of_feature(updated="2024", links={"data": [{"href": "b.csv"}]})
    assert first == of_feature(updated="2024", links={"data": "a.csv"})


def test_a_saved_page_says_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "page.xml"
    file.write_text(atom_feed("".join(entries(2)), 5))
    out = io.StringIO()
    command.run("opensearch", str(file), as_json=True, out=out, err=io.StringIO())
    assert "holds 2 of 5 records" in json.loads(out.getvalue())["reason"]


def test_a_preview_and_a_check_say_which_option_is_missing(reads: Reads) -> None:
    url = Search([], osdd("/s?q={searchTerms}&amp;u={geo:uid}")).serve(reads.publisher)
    out, err = io.StringIO(), io.StringIO()
    code = command.run("opensearch", url, as_json=True, allow_private=True, out=out, err=err)
    (error,) = json.loads(out.getvalue())["errors"]
    expected = f"search_terms: the search of {url} requires a value for searchTerms, geo:uid"
    assert (code, error["message"].partition(";")[0]) == (2, expected)
    with HttpClient(Guard(LOOPBACK)) as http:
        source = Source(url, options.validate({}, OPENSEARCH.options), http)
        found = SourcePreview(OPENSEARCH, source, Watched(http, Budget(20.0, 5.0))).run()
    assert found["error"].pop("wording")
    assert found["error"] == error
