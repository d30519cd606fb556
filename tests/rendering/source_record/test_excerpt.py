"""The lines of a record that a page shows."""

from __future__ import annotations

from ckanext.ukharvest.rendering.source_record import (
    BEGINNING,
    LONGEST,
    WHOLE_LINES,
    excerpt,
    lines_of_fields,
)


def numbers(content: str, marked: set[int]) -> list[int]:
    return [line.number for line in excerpt(content, marked).lines]


def test_a_short_record_is_shown_as_a_whole() -> None:
    shown = excerpt("<a>\r\n<b/>\n</a>", {2})
    assert shown.is_whole
    assert [line.text for line in shown.lines] == ["<a>", "<b/>", "</a>"]
    assert [line.is_marked for line in shown.lines] == [False, True, False]
    assert shown.numbers == {1, 2, 3}


def test_json_without_a_marked_line_is_laid_out() -> None:
    assert [line.text for line in excerpt('{"a": 1}', set()).lines] == ["{", '  "a": 1', "}"]


def test_a_long_record_is_shown_around_its_marked_lines() -> None:
    content = "\n".join(["line"] * (WHOLE_LINES + 500))
    assert numbers(content, {10, 12, 900}) == [0, *range(7, 16), 0, *range(897, 904), 0]
    assert numbers(content, set()) == [*range(1, BEGINNING + 1), 0]
    assert not excerpt(content, {10}).is_whole
    # Lines that the text does not have, as of another version.
    assert numbers("a\n" * 3000, {9000}) == [0]


def test_a_long_line_is_cut() -> None:
    [line] = excerpt("x" * 5000, {1}).lines
    assert line.text == "x" * LONGEST + " …"


def test_fields_of_a_json_record_have_lines() -> None:
    content = '{"title": "Wards", "contactPoint": {"fn": "x"}, "distribution": ["a", {"title": 1}]}'
    fields = ("title", "contactPoint.hasEmail", "distribution[1].title", "keyword", "title.x")
    found = lines_of_fields(content, fields)
    lines = [line.text.strip() for line in excerpt(content, set(found.values())).lines]
    assert {field: lines[number - 1] for field, number in found.items()} == {
        "title": '"title": "Wards",',
        "contactPoint.hasEmail": '"contactPoint": {',
        "distribution[1].title": '"title": 1',
        "title.x": '"title": "Wards",',
    }


def test_records_without_lines_of_fields() -> None:
    for content in ("<a/>", "{broken", "[1]", "{}", '"text"'):
        assert lines_of_fields(content, ("a", "", "[9]", "a[0].b")) == {}
