"""Sizes of files as publishers write them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.file_facts import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("20480", 20480),
        (" 12.0 ", 12),
        ("2.0E3", 2000),
        ("17.06 KB", 17469),
        ("12,5 Ko", 12800),
        ("1 MB", 1 << 20),
        ("3GiB", 3 << 30),
        ("42 octets", 42),
        ("42 bytes", 42),
        ("1,234,567", 1234567),
        ("1 234 567 bytes", 1234567),
        ("1,234 KB", 1263616),
        ("1 234 Ko", 1263616),
        ("1,234.5 KB", 1264128),
        ("1,234 Ko", 1264),
        ("0,512 KB", 524),
    ],
)
def test_a_size_is_a_number_of_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "big", "-1", "KB", "12 parsecs", "1e99", "9" * 19, "1.2.3"])
def test_other_text_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)
