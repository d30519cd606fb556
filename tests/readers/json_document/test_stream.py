"""Documents that end or delay a parser: refused with a message, or read in linear time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.links import content
from ckanext.ukharvest.readers.json_document import stream
from ckanext.ukharvest.readers.json_document.stream import JsonFile

URL = "http://publisher.test/data.json"


def json_file(document: bytes, charset: str = "utf-8") -> JsonFile:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    body = io.BytesIO(document)
    reply = Reply(url=URL, requested_url=URL, status=200, headers=headers, body=body)
    return JsonFile(reply, URL, "data.json")


def events(document: bytes) -> list[tuple[str, str, Any]]:
    return list(json_file(document).events())


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"a\udfffb", "a?b"),
        (r"a\ud800b", "a?b"),
        (r"\uDFFF\uDFFF", "??"),
        (r"\ud83c\udf0d", "\U0001f30d"),
        (r"\\udfff", r"\udfff"),
        (r"\\\udfff", "\\?"),
    ],
)
def test_half_a_surrogate_pair_is_read_as_a_question_mark(escaped: str, text: str) -> None:
    file = json_file(f'{{"title": "{escaped}"}}'.encode())
    assert list(file.events())[2] == ("title", "string", text)
    assert list(file.items("title")) == [text]


@pytest.mark.parametrize("charset", ["utf-16", "utf-32", "utf-16-le", "idna", "punycode", "x"])
def test_a_charset_that_cannot_be_is_not_used(charset: str) -> None:
    file = json_file('{"title": "Café – list"}'.encode("cp1252"), charset)
    assert list(file.events())[2] == ("title", "string", "Café – list")
    assert file.problem is not None
    assert file.problem.code == "not-utf-8"


def work(monkeypatch: pytest.MonkeyPatch, length: int, read: str) -> int:
    """Count the bytes that yajl's lexer reads for a string: an incomplete one again each time."""
    total = 0

    def parse(source: IO[bytes], *_args: Any, buf_size: int) -> Iterator[Any]:
        nonlocal total
        open_bytes = 0
        while piece := source.read(buf_size):
            total += open_bytes + len(piece)
            quote = piece.rfind(b'"')
            is_open = (piece.count(b'"') + bool(open_bytes)) % 2
            before = open_bytes if quote < 0 else 0
            open_bytes = before + len(piece) - max(quote, 0) if is_open else 0
        return iter(())

    with monkeypatch.context() as patch:
        patch.setattr(stream.ijson, "parse", parse)
        patch.setattr(stream.ijson, "items", parse)
        file = json_file(b'{"dataset":[{"a":"' + b"x" * length + b'"}]}')
        list(file.events() if read == "events" else file.items("dataset.item"))
    return total


@pytest.mark.parametrize("read", ["events", "items"])
def test_work_for_a_long_text_grows_with_its_length_alone(
    monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    one, four = (work(monkeypatch, length, read) for length in (4_000_000, 16_000_000))
    assert four < 4.1 * one
    assert four < 3 * 16_000_000


@pytest.mark.parametrize(
    ("end", "words", "column"),
    [
        (b"", "cut off", 4_000_012),
        (b'\x01"}]}', "control character", 4_000_013),
        (b'\\x"}]}', "syntax error", 4_000_013),
        (b'\\n" 5}]}', "syntax error", 4_000_018),
    ],
)
def test_a_fault_behind_a_long_text_is_found_by_few_reads(
    monkeypatch: pytest.MonkeyPatch, end: bytes, words: str, column: int
) -> None:
    document = b'{"dataset":"' + b"x" * 4_000_000 + end
    handed = 0
    basic_parse = stream.ijson.basic_parse

    def counted(source: Any, **options: Any) -> Any:
        read = source.read

        def counted_read(size: int) -> bytes:
            nonlocal handed
            handed += 1
            return bytes(read(size))

        source.read = counted_read
        return basic_parse(source, **options)

    monkeypatch.setattr(stream.ijson, "basic_parse", counted)
    with pytest.raises(ProtocolError, match=words) as caught:
        events(document)
    assert f"column {column:d} of {URL}" in caught.value.message
    assert handed < 200


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (b"9" * 1001, "too-long"),
        (b"1." + b"9" * 5000, "too-long"),
        (b"1e9999999999999999999999", "too-long"),
        (b"[" * 1000 + b"]" * 1000, "too-deep"),
    ],
    ids=["integer", "decimal", "exponent", "depth"],
)
def test_json_limit_error_names_url_line_and_column(value: bytes, code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        events(b'{"dataset":\n [{"identifier": ' + value + b"}]}")
    assert caught.value.code == code
    assert URL in caught.value.message
    assert "line 2, column " in caught.value.message or "exponent" in caught.value.message


def test_long_numbers_within_the_limit_are_read() -> None:
    number = b"9" * 1000
    assert ("dataset.item", "number", int(number)) in events(b'{"dataset":[' + number + b"]}")


@pytest.mark.parametrize(
    "text", ['{"a":' + "9" * 6000 + "}", "[" * 3000 + "]" * 3000], ids=["number", "depth"]
)
def test_links_beyond_a_limit_are_found_without_a_parser(text: str) -> None:
    assert content.label_of(text, is_cut=False) == "JSON"


FAULTS = (
    *(b"[1", b'{"a"', b'{"a":', b'["a', b'["a\\', b'{"a": 1', b"", b"-", b"[tru", b'["\\u12'),
    *(
        b"[1,]",
        b'{"a": 1,}',
        b"{,}",
        b"[,]",
        b"[1 2]",
        b'{"a" 1}',
        b"{a: 1}",
        b"{1: 2}",
        b"{'a': 1}",
    ),
    *(
        b"[NaN]",
        b"[Infinity]",
        b"[-Infinity]",
        b"[nul]",
        b"[True]",
        b"[01]",
        b"[1.]",
        b"[.5]",
        b"[+1]",
    ),
    *(
        b"[1e]",
        b"[0x10]",
        b'["a\nb"]',
        b'["a\x00"]',
        b'["a\\x"]',
        b'["\\u12G4"]',
        b"[] []",
        b"{} x",
    ),
    *(
        b"[1] // end",
        b"/* c */ [1]",
        b"[}",
        b'{"a": 1]',
        b"]",
        b'["a" "b"]',
        b'{"a":: 1}',
        b"[1;2]",
    ),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_alike_in_small_and_large_documents(fault: bytes) -> None:
    sentences = []
    for size in (2, 11_000):
        start = b'{"dataset": [\n' + (b'"' + b"x" * 500 + b'",\n') * size
        with pytest.raises(ProtocolError) as caught:
            events(start + fault)
        error = caught.value
        assert error.code == "json-syntax"
        assert error.line == size + 2 + fault.count(b"\n", 0, 4)
        sentences.append(error.message.replace(f"line {error.line},", "line N,"))
    assert sentences[0] == sentences[1]
    assert sentences[0].startswith("not valid JSON: ")
