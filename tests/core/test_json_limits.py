"""Limits of JSON documents: exceeding them is reported with its place, the rest is read."""

from __future__ import annotations

import io
import json
import random

import pytest

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.json_limits import BeyondLimit, JsonPieces

SIZES = (1, 2, 3, 7, 64, 4096, 1 << 20)


def pieces(document: bytes, size: int) -> list[bytes]:
    reading = JsonPieces(io.BytesIO(document))
    found = []
    while piece := reading.read(size):
        found.append(piece)
    return found


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in (("STRING", 60), ("NAME", 20), ("NUMBER", 12), ("DEPTH", 5)):
        monkeypatch.setattr(json_limits, f"MAX_{name}", limit)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{}",
        rb'{"a\"b": "\\", "c": "\\\"", "d": ["[[[[[[[[[[", "1234567890123456"]}',
        b'{"n": 123456789012, "m": [-1.5e+10, 123456789012]}',
        b'[[[[[1], [2]]]], "' + b"x" * 60 + b'" , "' + b"y" * 20 + b'" : 1]',
        b'{"open": "' + b"z" * 50,
        b'{"half": "\\',
        "{“odd”: 'text'}".encode(),
    ],
)
def test_json_within_the_limits_is_unchanged(document: bytes, size: int) -> None:
    assert b"".join(pieces(document, size)) == document


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("before", "beyond", "code", "words"),
    [
        (b'{"n": ', b"1234567890123}", "too-long", "number of more than 12"),
        (b'["", ', b"-1.23456789e+10]", "too-long", "number of more than 12"),
        (b'["a\\"", ', b'"' + b"x" * 61 + b'"]', "too-long", "text of more than 60"),
        (b'["a\\\\", ', b'"' + b"x" * 70, "too-long", "text of more than 60"),
        (b"[[[[[1], ", b"[[2]]]]]]", "too-deep", "nested more than 5"),
        (b'{"a":{"a":{"a":{"a":{"a":', b'{"a":1}}}}}}', "too-deep", "nested more than 5"),
    ],
)
def test_json_beyond_a_limit_is_refused_with_its_place(
    before: bytes, beyond: bytes, code: str, words: str, size: int
) -> None:
    with pytest.raises(BeyondLimit, match=words) as caught:
        pieces(before + beyond, size)
    place = before.index(b"[[2") if b"[[2" in before else len(before)
    assert caught.value.code == code
    assert place <= caught.value.offset <= place + 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("blanks", [b"", b" ", b" \n " * 50])
def test_a_text_may_be_longer_than_a_name(blanks: bytes, size: int) -> None:
    text = b'"' + b"k" * 30 + b'"' + blanks
    assert pieces(b"[" + text + b", 1]", size)
    with pytest.raises(BeyondLimit, match="name of more than 20"):
        pieces(b"{" + text + b": 1}", size)


def test_pieces_end_outside_strings_and_are_small() -> None:
    rng = random.Random(4)  # noqa: S311 - texts for a test
    signs = ["a", '"', "\\", "é", " ", "\n", "{", "1", "𝄞"]
    texts = ["".join(rng.choices(signs, k=rng.randrange(300))) for _ in range(300)]
    document = json.dumps(texts, ensure_ascii=False).encode()
    for size in (16, 100, 1000):
        found = pieces(document, size)
        assert b"".join(found) == document
        for piece in found:
            assert json_limits.mask_escapes(piece).count(b'"') % 2 == 0
        assert max(map(len, found)) < 2 * size + 1000


def test_limits_leave_room_for_real_documents() -> None:
    assert json_limits.MAX_STRING >= 16_000_000
    assert json_limits.MAX_NUMBER > 767
    assert json_limits.MAX_DEPTH >= 50
