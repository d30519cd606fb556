"""SOAP, and servers that take requests by one binding only or at another URL."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ckanext.ukharvest.core.errors import FetchError, RecordError
from ckanext.ukharvest.core.records import Reading
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.csw.request import Binding, find_binding
from ckanext.ukharvest.readers.csw.server import request_bindings
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from tests.publisher import Publisher, Request, Response
from tests.publishing.csw import (
    Asked,
    Catalogue,
    capabilities,
    dublin_core,
    enclosed,
    fault,
    gmd,
    refusal,
)
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads, errors, guids

VERSIONS = ("SOAP 1.1", "SOAP 1.2")
OPTION = {"SOAP 1.1": "soap-1.1", "SOAP 1.2": "soap-1.2"}
SORTED = "gmd:MD_Metadata sorted by apiso:Identifier full"


def methods(catalogue: Catalogue) -> list[str]:
    return [each.method for each in catalogue.asked]


# SOAP


@pytest.mark.parametrize("method", VERSIONS)
def test_pages_are_read_by_soap(reads: Reads, method: str) -> None:
    catalogue = Catalogue(many(10), methods=(method,))
    found, ending = reads(catalogue, {"method": OPTION[method], "types": "dataset"})
    assert guids(found) == [f"r{number:03}" for number in range(1, 11)]
    assert (ending.complete, ending.interface) == (True, f"{method} {SORTED}")
    assert catalogue.starts == [1, 5, 9]
    assert all("apiso:Type" in each.condition for each in catalogue.asked)
    assert 'xmlns:soap="' not in (found[0].content or "")


@pytest.mark.parametrize("method", VERSIONS)
@pytest.mark.parametrize("status", [200, 500])
def test_a_server_of_soap_alone_is_found_and_kept(reads: Reads, method: str, status: int) -> None:
    body = enclosed(Response(fault("soap:Client", "No envelope", method).encode()), method).body
    catalogue = Catalogue(many(10), methods=(method,), refuses=Response(body, status))
    found, ending = reads(catalogue)
    assert (len(found), ending.complete, ending.interface) == (10, True, f"{method} {SORTED}")
    assert methods(catalogue) == [method] * 3
    catalogue.asked.clear()
    found, ending = reads(catalogue, interface=ending.interface)
    assert (len(found), methods(catalogue)) == (10, [method] * 3)


def test_a_server_of_soap_alone_may_say_nothing_of_it(reads: Reads) -> None:
    catalogue = Catalogue(many(4), methods=("SOAP 1.1",))
    _found, ending = reads(catalogue)
    assert (ending.complete, ending.interface) == (True, f"SOAP 1.1 {SORTED}")


def test_a_server_of_soap_may_sort_by_another_name(reads: Reads) -> None:
    catalogue = Catalogue(many(10), methods=("SOAP 1.2",), sorts=("",))
    _found, ending = reads(catalogue)
    assert (ending.complete, ending.interface) == (True, "SOAP 1.2 gmd:MD_Metadata unsorted full")


@pytest.mark.parametrize("method", VERSIONS)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_fault_is_an_error_with_code_and_text(reads: Reads, method: str, status: int) -> None:
    def before(_asked: Asked) -> Response:
        return refusal("NoApplicableCode", "constraint", "No such property", status=status)

    error = reads.refused(Catalogue([], methods=(method,), before=before), method=OPTION[method])
    assert error.code == "csw-refused"
    assert error.message.startswith("the CSW server at http://127.0.0.1")
    assert error.message.endswith(
        "refused GetRecords: SOAP fault soap:Server: It failed: NoApplicableCode (constraint):"
        " No such property"
    )


def test_a_fault_may_say_nothing(reads: Reads) -> None:
    body = "<Envelope><Body><Fault><detail>x</detail></Fault></Body></Envelope>"
    error = reads.refused(Catalogue([], before=lambda _: Response(body.encode())))
    assert error.message.endswith("refused GetRecords: SOAP fault")


@pytest.mark.parametrize("method", VERSIONS)
def test_record_that_breaks_a_soap_page_fails_alone(reads: Reads, method: str) -> None:
    def before(asked: Asked) -> Response | None:
        return refusal() if 6 in range(asked.start, asked.start + asked.size) else None

    catalogue = Catalogue(many(20), methods=(method,), before=before)
    found, ending = reads(catalogue, {"method": OPTION[method]})
    assert len(set(guids(found)) - {""}) == 19
    assert [each.partition(" of ")[0] for each in errors(found)] == ["record 6"]
    assert not ending.complete


def test_a_server_that_refuses_a_value_is_not_asked_by_soap(reads: Reads) -> None:
    catalogue = Catalogue(
        [],
        methods=("POST", "GET", *VERSIONS),
        capabilities=capabilities(("Post", "", "SOAP")),
        before=lambda _: refusal("InvalidParameterValue", "constraint"),
    )
    reads.refused(catalogue, cql="nonsense")
    assert set(methods(catalogue)) == {"POST", "GET"}


def test_broken_server_is_not_tried_by_soap(reads: Reads) -> None:
    catalogue = Catalogue([], before=lambda _: Response(b"oops", 500))
    reads.refused(catalogue)
    assert set(methods(catalogue)) == {"POST", "GET"}


def test_chosen_method_is_the_only_one(reads: Reads) -> None:
    catalogue = Catalogue(many(4), methods=("POST", "GET"))
    error = reads.refused(catalogue, method="soap-1.2")
    assert "405" in error.message
    assert {each.operation for each in catalogue.asked} == {"GetCapabilities"}


# Listed records


@pytest.mark.parametrize("method", ["POST", *VERSIONS])
@pytest.mark.parametrize("is_said", [True, False])
def test_a_listed_record_is_fetched_as_the_list_was_read(
    reads: Reads, method: str, is_said: bool
) -> None:
    whole = {"a": gmd("a")}
    catalogue = Catalogue(
        [dublin_core("a")], methods=(method,), schemas=("http://www.opengis.net/cat/csw/2.0.2",)
    )
    catalogue.whole.update(whole)
    given = {"method": OPTION.get(method, "post")} if is_said else {}
    reading = Reading(GEMINI_CSW.reader.records(reads.source(catalogue, given)))
    (raw,) = reading
    assert reading.ending is not None
    assert reading.ending.interface.startswith(f"{method} csw:Record")
    source = reads.source(catalogue, given, interface=reading.ending.interface)
    assert ">a<" in (GEMINI_CSW.reader.fetch(source, raw).content or "")
    assert catalogue.asked[-1].method == method


def test_a_listed_record_that_soap_refuses_fails_alone(reads: Reads) -> None:
    catalogue = Catalogue(
        [dublin_core("a")],
        methods=("SOAP 1.2",),
        schemas=("http://www.opengis.net/cat/csw/2.0.2",),
        before=lambda asked: refusal("NotFound", "id", "unknown") if asked.ids else None,
    )
    source = reads.source(catalogue, {"method": "soap-1.2"})
    (raw,) = GEMINI_CSW.reader.records(source)
    with pytest.raises(RecordError, match="NotFound \\(id\\): unknown"):
        GEMINI_CSW.reader.fetch(source, raw)


def test_a_record_is_fetched_by_get_alone_if_the_server_takes_it(
    reads: Reads,
) -> None:
    catalogue = Catalogue([dublin_core("a")], before=lambda asked: _gone(asked))
    source = reads.source(catalogue, {}, interface="POST csw:Record unsorted summary")
    (raw,) = GEMINI_CSW.reader.records(source)
    with pytest.raises(FetchError, match="404"):
        GEMINI_CSW.reader.fetch(source, raw)
    assert catalogue.asked[-1].method == "GET"


def _gone(asked: Asked) -> Response | None:
    return Response(b"", 404) if asked.ids else None


# Declared bindings


class Elsewhere:
    """A server that takes requests at another URL than the source's, which only describes it."""

    def __init__(self, publisher: Publisher, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.url = publisher.url("/soap")
        self._catalogue_route = catalogue.serve(publisher, "/soap")
        self._below = publisher.routes
        publisher.routes = self  # type: ignore[assignment]
        self.described = ""
        self.post_only = False

    def get(self, key: str, default: object = None) -> object:
        method, _, path = key.rpartition(" ")
        if path.startswith("/soap"):
            return self._below.get(key, default)  # type: ignore[call-overload]
        return self._describe if method in ("", "GET", "POST") else default

    def _describe(self, request: Request) -> Response:
        is_asked = b"GetCapabilities" in (request.path.encode() + request.body)
        if not is_asked or (self.post_only and request.method != "POST"):
            return Response(b"<html><title>Not here</title></html>", 405)
        return Response(self.described.encode())


@pytest.mark.parametrize(
    ("declared", "accepted"),
    [
        ([("Post", "/soap", "XML")], "POST"),
        ([("Post", "/soap", "")], "POST"),
        ([("Get", "/soap?service=CSW&amp;", "")], "GET"),
        ([("Post", "{own}/csw", "XML"), ("Post", "{own}/soap", "SOAP")], "SOAP 1.1"),
        ([("Post", "soap", "soap")], "SOAP 1.2"),
        ([("Post", "http://[", ""), ("Post", "ftp://x/", ""), ("Post", "/soap", "")], "POST"),
        ([("Post", "http://127.0.0.1:1/", ""), ("Get", "/soap", "")], "GET"),
        ([("Post", "http://10.0.0.1/", ""), ("Get", "/soap", "")], "GET"),
    ],
)
@pytest.mark.parametrize("post_only", [False, True])
def test_a_declared_binding_is_used_and_kept(
    reads: Reads,
    publisher: Publisher,
    declared: Sequence[tuple[str, str, str]],
    accepted: str,
    post_only: bool,
) -> None:
    own = publisher.url("")
    server = Elsewhere(publisher, Catalogue(many(6), methods=(accepted,)))
    server.described = capabilities(*((a, url.format(own=own), c) for a, url, c in declared))
    server.post_only = post_only
    known = ""
    for _run in range(2):
        server.catalogue.asked.clear()
        source = reads.http_source(publisher.url("/csw"), {"page_size": 4}, interface=known)
        reading = Reading(GEMINI_CSW.reader.records(source))
        found = list(reading)
        assert len(found) == 6
        assert reading.ending is not None
        assert reading.ending.complete
        known = reading.ending.interface
        assert known == f"{accepted} at {server.url} {SORTED}"
    assert len(server.catalogue.asked) == 2
    assert found[0].url.startswith(server.url if accepted == "GET" else publisher.url("/csw"))


def test_a_source_with_https_is_not_read_without_it() -> None:
    said = capabilities(("Post", "http://c.example/x", ""), ("Get", "https://c.example/y", ""))
    found = request_bindings(xml.parse(said), "https://c.example/csw")
    assert list(found) == [Binding("GET", "https://c.example/y")]


def test_the_encoding_may_be_declared_for_all_operations(reads: Reads) -> None:
    constraint = '<ows:Constraint name="PostEncoding"><ows:Value>SOAP</ows:Value></ows:Constraint>'
    said = capabilities(("Post", "", "")).replace(
        "</ows:OperationsMetadata>", f"{constraint}</ows:OperationsMetadata>"
    )
    catalogue = Catalogue(many(3), methods=("SOAP 1.2",), capabilities=said)
    _found, ending = reads(catalogue)
    assert (ending.complete, ending.interface) == (True, f"SOAP 1.2 {SORTED}")


def test_capabilities_are_read_only_if_no_request_is_accepted(
    reads: Reads, publisher: Publisher
) -> None:
    reads(Catalogue(many(10)))
    assert not any("GetCapabilities" in path for path in publisher.paths)
    assert not any(b"GetCapabilities" in each.body for each in publisher.requests)


def test_a_way_that_was_kept_is_left_when_it_answers_no_more(reads: Reads) -> None:
    known = f"SOAP 1.2 at http://127.0.0.1:1/soap {SORTED}"
    _found, ending = reads(Catalogue(many(5)), interface=known)
    assert (ending.complete, ending.interface) == (True, BEST)


@pytest.mark.parametrize(
    ("known", "binding"),
    [
        (BEST, Binding("POST")),
        ("GET csw:Record unsorted summary", Binding("GET")),
        (f"SOAP 1.1 at http://a/b?c=d {SORTED}", Binding("SOAP 1.1", "http://a/b?c=d")),
        ("", None),
        ("SOAP 2 gmd:MD_Metadata unsorted full", None),
        ("an older version's words", None),
    ],
)
def test_a_way_s_binding_can_be_read_back(known: str, binding: Binding | None) -> None:
    assert find_binding(known) == binding
