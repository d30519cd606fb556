"""An endpoint read page by page and batch by batch: limits, faults, and what they prove."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import RawRecord, Reading, Source
from ckanext.ukharvest.readers.sparql.connection import Cut, Refused
from ckanext.ukharvest.source_types.lists import DCAT_RDF
from tests.conftest import LOOPBACK, FakeTime
from tests.publisher import Publisher, Request, Response
from tests.publishing.dcat import turtle_of
from tests.publishing.records import Item
from tests.publishing.sparql import Endpoint, F, R
from tests.readers.sparql.conftest import Read

PREFIXES = (
    "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> ."
    " @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#>"
    " . @prefix org: <http://www.w3.org/ns/org#> . @prefix skos:"
    " <http://www.w3.org/2004/02/skos/core#> .\n"
)
RICH = """
<http://a.example/1> a dcat:Dataset; dct:title "Roads"; dct:publisher <http://a.example/council>;
  dcat:contactPoint [ a vcard:Kind; vcard:fn "Desk"; vcard:hasEmail <mailto:desk@a.example> ];
  dct:temporal [ dcat:startDate "2020-01-01"; dcat:endDate "2020-12-31" ];
  dct:spatial [ dcat:bbox "POLYGON((0 0,1 0,1 1,0 1,0 0))" ];
  dcat:theme <http://a.example/theme>; dct:isPartOf <http://a.example/2>;
  dcat:distribution <http://a.example/file> .
<http://a.example/file> a dcat:Distribution; dcat:accessURL <http://a.example/1.csv>;
  dcat:accessService [ a dcat:DataService; dcat:endpointURL <http://a.example/api>;
    dct:license <http://a.example/terms> ] .
<http://a.example/terms> dct:title "Terms of the house" .
<http://a.example/council> a foaf:Agent; foaf:name "Council"; org:subOrganizationOf [
  foaf:name "County" ]; foaf:made <http://a.example/1>, <http://a.example/2> .
<http://a.example/theme> skos:prefLabel "Roads"; skos:broader <http://a.example/wide> .
<http://a.example/wide> skos:prefLabel "Transport" .
<http://a.example/2> a dcat:Dataset; dct:title "All roads";
  dct:publisher <http://a.example/council> .
<http://a.example/all> a dcat:Catalog; dct:title "All"; dcat:dataset <http://a.example/1>,
  <http://a.example/2> .
