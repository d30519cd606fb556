"""An endpoint read page by page and batch by batch: limits, faults, and what they prove."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Reading, Source
from ckanext.ukharvest.source_types.lists import DCAT_RDF
from tests.publisher import Publisher, Request, Response
from tests.publishing.sparql import Endpoint, F, R
from tests.readers.sparql.conftest import Read
from tests.readers.sparql.endpoint_reads import (
    PREFIXES,
    failures,
    guids,
    quick_client,
    turtle,
    uri,
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


def test_a_dataset_that_the_server_cannot_describe_fails_alone(read: Read) -> None:
    endpoint = Endpoint(turtle(9))
    endpoint.before = lambda query, _request: (
        Response(b"broken", 500) if "CONSTRUCT" in query and f"<{uri(5)}>" in query else None
    )
    found, ending = read(endpoint, {"batch_size": 4}, client=quick_client())
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


def test_a_pasted_request_is_read_as_its_endpoint(read: Read, publisher: Publisher) -> None:
    read(Endpoint(turtle(1)), path="/sparql?map=open&query=ASK%20%7B%7D&format=html")
    assert all(each.startswith("/sparql?map=open") for each in publisher.paths)
    assert not any("ASK" in each or "html" in each for each in publisher.paths)


@pytest.mark.parametrize("point", ["7", "no", "[1]", "null", '["x", "", 1, false]'])
def test_resume_point_of_another_reader_begins_anew(read: Read, point: str) -> None:
    found, ending = read(Endpoint(turtle(3)), {"page_size": 2}, resume=point)
    assert (guids(found), ending.complete) == ([uri(n) for n in range(3)], True)
