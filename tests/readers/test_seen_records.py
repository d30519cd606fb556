"""Records that a read has seen: each comes once, and different ones are kept as duplicates."""

from __future__ import annotations

import io

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.readers.seen_records import SeenIdentities, SeenPages, SeenRecords


def _raw(guid: str, content: str = "{}") -> RawRecord:
    return RawRecord(guid, content, position=f"dataset {guid}")


def _sift(seen: SeenRecords, *records: RawRecord) -> tuple[list[str], int]:
    guids = [raw.guid for raw in seen.sift(records)]
    return guids, seen.count


def test_a_page_of_known_records_yields_nothing() -> None:
    seen = SeenPages()
    assert _sift(seen, _raw("1"), _raw("2")) == (["1", "2"], 2)
    assert _sift(seen, _raw("2"), _raw("1", "changed")) == ([], 2)


def test_a_record_pushed_to_the_next_page_is_left_out() -> None:
    seen = SeenPages()
    _sift(seen, _raw("1"), _raw("2"))
    assert _sift(seen, _raw("2"), _raw("3")) == (["3"], 3)


def test_a_record_with_another_content_is_kept_as_a_duplicate() -> None:
    seen = SeenPages()
    _sift(seen, _raw("1"), _raw("2"))
    assert _sift(seen, _raw("2", "other"), _raw("3"))[0] == ["2", "3"]


def test_page_keeps_its_duplicates_and_failed_records() -> None:
    assert _sift(SeenPages(), _raw("1"), _raw(""), _raw("1"))[0] == ["1", "", "1"]


def test_the_same_bytes_are_a_repeat() -> None:
    seen = SeenPages()
    assert not seen.is_repeat(io.BytesIO(b"one"))
    assert not seen.is_repeat(io.BytesIO(b"two"))
    assert seen.is_repeat(io.BytesIO(b"one"))


def test_an_identity_comes_once_whatever_its_content() -> None:
    seen = SeenIdentities()
    assert _sift(seen, _raw("1"), _raw("1", "other"), _raw("")) == (["1", ""], 2)
    assert _sift(seen, _raw("", "more"), _raw("1")) == ([""], 3)
