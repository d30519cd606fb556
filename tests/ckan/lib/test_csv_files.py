"""CSV files that people send."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.lib.csv_files import read_rows

HEAD = ("dataset", "guid")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"dataset,guid\n\xff\xfe", "not UTF-8"),
        (b"dataset,id\na,b\n", "no column guid; expected dataset, guid"),
        (b"", "no column dataset"),
        # Longer than what a check of data allows, in whose process this may run.
        (b'dataset,guid\n"' + b"x" * 1_100_000, "cannot be read as CSV"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_rows(data, HEAD)


def test_columns_are_found_by_name_in_any_order() -> None:
    rows = read_rows(b"note;guid;dataset\nx;1\ny;2;b;more\n", HEAD, separators=",;")
    assert rows == [{"dataset": "", "guid": "1"}, {"dataset": "b", "guid": "2"}]
