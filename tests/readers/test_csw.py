"""Catalogues as they are: read to a proven end, or said to be incomplete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.check_records import Check
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    DuplicateGuid,
    FetchError,
    ProtocolError,
    RecordError,
    SourceError,
    TooLarge,
)
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import HttpClient, HttpLimits
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers import csw_walk
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import COMMON_OPTIONS, GEMINI_CSW, find
from tests.conftest import LOOPBACK
from tests.publisher import Publisher, Response
from tests.readers.csw_catalogue import (
    CSW,
    GMD,
    Asked,
    Catalogue,
    answer,
    dublin_core,
    gmd,
    refusal,
    report,
    results,
)

BEST = "POST gmd:MD_Metadata sorted by apiso:Identifier full"


def many(count: int) -> list[str]:
    return [gmd(f"r{number:03}") for number in range(1, count + 1)]


class Reads:
    """Reads catalogues with the options and the memory given."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self._publisher = publisher
        self.http = http

    def source(self, catalogue: Catalogue, given: dict[str, Any], **memory: Any) -> Source:
        url = catalogue.serve(self._publisher)
        chosen = options.validate(given, (*GEMINI_CSW.options, *COMMON_OPTIONS))
        return Source(memory.pop("url", url), chosen, self.http, **memory)

    def __call__(
        self, catalogue: Catalogue, given: dict[str, Any] | None = None, **memory: Any
    ) -> tuple[list[RawRecord], Ending]:
        source = self.source(catalogue, {"page_size": 4, **(given or {})}, **memory)
        reading = Reading(unique(GEMINI_CSW.reader.records(source)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    def refused(self, catalogue: Catalogue, interface: str = "", **given: Any) -> SourceError:
        with pytest.raises(SourceError) as caught:
            self(catalogue, given, interface=interface)
        return caught.value


@pytest.fixture
def reads(publisher: Publisher, http: HttpClient) -> Reads:
    return Reads(publisher, http)


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


def errors(found: list[RawRecord]) -> list[str]:
    return [raw.error.message for raw in found if raw.error]


# Pages


def test_all_pages_are_read_with_what_a_record_needs(reads: Reads) -> None:
    catalogue = Catalogue(many(10))
    found, ending = reads(catalogue)
    assert guids(found) == [f"r{number:03}" for number in range(1, 11)]
    assert (ending.complete, ending.reason, ending.interface) == (True, "", BEST)
    assert [(each.method, each.start, each.size) for each in catalogue.asked] == [
        ("POST", 1, 4),
        ("POST", 5, 4),
        ("POST", 9, 4),
    ]
    first = found[0]
    assert (first.modified, first.position) == ("2024-04-01", "record 1")
    assert "MD_Metadata" in (first.content or "")
    assert "request=GetRecordById" in first.url
    assert first.url.endswith("&id=r001")


def test_resume_points_stand_at_the_ends_of_pages(reads: Reads) -> None:
    found, _ending = reads(Catalogue(many(10)))
    assert [(raw.guid, raw.resume) for raw in found if raw.resume] == [("r004", "5"), ("r008", "9")]


def test_a_read_that_broke_off_goes_on_and_still_proves_its_total(reads: Reads) -> None:
    catalogue = Catalogue(many(10))
    found, ending = reads(catalogue, resume="5")
    assert guids(found)[:6] == [f"r{number:03}" for number in range(5, 11)]
    assert ending.complete
    assert catalogue.starts == [5, 9, 1]  # the end of the proof, and no further


@pytest.mark.parametrize(
    "following",
    [
        pytest.param(lambda start, count, total: None, id="absent"),
        pytest.param(lambda start, count, total: 0, id="always-0"),
        pytest.param(lambda start, count, total: start + count, id="behind-the-total-at-the-end"),
        pytest.param(lambda start, count, total: start, id="the-page-itself"),
        pytest.param(lambda start, count, total: 1, id="always-1"),
        pytest.param(lambda start, count, total: start + 4, id="by-what-was-asked-for"),
        pytest.param(lambda start, count, total: start + 1, id="overlapping"),
        pytest.param(lambda start, count, total: total + 1, id="the-total-plus-1"),
        pytest.param(lambda start, count, total: 10**15, id="far-away"),
        pytest.param(lambda start, count, total: "next", id="no-number"),
    ],
)
@pytest.mark.parametrize("at_most", [3, 1000])
def test_the_next_page_begins_behind_what_came_whatever_nextrecord_says(
    reads: Reads, following: Callable[..., Any], at_most: int
) -> None:
    catalogue = Catalogue(many(10), following=following, at_most=at_most)
    found, ending = reads(catalogue)
    assert len(found) == 10
    assert ending.complete
    assert len(catalogue.asked) <= 4


def test_a_server_that_says_it_ended_may_refuse_to_go_on(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        return refusal("InvalidParameterValue", "startPosition") if asked.start > 8 else None

    catalogue = Catalogue(many(10), following=lambda *_: 0, before=before)
    found, ending = reads(catalogue)
    assert len(found) == 8
    assert not errors(found)
    assert not ending.complete
    assert "says that there are 10 records and shows 8" in ending.reason


def test_a_server_that_shows_one_page_whatever_is_asked_for_ends(reads: Reads) -> None:
    def before(asked: Asked) -> Response:
        return results(many(4), numberOfRecordsMatched=1000, nextRecord=asked.start + 4)

    catalogue = Catalogue([], before=before)
    found, ending = reads(catalogue)
    assert len(found) == 4
    assert "says that there are 1,000 records and shows 4" in ending.reason
    assert len(catalogue.asked) == 3


def test_a_server_without_end_is_refused(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csw_walk, "MAX_PAGES", 20)

    def before(asked: Asked) -> Response:
        return results([gmd(f"r{asked.start}")], numberOfRecordsMatched=10**9)

    error = reads.refused(Catalogue([], before=before))
    assert error.code == "endless-paging"


def test_an_empty_page_in_the_middle_is_stepped_over(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        if asked.start != 5:
            return None
        return results([], numberOfRecordsMatched=10, numberOfRecordsReturned=0, nextRecord=9)

    found, ending = reads(Catalogue(many(10), before=before))
    assert len(found) == 6
    assert "says that there are 10 records and shows 6" in ending.reason


def test_empty_pages_end_a_read(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        if asked.start < 5:
            return None
        return results([], numberOfRecordsMatched=999, nextRecord=asked.start + 4)

    catalogue = Catalogue(many(4), matched=lambda _: 999, before=before)
    found, ending = reads(catalogue)
    assert (len(found), ending.complete) == (4, False)
    assert len(catalogue.asked) == 3


def test_without_a_total_nothing_is_proven(reads: Reads) -> None:
    found, ending = reads(Catalogue(many(10), matched=lambda _: None))
    assert len(found) == 10
    assert "numberOfRecordsMatched" in ending.reason
    assert not ending.complete


@pytest.mark.parametrize("said", [9, 11])
def test_a_total_that_is_wrong_is_named_beside_what_came(reads: Reads, said: int) -> None:
    catalogue = Catalogue(many(10), matched=lambda _: said, following=lambda s, c, t: s + c)
    _found, ending = reads(catalogue)
    assert not ending.complete
    assert f"says that there are {said} records and shows 10" in ending.reason
    assert len(catalogue.asked) <= 9


def test_an_empty_catalogue_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue([])
    found, ending = reads(catalogue)
    assert found == []
    assert not ending.complete
    assert ending.reason.endswith("has no records; an empty list does not prove an end")


# Catalogues that change, and records that stand twice


def test_a_record_removed_meanwhile_hides_no_other(reads: Reads) -> None:
    catalogue = Catalogue(many(10))

    def before(asked: Asked) -> None:
        if asked.start == 5 and len(catalogue.records) == 10:
            del catalogue.records[0]  # r005 moves onto the first page, which was read before

    catalogue.before = before
    found, ending = reads(catalogue)
    assert sorted(guids(found)) == [f"r{number:03}" for number in range(1, 11)]
    assert ending.complete


def test_a_record_added_meanwhile_is_found(reads: Reads) -> None:
    catalogue = Catalogue(many(10))

    def before(asked: Asked) -> None:
        if asked.start == 5 and len(catalogue.records) == 10:
            catalogue.records.insert(0, gmd("r000"))

    catalogue.before = before
    found, ending = reads(catalogue)
    assert sorted(guids(found)) == [f"r{number:03}" for number in range(11)]
    assert ending.complete


def test_a_total_that_never_stands_still_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda request: 20 + request)
    _found, ending = reads(catalogue)
    assert "changed while they were read" in ending.reason
    assert not ending.complete
    assert len(catalogue.asked) < 20


def test_a_last_page_that_tells_its_own_number_as_the_total_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda request: 10 if request % 3 else 2)
    found, ending = reads(catalogue)
    assert len(found) == 10
    assert not ending.complete
    assert "changed while they were read" in ending.reason


def test_the_part_behind_a_resume_point_proves_nothing_by_itself(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda _: 6)
    found, ending = reads(catalogue, {"page_size": 8}, resume="5")
    assert len(found) == 10
    assert not ending.complete


def test_an_order_that_changes_with_each_page_is_read_until_all_were_seen(reads: Reads) -> None:
    records = many(10)
    shifted = [*records[2:], *records[:2]]

    def before(asked: Asked) -> Response | None:
        if asked.start != 5 or len(catalogue.asked) > 3:
            return None
        return results(shifted[4:8], numberOfRecordsMatched=10, nextRecord=9)

    catalogue = Catalogue(records, before=before)
    found, ending = reads(catalogue)
    assert sorted(guids(found)) == [f"r{number:03}" for number in range(1, 11)]
    assert not errors(found)
    assert ending.complete


@pytest.mark.parametrize("second", [2, 7], ids=["on-one-page", "on-two-pages"])
def test_two_records_of_one_identity_are_named(reads: Reads, second: int) -> None:
    records = many(10)
    records[second] = gmd("r001", day="2020-01-01")
    found, ending = reads(Catalogue(records))
    (lost,) = [raw for raw in found if raw.error]
    assert isinstance(lost.error, DuplicateGuid)
    assert "record 1 too" in lost.error.message
    assert f"record {second + 1}:" in lost.error.message
    assert ending.complete


def test_a_record_without_identity_is_lost_alone_and_named(reads: Reads) -> None:
    records = many(6)
    records[4] = gmd("")
    found, ending = reads(Catalogue(records))
    assert errors(found) == [
        "record 5: gmd:fileIdentifier is missing; expected a text that stays the same"
    ]
    assert ending.complete


def test_what_is_no_such_record_is_named_with_what_to_do(reads: Reads) -> None:
    records = many(6)
    records[4] = '<gfc:FC_FeatureCatalogue xmlns:gfc="http://www.isotc211.org/2005/gfc"/>'
    found, ending = reads(Catalogue(records))
    (words,) = errors(found)
    assert "record 5 is a FC_FeatureCatalogue" in words
    assert "types" in words
    assert ending.complete


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
def test_one_record_that_breaks_its_page_is_lost_alone(
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


def test_a_page_that_is_too_large_is_asked_for_in_parts(publisher: Publisher) -> None:
    limits = HttpLimits(max_bytes=2000)
    with HttpClient(Guard(LOOPBACK), limits) as http:
        found, ending = Reads(publisher, http)(Catalogue(many(30)), {"page_size": 16})
    assert len(found) == 30
    assert ending.complete


def test_a_record_that_is_too_large_by_itself_is_refused_in_words(publisher: Publisher) -> None:
    with HttpClient(Guard(LOOPBACK), HttpLimits(max_bytes=100)) as http:
        error = Reads(publisher, http).refused(Catalogue(many(30)))
    assert isinstance(error, TooLarge)


@pytest.mark.parametrize("fault", POISON)
def test_a_server_that_breaks_down_stops_the_read(reads: Reads, fault: Response) -> None:
    catalogue = Catalogue(many(40), before=broken_at(*range(9, 41), fault=fault))
    error = reads.refused(catalogue)
    assert "127.0.0.1" in error.message
    assert len(catalogue.asked) < 60


@pytest.mark.parametrize("fault", POISON)
def test_a_server_that_breaks_down_before_its_last_records_stops_the_read(
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


def test_a_redirect_to_an_internal_address_is_blocked_in_the_middle(reads: Reads) -> None:
    away = Response(status=302, headers={"Location": "http://169.254.169.254/"})
    error = reads.refused(Catalogue(many(10), before=broken_at(6, fault=away)))
    assert isinstance(error, Blocked)


# Answers that are no records


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
         "answered in SOAP (GetRecordsResponse)"),
        ('<s:Envelope xmlns:s="x"><s:Body><s:Fault><faultstring>No rights</faultstring></s:Fault>'
         "</s:Body></s:Envelope>", "answered in SOAP (Fault), which is not read here: No rights"),
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


# What servers do not know


@pytest.mark.parametrize(
    ("limits", "interface"),
    [
        ({"methods": ("GET",)}, "GET gmd:MD_Metadata sorted by apiso:Identifier full"),
        ({"sorts": ("", "dc:identifier")}, "POST csw:Record sorted by dc:identifier full"),
        ({"sorts": ("",)}, "POST gmd:MD_Metadata unsorted full"),
        ({"types": ("csw:Record",), "sorts": ("",)}, "POST csw:Record unsorted full"),
        ({"schemas": (CSW,)}, "POST csw:Record sorted by dc:identifier summary"),
        ({"schemas": (CSW,), "sorts": ("",)}, "POST csw:Record unsorted summary"),
    ],
)
def test_another_way_is_found_and_kept(
    reads: Reads, limits: dict[str, Any], interface: str
) -> None:
    catalogue = Catalogue(many(10), **limits)
    found, ending = reads(catalogue)
    assert (len(found), ending.complete, ending.interface) == (10, True, interface)
    catalogue.asked.clear()
    _found, ending = reads(catalogue, interface=interface)
    assert ending.interface == interface
    assert len(catalogue.asked) == 3


def test_a_way_that_answers_no_more_is_left(reads: Reads) -> None:
    catalogue = Catalogue(many(10), types=("gmd:MD_Metadata",))
    _found, ending = reads(catalogue, interface="POST csw:Record sorted by dc:identifier full")
    assert ending.interface == BEST


@pytest.mark.parametrize("known", [BEST, "POST csw:Record sorted by dc:identifier summary"])
def test_whole_records_and_a_list_of_them_do_not_stand_in_for_each_other(
    reads: Reads, known: str
) -> None:
    def before(asked: Asked) -> Response | None:
        is_whole = asked.schema == GMD
        return refusal() if is_whole == (known == BEST) else None

    assert "It broke" in reads.refused(Catalogue(many(6), before=before), interface=known).message


def test_a_server_may_break_at_a_sort_that_it_does_not_know(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        return Response(b"NullPointerException", 500) if asked.sort else None

    found, ending = reads(Catalogue(many(10), before=before))
    assert (len(found), ending.complete) == (10, True)
    assert ending.interface == "POST gmd:MD_Metadata unsorted full"


def test_a_type_of_record_that_a_server_has_none_of_is_not_the_end(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        return results([], numberOfRecordsMatched=0) if asked.type_name[:3] == "gmd" else None

    found, ending = reads(Catalogue(many(10), before=before))
    assert (len(found), ending.complete) == (10, True)


@pytest.mark.parametrize("method", ["post", "get"])
def test_the_method_can_be_said(reads: Reads, method: str) -> None:
    catalogue = Catalogue(many(3))
    reads(catalogue, {"method": method})
    assert {each.method for each in catalogue.asked} == {method.upper()}


def test_a_pasted_address_works_and_keeps_its_own_parameters(
    reads: Reads, publisher: Publisher
) -> None:
    pasted = publisher.url("/csw?map=a&service=CSW&request=GetCapabilities")
    found, ending = reads(Catalogue(many(3)), {"method": "get"}, url=pasted)
    assert ending.complete
    assert all("map=a" in path and "GetCapabilities" not in path for path in publisher.paths)
    assert "map=a" in found[0].url


def test_conditions_reach_the_server(reads: Reads) -> None:
    catalogue = Catalogue(many(3))
    reads(catalogue, {"types": ["series", "service"]})
    assert "<ogc:Literal>service</ogc:Literal>" in catalogue.asked[-1].condition
    reads(catalogue, {"cql": "dc:title = 'Rivers'", "types": "series"})
    assert "dc:title = 'Rivers' AND apiso:Type = 'series'" in catalogue.asked[-1].condition


# Records that are only listed


def listing(**more: Any) -> Catalogue:
    names = [f"r{number:03}" for number in range(1, 7)]
    records = [dublin_core(each) for each in names]
    return Catalogue(records, whole={each: gmd(each) for each in names}, **more)


@pytest.mark.parametrize(
    "catalogue",
    [
        pytest.param(listing(schemas=(CSW,)), id="gmd-refused"),
        pytest.param(listing(), id="another-schema-than-asked-for"),
        pytest.param(
            Catalogue(
                many(6),
                element_set="brief",
                whole={f"r{number:03}": gmd(f"r{number:03}") for number in range(1, 7)},
            ),
            id="brief-whatever-is-asked-for",
        ),
    ],
)
def test_listed_records_are_fetched_by_their_identifiers(
    reads: Reads, catalogue: Catalogue
) -> None:
    source = reads.source(catalogue, {})
    reading = Reading(GEMINI_CSW.reader.records(source))
    found = list(reading)
    assert all(raw.content is None and raw.modified == "2024-04-01" for raw in found)
    assert len(found) == 6
    assert reading.ending is not None
    assert reading.ending.complete
    whole = [GEMINI_CSW.reader.fetch(source, raw) for raw in found]
    assert all(f">{raw.guid}<" in (raw.content or "") for raw in whole)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_listed_record_is_fetched_by_the_method_that_was_said(reads: Reads, method: str) -> None:
    catalogue = listing(methods=(method.upper(),))
    source = reads.source(catalogue, {"method": method})
    (raw, *_rest) = GEMINI_CSW.reader.records(source)
    assert raw.position == "record 1 'Title of r001'"
    assert GEMINI_CSW.reader.fetch(source, raw).content


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (refusal("InvalidParameterValue", "id", "unknown"), RecordError, "(id): unknown"),
        (
            Response(b"<GetRecordByIdResponse/>"),
            RecordError,
            "answered without it; expected gmd:MD_Metadata",
        ),
        (
            Response(b"<GetRecordByIdResponse><Record/></GetRecordByIdResponse>"),
            RecordError,
            "answered without it",
        ),
        (Response(b"<html><title>Oh</title></html>"), RecordError, "title 'Oh'"),
        (Response(b"", 500), FetchError, "500"),
        (Response(b"", 404), FetchError, "404"),
    ],
)
def test_a_listed_record_that_cannot_be_fetched_is_lost_in_words(
    reads: Reads, fault: Response, kind: type[Exception], words: str
) -> None:
    catalogue = listing(before=lambda asked: fault if asked.ids else None)
    source = reads.source(catalogue, {})
    (raw, *_rest) = GEMINI_CSW.reader.records(source)
    with pytest.raises(kind) as caught:
        GEMINI_CSW.reader.fetch(source, raw)
    assert words in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_whole_record_is_fetched_no_more(reads: Reads) -> None:
    catalogue = Catalogue(many(1))
    source = reads.source(catalogue, {})
    (raw,) = GEMINI_CSW.reader.records(source)
    catalogue.asked.clear()
    assert GEMINI_CSW.reader.fetch(source, raw) == raw
    assert catalogue.asked == []


# Changes alone


def test_changes_are_asked_for_since_the_newest_record_of_the_last_read(reads: Reads) -> None:
    days = ("2024-05-01", "2024-05-31T10:00:00", "31 December 2029", "2023")
    catalogue = Catalogue([gmd(f"r{n}", day=day) for n, day in enumerate(days)])
    _found, ending = reads(catalogue)
    assert (ending.mark, ending.changes_only) == ("2024-05-30", False)
    found, ending = reads(catalogue, since=ending.mark, interface=BEST)
    assert "<ogc:Literal>2024-05-30</ogc:Literal>" in catalogue.asked[-1].condition
    assert (ending.complete, ending.changes_only, len(found)) == (True, True, 4)


def test_no_change_is_no_empty_catalogue(reads: Reads) -> None:
    catalogue = Catalogue([])
    found, ending = reads(catalogue, since="2024-05-30", interface=BEST)
    assert (found, ending.complete, ending.changes_only) == ([], True, True)
    assert ending.mark == "2024-05-30"
    assert len(catalogue.asked) == 1


@pytest.mark.parametrize("fault", [refusal(), Response(b"", 500)], ids=["refused", "broken"])
def test_a_server_that_cannot_be_asked_for_changes_is_read_in_full(
    reads: Reads, fault: Response
) -> None:
    catalogue = Catalogue(many(6), before=lambda asked: fault if asked.condition else None)
    found, ending = reads(catalogue, since="2024-05-30", interface=BEST)
    assert (len(found), ending.complete, ending.changes_only) == (6, True, False)
    assert ending.interface == BEST


def test_a_date_in_the_future_hides_no_changes(reads: Reads) -> None:
    _found, ending = reads(Catalogue([gmd("a", day="2999-01-01")]))
    assert "2024" < ending.mark < "2900"


def test_without_dates_everything_is_read_each_time(reads: Reads) -> None:
    _found, ending = reads(Catalogue([gmd("a", day="")]))
    assert (ending.complete, ending.mark) == (True, "")


def test_an_incomplete_read_moves_no_mark(reads: Reads) -> None:
    catalogue = Catalogue(many(6), matched=lambda _: 7)
    _found, ending = reads(catalogue, since="2020-01-01", interface=BEST)
    assert (ending.complete, ending.mark) == (False, "2020-01-01")


def test_data_gov_uk_s_old_name_of_the_type_is_known() -> None:
    assert find("csw") is GEMINI_CSW


def test_schemas_are_those_of_the_standard() -> None:
    assert (CSW, GMD) == (
        "http://www.opengis.net/cat/csw/2.0.2",
        "http://www.isotc211.org/2005/gmd",
    )


# Saved answers


@pytest.mark.parametrize(
    ("page", "complete", "reason"),
    [
        (results(many(2), numberOfRecordsMatched=2, nextRecord=0), True, ""),
        (
            results(many(2), numberOfRecordsMatched=5, nextRecord=3),
            False,
            "holds 2 of 5 records; the next page begins at 3",
        ),
        (results(many(2)), False, "holds 2 of an unknown number of records"),
        (results([], numberOfRecordsMatched=0), False, "has no records"),
        (
            answer("<csw:GetRecordByIdResponse {}>{}</csw:GetRecordByIdResponse>", many(2)),
            False,
            "is an answer of GetRecordById, which does not tell of other records",
        ),
    ],
)
def test_a_saved_answer_says_what_it_is_part_of(
    tmp_path: Path, http: HttpClient, page: Response, complete: bool, reason: str
) -> None:
    file = tmp_path / "answer.xml"
    assert isinstance(page.body, bytes)
    file.write_bytes(page.body)
    check = Check(GEMINI_CSW, str(file), {}, http=http)
    list(check)
    assert (check.complete, check.errors) == (complete, [])
    assert reason in check.reason


def test_a_saved_answer_s_listed_records_are_shown_as_far_as_they_are_there(
    tmp_path: Path, http: HttpClient
) -> None:
    page = results([dublin_core("a"), dublin_core("b")], numberOfRecordsMatched=2)
    file = tmp_path / "answer.xml"
    assert isinstance(page.body, bytes)
    file.write_bytes(page.body)
    check = Check(GEMINI_CSW, str(file), {}, http=http)
    assert [(each["guid"], each["position"]) for each in check] == [
        ("a", "record 1 'Title of a'"),
        ("b", "record 2 'Title of b'"),
    ]
