"""Catalogues in practice: read to a proven end, or reported as incomplete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import DuplicateGuid
from ckanext.ukharvest.readers import walk
from tests.publisher import Response
from tests.publishing.csw import Asked, Catalogue, gmd, refusal, results
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads, errors, guids

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


def test_resume_points_are_at_page_ends(reads: Reads) -> None:
    found, _ending = reads(Catalogue(many(10)))
    assert [(raw.guid, raw.resume) for raw in found if raw.resume] == [
        ("r004", "[5, 0, 4]"),
        ("r008", "[9, 0, 8]"),
    ]


def test_a_resumed_read_still_proves_its_total(reads: Reads) -> None:
    catalogue = Catalogue(many(10))
    found, ending = reads(catalogue, resume="[5, 0, 4]")
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
def test_the_next_page_follows_what_came_despite_nextrecord(
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
    assert "announces 10 records and shows 8" in ending.reason


def test_server_that_repeats_one_page_ends(reads: Reads) -> None:
    def before(asked: Asked) -> Response:
        return results(many(4), numberOfRecordsMatched=1000, nextRecord=asked.start + 4)

    catalogue = Catalogue([], before=before)
    found, ending = reads(catalogue)
    assert len(found) == 4
    assert "announces 1,000 records and shows 4" in ending.reason
    assert len(catalogue.asked) == 3


def test_a_server_without_end_is_refused(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_PAGES", 20)

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
    assert "announces 10 records and shows 6" in ending.reason


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


def test_total_of_the_first_page_alone_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda request: 10 if request == 1 else None)
    found, ending = reads(catalogue)
    assert (len(found), ending.complete) == (10, False)
    assert "numberOfRecordsMatched" in ending.reason
    assert len(catalogue.asked) <= 5  # no further pass


@pytest.mark.parametrize("said", [9, 11])
def test_a_total_that_is_wrong_is_named_beside_what_came(reads: Reads, said: int) -> None:
    catalogue = Catalogue(many(10), matched=lambda _: said, following=lambda s, c, t: s + c)
    _found, ending = reads(catalogue)
    assert not ending.complete
    assert f"announces {said} records and shows 10" in ending.reason
    assert len(catalogue.asked) <= 9


def test_an_empty_catalogue_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue([])
    found, ending = reads(catalogue)
    assert found == []
    assert not ending.complete
    assert ending.reason.endswith("has no records; the list is empty, so nothing was deleted")


def test_a_catalogue_that_hands_over_none_is_told_so(reads: Reads) -> None:
    _found, ending = reads(Catalogue([], matched=lambda _: 41))
    assert not ending.complete
    assert "counts 41 records and hands over none of them" in ending.reason


# Catalogues that change, and repeated records


@pytest.mark.parametrize("added", [(), ("r000",)])
def test_change_between_pages_hides_no_record(reads: Reads, added: tuple[str, ...]) -> None:
    catalogue = Catalogue(many(10))

    def before(asked: Asked) -> None:
        if asked.start == 5 and len(catalogue.records) == 10:
            # If r001 goes, r005 moves onto the first page, which was read before.
            catalogue.records[: 0 if added else 1] = map(gmd, added)

    catalogue.before = before
    found, ending = reads(catalogue)
    assert sorted(guids(found)) == [*added, *(f"r{number:03}" for number in range(1, 11))]
    assert ending.complete


def test_changing_total_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda request: 20 + request)
    _found, ending = reads(catalogue)
    assert "changed while they were read" in ending.reason
    assert not ending.complete
    assert len(catalogue.asked) < 20


def test_a_total_that_counts_the_last_page_alone_proves_nothing(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda request: 10 if request % 3 else 2)
    found, ending = reads(catalogue)
    assert len(found) == 10
    assert not ending.complete
    assert "changed while they were read" in ending.reason


def test_the_part_behind_a_resume_point_proves_nothing_by_itself(reads: Reads) -> None:
    catalogue = Catalogue(many(10), matched=lambda _: 6)
    found, ending = reads(catalogue, {"page_size": 8}, resume="[5, 0, 4]")
    assert len(found) == 10
    assert not ending.complete


def test_pages_of_changing_order_are_read_until_all_were_seen(reads: Reads) -> None:
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
    assert f"record {second + 1} has the same identifier as record 1:" in lost.error.message
    assert ending.complete


def test_record_without_identity_fails_alone_and_is_named(reads: Reads) -> None:
    records = many(6)
    records[4] = gmd("")
    found, ending = reads(Catalogue(records))
    assert errors(found) == [
        "record 5: gmd:fileIdentifier is missing; expected an identifier that never changes"
    ]
    assert ending.complete


def test_other_record_types_are_named_with_the_option(reads: Reads) -> None:
    records = many(6)
    records[4] = '<gfc:FC_FeatureCatalogue xmlns:gfc="http://www.isotc211.org/2005/gfc"/>'
    found, ending = reads(Catalogue(records))
    (words,) = errors(found)
    assert "record 5 is a FC_FeatureCatalogue" in words
    assert "types" in words
    assert ending.complete
