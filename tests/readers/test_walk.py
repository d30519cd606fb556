"""A list read page by page: where it ends, and what its end proves."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.records import REPAIRED, Problem, RawRecord
from ckanext.ukharvest.readers import walk
from ckanext.ukharvest.readers.seen_records import SeenPages, SeenRecords
from ckanext.ukharvest.readers.walk import Pages, Place, Point, Walk
from tests.readers.walked_pages import guids, read

URL = "https://a.example/list"
REPAIR = Problem(REPAIRED, "", "line 3: a tag is not closed")


class Numbers(Pages):
    """Pages of the records with these identities, whose places are their numbers."""

    where = URL
    resumes = True

    def __init__(self, *pages: str, totals: Sequence[int] = (), circle: int = 0) -> None:
        self.seen: SeenRecords = SeenPages()
        self._pages = pages
        self._totals = totals
        self._circle = circle
        self.asked: list[int] = []

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        number = int(point.place[0])
        self.asked.append(number)
        if number <= len(self._totals):
            walk.note_total(self._totals[number - 1])
        if "!" in self._pages[number - 1]:
            walk.problems.append(REPAIR)
        yield from (RawRecord(guid, guid) for guid in self._pages[number - 1].strip("!"))
        following = number + 1 if number < len(self._pages) else self._circle
        return (following,) if following else None


def reason(pages: Pages) -> str:
    return read(pages)[1].reason()


def with_properties(pages: Numbers, **properties: Any) -> Numbers:
    for name, value in properties.items():
        setattr(pages, name, value)
    return pages


def test_records_of_all_pages_come_in_order() -> None:
    records, reading, totals = read(Numbers("ab", "cd", "e", totals=(5, 5, 5)))
    assert "".join(raw.guid for raw in records) == "abcde"
    assert (reading.reason(), reading.asked, totals) == ("", 3, [5])


@pytest.mark.parametrize("total", [4, 6])
def test_another_total_than_was_shown_proves_nothing(total: int) -> None:
    pages = Numbers("ab", "cd", "e", totals=(total,) * 3)
    assert reason(pages) == f"{URL} announces {total} records and shows 5"


def test_a_total_that_changes_proves_nothing_although_it_fits() -> None:
    assert reason(Numbers("ab", "cd", totals=(5, 4))) == (
        f"the number of records of {URL} changed while they were read"
    )


def test_largest_total_counts_where_pages_overlap() -> None:
    for totals in ((5, 4), (4, 5)):
        pages = with_properties(Numbers("ab", "cd", totals=totals), overlaps=True)
        assert reason(pages) == f"{URL} announces 5 records and shows 4"
    assert reason(with_properties(Numbers("ab", "cd", totals=(3, 4)), overlaps=True)) == ""


def test_an_empty_list_proves_nothing() -> None:
    pages = Numbers("")
    assert reason(pages) == f"{URL} has no records; the list is empty, so nothing was deleted"
    assert read(pages)[1].reason(may_be_empty=True) == ""
    assert "counts 7 records and hands over none" in reason(Numbers("", totals=(7,)))


def test_a_page_without_a_new_record_ends_a_list() -> None:
    pages = Numbers("ab", "ba", "c")
    assert (guids(pages), pages.asked) == ("ab", [1, 2])
    assert reason(Numbers("ab", "ba", "c")) == ""


def test_protocol_may_allow_pages_without_a_new_record() -> None:
    properties = {"barren": 2, "barren_doubt": "gave an old page"}
    pages = with_properties(Numbers("ab", "ba", "c"), **properties)
    assert guids(pages) == "abc"
    assert reason(with_properties(Numbers("ab", "ba", "c"), **properties)) == (
        f"{URL} gave an old page, after 3 records"
    )
    assert reason(with_properties(Numbers("ab", "ba", "c", totals=(3,)), **properties)) == ""


def test_pages_in_a_circle_end_in_doubt() -> None:
    pages = with_properties(Numbers("a", "b", circle=1), circle_doubt="goes round")
    assert reason(pages) == f"{URL} goes round, after 2 records"
    assert pages.asked == [1, 2]


def test_pages_that_never_end_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_PAGES", 3)
    with pytest.raises(ProtocolError, match="still shows new records after 3 pages") as caught:
        read(Numbers("a", "b", "c", "d"))
    assert caught.value.code == "endless-paging"


def test_last_record_of_a_page_has_the_place_of_the_next() -> None:
    records, _, _ = read(Numbers("ab", "cd", "e"))
    assert [raw.resume for raw in records] == ["", "[2, 2]", "", "[3, 4]", ""]
    assert Point.load("[3, 4]", int) == Point((3,), 4)
    later, reading, _ = read(Numbers("ab", "cd", "e", totals=(5,) * 3), 3, 4)
    assert ([raw.guid for raw in later], reading.reason()) == (["e"], "")


def test_no_run_resumes_behind_a_repaired_page() -> None:
    records, reading, _ = read(Numbers("ab", "!cd", "e"))
    assert [raw.resume for raw in records] == ["", "[2, 2]", "", "", ""]
    assert reading.ending().problems == (REPAIR,)


@pytest.mark.parametrize("text", ["", "7", "no", "null", "[1]", '["x", 1]', "[1, 2, 3]", "{}"])
def test_resume_point_of_another_reader_is_none(text: str) -> None:
    assert Point.load(text, int) is None
