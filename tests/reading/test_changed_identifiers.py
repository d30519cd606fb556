"""Which new records are probably known ones under new identifiers."""

from __future__ import annotations

from ckanext.ukharvest.reading.changed_identifiers import RecordFacts, enough, match


def record(guid: str, title: str = "", *urls: str) -> RecordFacts:
    return RecordFacts(guid, title, urls)


def matched(old: list[RecordFacts], new: list[RecordFacts]) -> dict[str, str]:
    return {pair.old.guid: pair.new.guid for pair in match(old, new)}


def test_records_match_by_title_whatever_its_case_and_spaces() -> None:
    assert matched([record("a", "Car  parks")], [record("b", "Car Parks ")]) == {"a": "b"}


def test_records_match_by_file_with_http_or_https() -> None:
    old = record("a", "Parking", "http://data.example/1.csv")
    new = record("b", "Car parks", "https://data.example/1.csv?v=2")
    assert matched([old], [new]) == {"a": "b"}


def test_title_of_several_records_proves_nothing_alone() -> None:
    old = [record("a", "Untitled", "http://data.example/1"), record("b", "Untitled")]
    new = [record("c", "Untitled", "http://data.example/1"), record("d", "Untitled")]
    # Once the first are matched by their file, only one of each title is left.
    assert matched(old, new) == {"a": "c", "b": "d"}
    assert matched([record("a", "Untitled"), record("b", "Untitled")], new) == {}


def test_file_of_several_records_proves_nothing() -> None:
    wms = "https://maps.example/wms"
    old = [record("a", "Roads", wms), record("b", "Rivers", wms)]
    new = [record("c", "Woods", wms), record("d", "Wells", wms)]
    assert matched(old, new) == {}


def test_records_without_title_and_file_match_nothing() -> None:
    assert matched([record("a")], [record("b")]) == {}


def test_record_is_matched_once() -> None:
    old = [record("a", "Roads", "http://data.example/1"), record("b", "Rivers")]
    new = [record("c", "Rivers", "http://data.example/1")]
    assert matched(old, new) in ({"a": "c"}, {"b": "c"})


def test_two_and_half_of_the_missing_are_enough() -> None:
    assert enough(2, 4)
    assert not enough(2, 5)
    assert not enough(1, 1)