"""


def turtle(count: int, **more: Any) -> str:
    return PREFIXES + "".join(turtle_of(each) for each in numbered(count, **more))


def numbered(count: int, **more: Any) -> list[Item]:
    return [Item(number, f"Title {number}", **more) for number in range(count)]


def uri(number: int) -> str:
    return f"https://data.example/id/{number}"


def guids(found: list[RawRecord]) -> list[str]:
    return [each.guid for each in found]


def failures(found: list[RawRecord]) -> dict[str, str]:
    return {each.guid: each.error.code for each in found if each.error}


def as_dcat_rdf(text: str, http: HttpClient, publisher: Publisher) -> dict[str, str | None]:
    """Return guid → content as the type dcat_rdf reads a document."""
    publisher.routes = {"/c.ttl": Response(text.encode(), headers={"Content-Type": "text/turtle"})}
    source = Source(publisher.url("/c.ttl"), {"paging": "none"}, http)
    return {each.guid: each.content for each in Reading(DCAT_RDF.reader.records(source))}


def test_datasets_are_counted_listed_and_described(read: Read, publisher: Publisher) -> None:
    endpoint = Endpoint(turtle(7))
    found, ending = read(endpoint, {"page_size": 3, "batch_size": 2})
    assert guids(found) == [uri(number) for number in range(7)]
    assert (ending.complete, ending.reason) == (True, "")
    assert [len(endpoint.asked(each)) for each in ("COUNT", " OFFSET ", "CONSTRUCT")] == [1, 3, 5]
    # Short queries by GET, long ones as a form.
    assert [each.method for each in publisher.requests[:3]] == ["GET", "GET", "POST"]
    assert found[0].url == publisher.url(
        "/sparql?query=DESCRIBE+%3Chttps%3A%2F%2Fdata.example%2Fid%2F0%3E"
    )


def test_a_record_is_what_a_document_with_the_same_triples_has(
    read: Read, http: HttpClient, publisher: Publisher
) -> None:
    expected = as_dcat_rdf(PREFIXES + RICH, http, publisher)
    found, ending = read(Endpoint(PREFIXES + RICH))
    assert {each.guid: each.content for each in found} == expected
    assert ending.complete
    first = str(found[0].content)
    assert all(each in first for each in ("Desk", "County", "POLYGON", "Terms of the house"))
    assert not any(each in first for each in ("All roads", "Transport", "foaf/0.1/made"))


@pytest.mark.parametrize("rows", [R.JSON, R.XML])
@pytest.mark.parametrize("triples", [F.N_TRIPLES, F.TURTLE, F.RDF_XML, F.JSON_LD])
def test_results_are_read_in_every_form(
    read: Read, rows: ox.QueryResultsFormat, triples: ox.RdfFormat
) -> None:
    found, ending = read(Endpoint(turtle(3), rows=rows, triples=triples))
    expected, _ = read(Endpoint(turtle(3)))
    assert ([each.content for each in found], ending.complete) == (
        [each.content for each in expected],
        True,
    )


def test_named_graphs_are_read_alone(read: Read) -> None:
    endpoint = Endpoint(turtle(2))
    endpoint.add(turtle(4), "http://graphs.example/a")
    endpoint.add(PREFIXES + RICH, "http://graphs.example/b")
    assert len(read(endpoint)[0]) == 2
    graphs = ["http://graphs.example/a", "http://graphs.example/b"]
    assert len(read(endpoint, {"graphs": graphs[:1]})[0]) == 4
    found, ending = read(endpoint, {"graphs": graphs})
    assert (len(found), ending.complete, failures(found)) == (6, True, {})


def test_a_source_s_own_query_selects_the_datasets(read: Read) -> None:
    own = (
        "PREFIX dct: <http://purl.org/dc/terms/>\n"
        "SELECT ?dataset ?title WHERE { ?dataset dct:title ?title"
        ' FILTER(?title IN ("Title 1", "Title 3")) } ORDER BY ?title # our choice'
    )
    found, ending = read(Endpoint(turtle(5)), {"query": own, "page_size": 1})
    assert (guids(found), ending.complete) == ([uri(1), uri(3)], True)


@pytest.mark.parametrize("most", [1, 4, 10])
def test_a_server_s_limit_of_rows_is_found_by_the_count(read: Read, most: int) -> None:
    endpoint = Endpoint(turtle(11), most=most)
    endpoint.before = lambda query, _request: (  # the limit is that of lists alone
        _whole(endpoint, query) if "CONSTRUCT" in query else None
    )
    found, ending = read(endpoint)
    assert (guids(found), ending.complete) == (guids(read(Endpoint(turtle(11)))[0]), True)
    sizes = [each.rpartition("LIMIT ")[2] for each in endpoint.asked(" OFFSET ")]
    assert sizes == ["1000 OFFSET 0", *(f"{most} OFFSET {n}" for n in range(most, 11, most))]


def _whole(endpoint: Endpoint, query: str) -> Response:
    endpoint.most, most = 0, endpoint.most
    try:
        return endpoint.answer(query)
    finally:
        endpoint.most = most


def test_description_cut_by_the_limit_is_read_in_parts(read: Read) -> None:
    # 6 triples a dataset: 30 rows hold five, and six of them would be cut without a word.
    endpoint = Endpoint(turtle(31), most=30)
    expected, _ = read(Endpoint(turtle(31)))
    found, ending = read(endpoint, {"batch_size": 31})
    assert ([each.content for each in found], ending.complete) == (
        [each.content for each in expected],
        True,
    )


def test_a_round_number_of_statements_is_doubted(read: Read) -> None:
    many = "".join(f'<{uri(n)}> dct:subject "{k}" .\n' for n in range(4) for k in range(300))
    endpoint = Endpoint(turtle(4) + many, most=1000)
    found, _ = read(endpoint)
    expected, _ = read(Endpoint(turtle(4) + many))
    assert [each.content for each in found] == [each.content for each in expected]
    assert len(endpoint.asked("CONSTRUCT")) == 3


@pytest.mark.parametrize(
    "headers", [{"X-SQL-State": "S1TAT"}, {"X-SPARQL-MaxRows": "10000"}], ids=str
)
def test_virtuoso_says_in_headers_that_a_result_is_cut(read: Read, headers: dict[str, str]) -> None:
    endpoint = Endpoint(turtle(4))

    def cut(query: str, _request: Request) -> Response | None:
        many = query.count("<https://data.example/id/") > 8
        return Response(b"", headers=headers) if "CONSTRUCT" in query and many else None

    endpoint.before = cut
    found, ending = read(endpoint)
    assert (len(found), failures(found), ending.complete) == (4, {}, True)
    endpoint.before = lambda _query, _request: Response(b"{}", headers=headers)
    with pytest.raises(Cut, match="/sparql gives"):
        read(endpoint)


def test_refused_offset_is_replaced_by_the_last_uri(read: Read) -> None:
    endpoint = Endpoint(turtle(9))

    def like_virtuoso(query: str, _request: Request) -> Response | None:
        if " OFFSET " in query and int(query.rpartition(" ")[2]) > 3:
            words = b"Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then 3 rows"
            return Response(words, 400, {"Content-Type": "text/plain"})
        return None

    endpoint.before = like_virtuoso
    found, ending = read(endpoint, {"page_size": 3})
    assert (guids(found), ending.complete) == ([uri(n) for n in range(9)], True)
    endpoint.before = lambda query, request: (
        Response(b"no", 400) if "STR(" in query else like_virtuoso(query, request)
    )
    with pytest.raises(Refused, match="Sorted TOP clause"):
        read(endpoint, {"page_size": 3})


def test_a_dataset_that_the_server_cannot_describe_fails_alone(read: Read) -> None:
    endpoint = Endpoint(turtle(9))
    endpoint.before = lambda query, _request: (
        Response(b"broken", 500) if "CONSTRUCT" in query and f"<{uri(5)}>" in query else None
    )
    found, ending = read(endpoint, {"batch_size": 4}, client=_quick())
    assert failures(found) == {uri(5): "sparql-refused"}
    assert f"dataset '{uri(5)}'" in found[5].error.message  # type: ignore[union-attr]
    assert ending.complete
    different = dict.fromkeys(endpoint.asked("CONSTRUCT"))  # the last attempt is repeated
    assert [_size(each) for each in different] == [4, 4, 2, 1, 1, 2, 1]


def _size(query: str) -> int:
    """Return the number of datasets in a query, which names each for each number of links."""
    return query.count("<https://data.example/id/") // 4


def test_batches_get_smaller_after_a_server_refused_their_size(read: Read) -> None:
    endpoint = Endpoint(turtle(24))
    endpoint.before = lambda query, _request: (
        Response(b"too long", 413) if query.count("<https://data.example/id/") > 4 * 4 else None
    )
    found, ending = read(endpoint, {"batch_size": 12})
    assert (len(found), failures(found), ending.complete) == (24, {}, True)
    assert [_size(each) for each in endpoint.asked("CONSTRUCT")] == [
        12,
        6,
        3,
        3,
        6,
        3,
        3,
        3,
        3,
        3,
        3,
    ]


def test_a_server_that_breaks_ends_the_read(read: Read) -> None:
    endpoint = Endpoint(turtle(20))
    endpoint.before = lambda query, _request: (
        Response(b"down", 503) if "CONSTRUCT" in query and f"<{uri(3)}>" not in query else None
    )
    with pytest.raises(Refused, match="/sparql answered 503 Service Unavailable: down"):
        read(endpoint, {"batch_size": 2}, client=_quick())


def test_a_dataset_without_a_description_is_an_error_not_gone(read: Read) -> None:
    endpoint = Endpoint(turtle(4))

    def forgetful(query: str, _request: Request) -> Response | None:
        return endpoint.answer(query.replace(uri(2), uri(99))) if "CONSTRUCT" in query else None

    endpoint.before = forgetful
    found, ending = read(endpoint)
    assert (guids(found), failures(found)) == ([uri(n) for n in range(4)], {uri(2): "not-shown"})
    assert ending.complete


def test_datasets_without_a_usable_uri_are_errors(read: Read) -> None:
    endpoint = Endpoint(turtle(2), PREFIXES + '[] a dcat:Dataset; dct:title "Nameless" .')
    found, ending = read(endpoint)
    assert (failures(found), ending.complete) == ({"": "missing-identifier"}, True)
    rows = '{"head":{"vars":["dataset"]},"results":{"bindings":[{"dataset":{"type":"uri",'
    rows += '"value":"http://a.example/a b"}},{"dataset":{"type":"literal","value":"x"}},{}]}}'
    endpoint.before = lambda query, _request: (
        Response(rows.encode()) if " OFFSET " in query else None
    )
    found, ending = read(endpoint)
    assert failures(found) == {"http://a.example/a b": "bad-iri", "": "missing-identifier"}
    assert not endpoint.asked("a b")


def test_a_change_while_reading_proves_nothing(read: Read) -> None:
    endpoint = Endpoint(turtle(6))

    def shrink(query: str, _request: Request) -> None:
        if " OFFSET 2" in query:
            endpoint.remove(uri(0))

    endpoint.before = shrink
    found, ending = read(endpoint, {"page_size": 2})
    assert (len(found), ending.complete) == (5, False)
    assert "the number of datasets of" in ending.reason
    assert "changed while they were read" in ending.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(
            lambda query: query.replace("OFFSET 2", "OFFSET 0").replace("OFFSET 4", "OFFSET 0"),
            "gives a page without a new dataset",
            id="ignores-offset",
        ),
        pytest.param(
            lambda query: query.replace("OFFSET 4", "OFFSET 400"),
            "announces 6 datasets and shows 4",
            id="ends-early",
        ),
        pytest.param(
            lambda query: query.replace("OFFSET 2", "OFFSET 1"),
            "lists a dataset twice",
            id="overlaps",
        ),
    ],
)
def test_a_list_that_does_not_fit_its_count_is_not_complete(
    read: Read, change: Any, reason: str
) -> None:
    endpoint = Endpoint(turtle(6))
    endpoint.before = lambda query, _request: endpoint.answer(change(query))
    _, ending = read(endpoint, {"page_size": 2})
    assert (ending.complete, reason in ending.reason) == (False, True), ending.reason


def test_blank_nodes_of_an_endpoint_that_ignores_the_offset_do_not_lengthen_its_list(
    read: Read,
) -> None:
    endpoint = Endpoint(turtle(6), PREFIXES + "[] a dcat:Dataset . [] a dcat:Dataset .")
    first = "OFFSET 0"
    endpoint.before = lambda query, _request: endpoint.answer(
        query.partition("OFFSET ")[0] + first if "OFFSET " in query else query
    )
    found, ending = read(endpoint, {"page_size": 4})
    assert len(endpoint.asked(" OFFSET ")) == 2
    assert (ending.complete, "gives a page without a new dataset" in ending.reason) == (False, True)


def test_an_empty_endpoint_deletes_nothing_and_names_the_option(read: Read) -> None:
    endpoint = Endpoint()
    endpoint.add(turtle(2), "http://graphs.example/a")
    found, ending = read(endpoint)
    assert (found, ending.complete) == ([], False)
    assert "name other graphs in the option graphs" in ending.reason


def test_service_that_serves_nothing_is_a_record(read: Read) -> None:
    services = """
        @prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
        <http://data.example/tides> a dcat:DataService ; dct:title "Tides" .
        <http://data.example/wms> a dcat:DataService ; dcat:servesDataset <%s> .
        <http://data.example/file> dcat:accessService <http://data.example/api> .
        <http://data.example/api> a dcat:DataService .
    """
    found, ending = read(Endpoint(turtle(1) + services % uri(0)))
    assert set(guids(found)) == {uri(0), "http://data.example/tides"}
    assert "Tides" in next(raw.content for raw in found if raw.guid.endswith("tides"))
    assert ending.complete


def test_an_interrupted_read_goes_on_after_its_last_batch(read: Read) -> None:
    first, _ = read(Endpoint(turtle(8)), {"page_size": 4, "batch_size": 3})
    points = [each.resume for each in first]
    assert [bool(each) for each in points] == [False, False, True, True, False, False, True, True]
    endpoint = Endpoint(turtle(8))
    rest, ending = read(endpoint, {"page_size": 4, "batch_size": 3}, resume=points[2])
    assert (guids(rest), ending.complete) == ([uri(n) for n in range(3, 8)], True)
    assert endpoint.asked(" OFFSET ")[0].endswith("LIMIT 4 OFFSET 3")


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_get_is_asked_by_post(
    read: Read, publisher: Publisher, status: int
) -> None:
    endpoint = Endpoint(turtle(2))
    endpoint.before = lambda _query, request: (
        Response(b"", status) if request.method == "GET" else None
    )
    found, ending = read(endpoint)
    assert (len(found), ending.complete) == (2, True)
    assert [each.method for each in publisher.requests] == ["GET", "POST", "POST", "POST"]


def test_a_server_without_post_gets_shorter_queries_by_get(
    read: Read, publisher: Publisher
) -> None:
    endpoint = Endpoint(turtle(40))

    def only_get(_query: str, request: Request) -> Response | None:
        if request.method == "POST":
            return Response(b"", 405)
        return Response(b"", 414) if len(request.path) > 8_000 else None

    endpoint.before = only_get
    found, ending = read(endpoint)
    assert (len(found), failures(found), ending.complete) == (40, {}, True)
    assert [each.method for each in publisher.requests].count("POST") < 8


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_method_can_be_fixed(read: Read, publisher: Publisher, method: str) -> None:
    found, _ = read(Endpoint(turtle(2)), {"method": method})
    assert len(found) == 2
    assert {each.method for each in publisher.requests} == {method.upper()}


def test_a_refusal_says_what_the_server_says(read: Read) -> None:
    endpoint = Endpoint(turtle(2))
    words = b"Parse error: no aggregates here\nline 2"
    endpoint.before = lambda _query, _request: Response(words, 400)
    with pytest.raises(Refused, match="answered 400 Bad Request: Parse error: no aggregates here"):
        read(endpoint)
    page = b"<!DOCTYPE html><html><head><title>Down for repairs</title></head></html>"
    endpoint.before = lambda _query, _request: Response(page, 403)
    with pytest.raises(BadStatus, match="/sparql answered 403 Forbidden: Down for repairs"):
        read(endpoint)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<!DOCTYPE html><title>Query editor</title>", "title 'Query editor'"),
        (b'{"head": {}, "boolean": true}', "an answer to ASK; expected results of SELECT"),
        (b'{"error": "timed out"}', "an error: timed out"),
        (b'{"head":{"vars":["s"]},"results":{"bindings":[]}}', "the 1 variable s; expected"),
        (b'<sparql xmlns="x"><head/><boolean>true</boolean></sparql>', "an answer to ASK"),
        (b"<other/>", "its root element is <other>"),
        (b"dataset\nhttp://a.example/1\n", "not JSON"),
        (b"", "is empty; expected results of SELECT"),
        (b'{"head":{"vars":["number_of_datasets"]},"results":{"bindings":[]}}', "counts ''"),
    ],
)
def test_other_answers_are_refused_in_words(read: Read, body: bytes, words: str) -> None:
    endpoint = Endpoint(turtle(2))
    endpoint.before = lambda _query, _request: Response(body)
    with pytest.raises(ProtocolError) as caught:
        read(endpoint)
    assert words in caught.value.message
    assert "/sparql" in caught.value.message


def test_a_web_page_instead_of_descriptions_stops_the_read(read: Read) -> None:
    endpoint = Endpoint(turtle(2))
    page = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"
    endpoint.before = lambda query, _request: Response(page) if "CONSTRUCT" in query else None
    with pytest.raises(SourceError, match="title 'Log in'"):
        read(endpoint)


def test_a_pasted_request_is_read_as_its_endpoint(read: Read, publisher: Publisher) -> None:
    read(Endpoint(turtle(1)), path="/sparql?map=open&query=ASK%20%7B%7D&format=html")
    assert all(each.startswith("/sparql?map=open") for each in publisher.paths)
    assert not any("ASK" in each or "html" in each for each in publisher.paths)


def _quick() -> HttpClient:
    fake = FakeTime()
    return HttpClient(Guard(LOOPBACK), HttpLimits(), sleep=fake.sleep, clock=fake.clock)


@pytest.mark.parametrize("point", ["7", "no", "[1]", "null", '["x", "", 1, false]'])
def test_resume_point_of_another_reader_begins_anew(read: Read, point: str) -> None:
    found, ending = read(Endpoint(turtle(3)), {"page_size": 2}, resume=point)
    assert (guids(found), ending.complete) == ([uri(n) for n in range(3)], True)
