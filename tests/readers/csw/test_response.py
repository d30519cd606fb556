"""Catalogues that fail: what a failing record, page or server costs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, ProtocolError, TooLarge
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from tests.conftest import LOOPBACK
from tests.publisher import Publisher, Response
from tests.publishing.csw import Asked, Catalogue, refusal, report, results
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads, errors, guids

# Pages that fail


def broken_at(*positions: int, fault: Response) -> Callable[[Asked], Response | None]:
    def before(asked: Asked) -> Response | None:
        page = range(asked.start, asked.start + asked.size)
        is_hit = asked.operation == "GetRecords" and set(positions) & set(page)
        return fault if is_hit else None

    return before


POISON = [
    pytest.param(Response(b"oops", 500), id="500"),
    pytest.param(refusal(), id="exception"),
    pytest.param(refusal("NoApplicableCode", status=500), id="exception-500"),
    pytest.param(Response(b"<csw:GetRecordsResponse><a>", 200), id="malformed"),
    pytest.param(Response(b"", 200), id="nothing"),
]


@pytest.mark.parametrize("fault", POISON)
@pytest.mark.parametrize("position", [6, 20, 40])
def test_record_that_breaks_a_page_fails_alone(
    reads: Reads, fault: Response, position: int
) -> None:
    catalogue = Catalogue(many(40), before=broken_at(position, fault=fault))
    found, ending = reads(catalogue, {"page_size": 16}, interface=BEST)
    assert len(set(guids(found)) - {""}) == 39
    (words,) = errors(found)
    assert words.startswith(f"record {position} of ")
    assert not ending.complete
    assert "1 of the records" in ending.reason


@pytest.mark.parametrize("fault", POISON[:2])
def test_records_on_the_first_page_may_break_it_too(reads: Reads, fault: Response) -> None:
    found, ending = reads(Catalogue(many(10), before=broken_at(3, fault=fault)))
    assert len({raw.guid for raw in found if not raw.error}) == 9
    assert not ending.complete
    assert ending.interface == BEST


def test_page_too_large_is_requested_in_parts(publisher: Publisher) -> None:
    limits = HttpLimits(max_bytes=2000)
    with HttpClient(Guard(LOOPBACK), limits) as http:
        found, ending = Reads(GEMINI_CSW, publisher, http)(Catalogue(many(30)), {"page_size": 16})
    assert len(found) == 30
    assert ending.complete


def test_a_record_too_large_by_itself_is_refused_with_a_reason(publisher: Publisher) -> None:
    with HttpClient(Guard(LOOPBACK), HttpLimits(max_bytes=100)) as http:
        error = Reads(GEMINI_CSW, publisher, http).refused(Catalogue(many(30)))
    assert isinstance(error, TooLarge)


@pytest.mark.parametrize("fault", POISON)
def test_a_server_that_breaks_down_stops_the_read(reads: Reads, fault: Response) -> None:
    catalogue = Catalogue(many(40), before=broken_at(*range(9, 41), fault=fault))
    error = reads.refused(catalogue)
    assert "127.0.0.1" in error.message
    assert len(catalogue.asked) < 60


@pytest.mark.parametrize("fault", POISON)
def test_a_server_that_fails_before_its_last_records_ends_a_run(
    reads: Reads, fault: Response
) -> None:
    catalogue = Catalogue(many(9))

    def before(asked: Asked) -> Response | None:
        return fault if len(catalogue.asked) > 2 else None

    catalogue.before = before
    assert "127.0.0.1" in reads.refused(catalogue).message


def test_the_last_page_s_only_record_may_be_the_broken_one(reads: Reads) -> None:
    found, ending = reads(Catalogue(many(9), before=broken_at(9, fault=refusal())))
    assert len(found) == 9
    assert len(errors(found)) == 1
    assert not ending.complete


def test_a_dead_server_is_left_alone_soon(reads: Reads) -> None:
    catalogue = Catalogue([], before=lambda _: Response(b"oops", 503))
    error = reads.refused(catalogue)
    assert isinstance(error, BadStatus)
    assert "503" in error.message
    assert len(catalogue.asked) < 50


def test_a_redirect_to_an_internal_url_is_blocked_midway(reads: Reads) -> None:
    away = Response(status=302, headers={"Location": "http://169.254.169.254/"})
    error = reads.refused(Catalogue(many(10), before=broken_at(6, fault=away)))
    assert isinstance(error, Blocked)


# Answers without records


@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_an_exception_report_is_an_error_in_words(reads: Reads, status: int) -> None:
    fault = refusal("InvalidParameterValue", "constraint", "No such property", status=status)
    error = reads.refused(Catalogue([], before=lambda _: fault))
    assert error.message.startswith("the CSW server at http://127.0.0.1")
    assert error.message.endswith(
        "refused GetRecords: InvalidParameterValue (constraint): No such property"
    )
    assert error.code == "csw-refused"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (report("A", "b", "c").replace("net/ows", "net/ows/1.1"), "A (b): c"),
        (report("A", "b", "c").replace("net/ows", "net/ows/2.0"), "A (b): c"),
        (report("A", "", "c"), "refused GetRecords: A: c"),
        ("<ExceptionReport><Exception><ExceptionText>c</ExceptionText></Exception>"
         "</ExceptionReport>", "refused GetRecords: c"),
        ("<ServiceExceptionReport><ServiceException code='A'>c</ServiceException>"
         "</ServiceExceptionReport>", "refused GetRecords: A: c"),
        ("<ExceptionReport>bare words</ExceptionReport>", "refused GetRecords: bare words"),
        ("<ExceptionReport/>", "refused GetRecords: without a reason"),
        ("<html><head><title>Log in</title></head></html>",
         "HTML page instead of an answer of a CSW, title 'Log in'"),
        ("", "is empty; expected an answer of a CSW"),
        ('<csw:Capabilities xmlns:csw="x"><a:Title xmlns:a="y">Maps of Here</a:Title>'
         "</csw:Capabilities>", "Capabilities, titled 'Maps of Here'"),
        ('<s:Envelope xmlns:s="x"><s:Body><GetRecordsResponse/></s:Body></s:Envelope>',
         "no csw:SearchResults"),
        ('<s:Envelope xmlns:s="x"><s:Body><s:Fault><faultstring>No rights</faultstring></s:Fault>'
         "</s:Body></s:Envelope>", "refused GetRecords: SOAP fault: No rights"),
        ('<s:Envelope xmlns:s="x"><s:Body/></s:Envelope>', "answered with an empty SOAP envelope"),
        ('<s:Envelope xmlns:s="x"/>', "answered with an empty SOAP envelope"),
        ("<GetRecordsResponse/>", "no csw:SearchResults"),
        ("<GetRecordByIdResponse/>", "as if it were GetRecordById"),
        ("<rdf/>", "its root element is <rdf>; expected csw:GetRecordsResponse"),
    ],
)  # fmt: skip
def test_another_answer_is_named(reads: Reads, text: str, words: str) -> None:
    error = reads.refused(Catalogue([], before=lambda _: Response(text.encode())))
    assert isinstance(error, ProtocolError)
    assert words in error.message
    assert "127.0.0.1" in error.message


def test_older_namespaces_are_read(reads: Reads) -> None:
    def before(asked: Asked) -> Response:
        page = results(many(3), numberOfRecordsMatched=3)
        assert isinstance(page.body, bytes)
        return Response(page.body.replace(b"/cat/csw/2.0.2", b"/cat/csw"))

    found, ending = reads(Catalogue([], before=before))
    assert (len(found), ending.complete) == (3, True)
