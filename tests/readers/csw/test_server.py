"""Ways to query a catalogue: unsupported requests, listed records, changes only."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import FetchError, RecordError
from ckanext.ukharvest.core.records import Reading
from ckanext.ukharvest.source_types import find
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW
from tests.publisher import Publisher, Response
from tests.publishing.csw import CSW, GMD, Asked, Catalogue, dublin_core, gmd, refusal, results
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads

# Unsupported requests


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
def test_a_read_never_swaps_whole_records_and_their_list(reads: Reads, known: str) -> None:
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


def test_a_record_type_without_records_does_not_end_the_read(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        return results([], numberOfRecordsMatched=0) if asked.type_name[:3] == "gmd" else None

    found, ending = reads(Catalogue(many(10), before=before))
    assert (len(found), ending.complete) == (10, True)


@pytest.mark.parametrize("method", ["post", "get"])
def test_method_can_be_chosen(reads: Reads, method: str) -> None:
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


# Listed records


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
def test_listed_record_is_fetched_by_the_chosen_method(reads: Reads, method: str) -> None:
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
def test_unfetchable_record_fails_with_a_reason(
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


# Changes only


def test_changes_are_requested_since_the_newest_record_read(reads: Reads) -> None:
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
def test_a_server_without_a_search_by_date_is_read_in_full(reads: Reads, fault: Response) -> None:
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
