"""A record's text in numbered lines, cut to what a page can hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ckanext.ukharvest.presentation.rendering.source_record import form as record_form

MOST, MOST_LINES = 60_000, 1500  # characters and lines up to which a whole record is shown
AROUND = 3  # lines before and after a marked one
MOST_MARKED = 20
LONGEST = 1000  # characters shown of a line
BEGINNING = 50  # lines shown of a long record without a marked one


@dataclass(frozen=True, slots=True)
class Line:
    """One line; ``number`` 0 stands for lines that are left out."""

    number: int
    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a record that is shown; ``is_whole``: nothing is left out."""

    lines: tuple[Line, ...]
    is_whole: bool

    @property
    def numbers(self) -> frozenset[int]:
        """Return the numbers of its lines."""
        return frozenset(line.number for line in self.lines if line.number)


def excerpt(content: str, marked: Collection[int]) -> Excerpt:
    """Return a record's lines; of a long one only those around the marked ones.

    Args:
        marked: line numbers in the publisher's layout, from 1. Without any, JSON is indented.
    """
    lines = (
        content.replace("\r\n", "\n").split("\n") if marked else record_form.lines_of(content)[0]
    )
    size = sum(len(line) for line in lines)
    if size <= MOST and len(lines) <= MOST_LINES:
        wanted = range(1, len(lines) + 1)
        return Excerpt(tuple(_lines(lines, wanted, marked)), True)
    return Excerpt(tuple(_lines(lines, _wanted(marked, len(lines)), marked)), False)


def _wanted(marked: Collection[int], count: int) -> list[int]:
    if not marked:
        return list(range(1, min(count, BEGINNING) + 1))
    found = {
        number
        for each in sorted(marked)[:MOST_MARKED]
        for number in range(each - AROUND, each + AROUND + 1)
    }
    return sorted(number for number in found if 1 <= number <= count)


def _lines(lines: list[str], wanted: Collection[int], marked: Collection[int]) -> Iterator[Line]:
    before = 0
    for number in wanted:
        if number != before + 1:
            yield Line(0, "")
        text = lines[number - 1]
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
        yield Line(number, cut, number in marked)
        before = number
    if before < len(lines):
        yield Line(0, "")
