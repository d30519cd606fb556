"""A search read page by page: startIndex, startPage, links, totals, and what they prove."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.core.records import REPAIRED
from tests.publisher import Response
from tests.publishing.opensearch import (
    BY_PAGE,
    Arguments,
    Search,
    atom_entry,
    atom_feed,
    entries,
    identities,
    osdd,
)
from tests.publishing.records import Item
from tests.readers.reads import Reads, guids

ALL = identities(0, 1, 2, 3, 4)


def froms(service: Search) -> list[str]:
    return [given.get("from", "") for given in service.asked]


def test_the_next_page_begins_after_the_records_that_came(reads: Reads) -> None:
    service = Search(entries(5))  # two records a page, though 50 are requested
    found, ending = reads(service)
    assert guids(found) == ALL
    assert (ending.complete, ending.reason) == (True, "")
    assert froms(service) == ["", "3", "5", "6"]  # the last one proves that there is no more
    assert {given["n"] for given in service.asked} == {"50"}
    assert reads.totals == [5]


@pytest.mark.parametrize("offset", [0, 1])
def test_pages_are_counted_from_page_offset(reads: Reads, offset: int) -> None:
    described = osdd(BY_PAGE).replace("<Url ", f'<Url pageOffset="{offset}" ')
    service = Search(entries(5), described, offset=offset)
    found, ending = reads(service, {"page_size": 2})
    assert (guids(found), ending.complete) == (ALL, True)
    pages = [given.get("page", "") for given in service.asked]
    assert pages == ["", *(str(offset + number) for number in (1, 2, 3))]


def test_a_required_number_of_the_first_record_is_sent(reads: Reads) -> None:
    described = osdd("/search?from={startIndex}").replace("<Url ", '<Url indexOffset="0" ')
    service = Search(entries(3), described, offset=0)
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL[:3], True)
    assert froms(service) == ["0", "2", "3"]


def test_nothing_is_lost_if_a_server_counts_from_0_unsaid(reads: Reads) -> None:
    start = "<os:startIndex>{}</os:startIndex>"
    service = Search(entries(5), offset=0, inside=lambda first, _given: start.format(first))
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL, True)


def test_without_numbers_pages_follow_links(reads: Reads) -> None:
    def link(first: int, _given: Arguments) -> str:
        return f'<link rel="next" href="search?from={first + 3}"/>' if first + 2 < 5 else ""

    service = Search(entries(5), osdd("/search?q={searchTerms?}"), inside=link)
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL, True)
    assert froms(service) == ["", "3", "5"]


ESTIMATE, UNKNOWN = "estimate", "does not say how many records"
TOTALS = {
    **{total: f"announces {int(total):,} records and shows 5" for total in ("4", "6", "1000")},
    **dict.fromkeys(("5+", ">5"), ESTIMATE),
    **dict.fromkeys(("", "about five", "-1", "5.5"), UNKNOWN),
}


@pytest.mark.parametrize(("total", "words"), TOTALS.items())
def test_total_that_is_none_or_another_proves_nothing(reads: Reads, total: str, words: str) -> None:
    found, ending = reads(Search(entries(5), total=total))
    assert guids(found) == ALL
    assert not ending.complete
    assert words in ending.reason


def test_a_total_that_changes_between_pages_proves_nothing(reads: Reads) -> None:
    service = Search(entries(5))

    def change(given: Arguments) -> None:
        service.total = "5" if "from" in given else "6"

    service.change = change
    _, ending = reads(service)
    assert not ending.complete
    assert ending.reason.startswith("the number of records of http://")
    assert ending.reason.endswith("changed while they were read")


def test_a_server_that_repeats_its_first_page_ends(reads: Reads) -> None:
    service = Search(entries(5))
    page = atom_feed("".join(entries(2)), 5)
    service.change = lambda _given: Response(page.encode())
    found, ending = reads(service)
    assert (guids(found), ending.complete, len(service.asked)) == (ALL[:2], False, 2)


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_refusal_behind_the_last_record_is_its_end(reads: Reads, status: int) -> None:
    service = Search(entries(4))
    service.change = lambda given: Response(b"", status) if given.get("from") == "5" else None
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL[:4], True)


def test_page_limit_is_reported_and_proves_nothing(reads: Reads) -> None:
    service = Search(entries(5))
    service.change = lambda given: Response(b"", 400) if given.get("from") == "3" else None
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL[:2], False)
    assert "refused a further page (http://" in ending.reason


def test_a_refusal_of_the_first_page_is_an_error(reads: Reads) -> None:
    service = Search(entries(5), change=lambda _given: Response(b"", 400))
    with pytest.raises(BadStatus, match="400"):
        reads(service)


def test_a_page_that_is_another_document_is_an_error(reads: Reads) -> None:
    described = osdd().encode()
    service = Search(entries(5))
    service.change = lambda given: Response(described) if "from" in given else None
    with pytest.raises(ProtocolError, match="expected results in Atom or GeoJSON"):
        reads(service)


def test_an_empty_list_deletes_nothing(reads: Reads) -> None:
    found, ending = reads(Search([]))
    assert (found, ending.complete) == ([], False)
    assert "has no records" in ending.reason


def test_a_record_that_moves_to_the_next_page_comes_once(reads: Reads) -> None:
    records = entries(5)
    service = Search([*records[:2], records[1], *records[2:]], total="5")
    found, ending = reads(service)
    assert (guids(found), ending.complete) == (ALL, True)
    assert not any(raw.error for raw in found)


def test_two_records_of_one_identity_are_reported_and_count_once(reads: Reads) -> None:
    service = Search([*entries(3), atom_entry(Item(0, "Another title"))])
    found, ending = reads(service)
    assert [raw.error is None for raw in found] == [True, True, True, False]
    assert not ending.complete


def test_a_killed_read_goes_on_with_the_next_page(reads: Reads) -> None:
    found, _ = reads(Search(entries(5)))
    points = [raw.resume for raw in found]
    assert [bool(point) for point in points] == [False, True, False, True, True]
    service = Search(entries(5))
    rest, ending = reads(service, resume=points[1])
    assert (guids(rest), ending.complete) == (ALL[2:], True)
    assert froms(service)[0] == "3"
    again, ending = reads(Search(entries(5)), resume="of another reader")
    assert (guids(again), ending.complete) == (ALL, True)


def test_run_does_not_resume_behind_a_repaired_page(reads: Reads) -> None:
    records = entries(6)
    records[2] = records[2].replace("</title>", " & more</title>", 1)
    found, ending = reads(Search(records))
    assert len(found) == 6
    assert [bool(raw.resume) for raw in found] == [False, True, False, False, False, False]
    assert (ending.complete, [each.code for each in ending.problems]) == (False, [REPAIRED])
