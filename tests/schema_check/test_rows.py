"""CSV files as they come: encodings, separators, ragged rows, quotes, limits."""

from __future__ import annotations

import pytest

from tests.schema_check.support import check, lint

SCHEMA = lint(("name", {"required": True}), ("amount", {"type": "float"}))
TEXT = "name,amount\nCafé,12.5\nÉire,x\n"
ROW = [(3, "amount", "type")]


@pytest.mark.parametrize(
    ("codec", "note"),
    [
        ("utf-8", ""),
        ("utf-8-sig", "The file is UTF-8 with a byte order mark; expected UTF-8."),
        ("utf-16", "The file is UTF-16; expected UTF-8."),
        ("utf-16-le", "The file is UTF-16 without a byte order mark; expected UTF-8."),
        ("utf-16-be", "The file is UTF-16 without a byte order mark; expected UTF-8."),
        ("cp1252", "The file is Windows-1252; expected UTF-8."),
    ],
)
def test_an_encoding_is_detected_and_noted(codec: str, note: str) -> None:
    found = check(SCHEMA, TEXT.encode(codec))
    assert found.found == ROW
    assert found.notes == ([note] if note else [])


@pytest.mark.parametrize(
    ("separator", "name"), [(",", ""), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar")]
)
def test_a_separator_is_detected_and_noted(separator: str, name: str) -> None:
    found = check(SCHEMA, TEXT.replace(",", separator))
    assert found.found == ROW
    assert found.notes == ([f"The separator is a {name}; expected a comma."] if name else [])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_are_read(end: str) -> None:
    long = "name,amount\n" + "Leeds,1\n" * 12_000 + "Leeds,x\n"
    assert check(SCHEMA, TEXT.replace("\n", end)).found == ROW
    assert check(SCHEMA, long.replace("\n", end)).found == [(12_002, "amount", "type")]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("a,1\nb\nc,2\n", [(3, "", "ragged-row")]),
        ("a,1\nb,1,200\nc,2\n", [(3, "", "ragged-row")]),
        ("a,1\n\nc,2\n", [(3, "", "blank-row")]),
        ("a,1\n , \nc,2\n", [(3, "", "blank-row")]),
        ('a,1\n"b"c,1\nd,x\n', [(3, "", "csv-syntax"), (4, "amount", "type")]),
        ('a,1\n"b,1\nd,2\n', [(3, "", "csv-syntax")]),
        ('a,1\n"b\nb",x\nc,y\n', [(3, "amount", "type"), (4, "amount", "type")]),
        ("a,1\nb,2", []),
        ("a\x00,1\n", []),
    ],
)
def test_broken_rows_are_reported(rows: str, found: list[tuple[int, str, str]]) -> None:
    assert check(SCHEMA, f"name,amount\n{rows}").found == found


@pytest.mark.parametrize(
    ("cell", "found"),
    [(" x", "[space]x"), ("x y ", "x y[space]"), ("x", "x"), ("\u00a0", "[space]")],
)
def test_spaces_around_a_value_are_named(cell: str, found: str) -> None:
    assert check(SCHEMA, f"name,amount\na,{cell}\n").findings[0].found == found


def test_a_ragged_row_says_how_many_cells_it_has() -> None:
    finding = check(SCHEMA, "name,amount\nb,1,200\n").findings[0]
    assert (finding.found, finding.expected) == ("3 cells", "2 cells, as in the header")


@pytest.mark.parametrize("data", ["", "\n", ",\n", "\ufeff"])
def test_an_empty_file_has_no_header(data: str) -> None:
    assert check(SCHEMA, data).codes == ["no-header"]


def test_a_header_alone_is_valid() -> None:
    assert check(SCHEMA, "name,amount\n").is_valid


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"PK\x03\x04rest", "a ZIP archive, such as an Excel file"),
        (b"%PDF-1.7", "a PDF"),
        (b"<!DOCTYPE html><title>Sign in</title>", "a web page, “Sign in”"),
        (b'{"name": 1}', "JSON"),
        (b"<?xml version='1.0'?><a/>", "XML"),
    ],
)
def test_a_file_of_another_format_is_named(data: bytes, name: str) -> None:
    assert check(SCHEMA, data).reason == f"The file is {name}; the schema is for CSV."


def test_rows_beyond_the_limit_are_not_read() -> None:
    found = check(SCHEMA, "name,amount\na,1\nb,2\nc,x\n", rows=2)
    assert found.stopped == "Only the first 2 rows were checked."
    assert found.values["checked"] == 2
    assert not found.findings
    assert check(SCHEMA, "name,amount\na,1\nb,2\n", rows=2).stopped == ""


@pytest.mark.parametrize("cut", range(24, 44))
def test_a_row_that_the_limit_cuts_is_not_checked(cut: int) -> None:
    text = 'name,amount\nLeeds,12.5\nYork,"8.5"\nBath,7\n'
    found = check(SCHEMA, text, data_bytes=cut)
    assert not found.findings
    assert bool(found.stopped) == (cut < len(text))


def test_a_line_without_end_is_refused() -> None:
    found = check(SCHEMA, "name,amount\n" + "x" * 5_000_000)
    assert "a line of more than 2,000,000 characters" in found.reason


def test_a_cell_without_end_is_an_error() -> None:
    data = 'name,amount\n"' + "x\n" * 600_000
    found = check(SCHEMA, data)
    assert found.codes[0] == "csv-syntax"
    assert "is a quotation mark missing?" in found.findings[0].expected
