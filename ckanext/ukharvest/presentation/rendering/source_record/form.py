"""A stored record's form, detected from its text, and its text in numbered lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ckanext.ukharvest.core.document_kind import HEAD, html_title


@dataclass(frozen=True, slots=True)
class Form:
    """A form of records.

    Attributes:
        label: its name for people.
        extension: of a file of it, without the dot.
        media_type: without parameters.
    """

    label: str
    extension: str
    media_type: str


XML = Form("XML", "xml", "application/xml")
JSON = Form("JSON", "json", "application/json")
N_TRIPLES = Form("N-Triples", "nt", "application/n-triples")
TEXT = Form("text", "txt", "text/plain")

MOST, MOST_LINES = 4_000_000, 50_000  # characters and lines up to which a record is shown unchanged

_XML = re.compile(r"<(?:[?!]|[^\s<>/]+(?:\s|/?>))")
# A URI as subject and one as predicate; no name of XML holds slashes.
_TRIPLE = re.compile(r"(?:<[^\s<>]*>|_:\S+)[ \t]*<[^\s<>]*//[^\s<>]*>")
_DECLARATION = re.compile(r"\ufeff?(\s*)(<\?xml\s[^>]*?\?>)")
_ENCODING = re.compile(r"""\s+encoding\s*=\s*(["']).*?\1""", re.DOTALL)


def form_of(content: str) -> Form:
    """Detect a record's form; a web page counts as text, so that no browser renders it."""
    head = content[:HEAD].lstrip("\ufeff \t\r\n")
    if head.startswith(("{", "[")):
        return JSON
    if _TRIPLE.match(head):
        return N_TRIPLES
    if _XML.match(head) and html_title(head.encode("utf-8", "replace")) is None:
        return XML
    return TEXT


def as_utf8(content: str) -> str:
    """Return a document without what contradicts that it is served as UTF-8.

    An XML declaration names the encoding of the publisher's bytes, which are gone. White space
    before it, which XML forbids, goes after it: line numbers do not change.
    """
    declared = _DECLARATION.match(content)
    if declared is None:
        return content.removeprefix("\ufeff")
    before, declaration = declared.groups()
    declaration = _ENCODING.sub(lambda found: "\n" * found[0].count("\n"), declaration, count=1)
    return declaration + before + content[declared.end() :]


def lines_of(content: str) -> tuple[list[str], bool]:
    """Return a record's lines, indented where that is easy, and whether these are all of it."""
    if form_of(content) is JSON:
        try:
            laid_out = json.dumps(json.loads(content), indent=2, ensure_ascii=False)
            # JSON can spell a lone surrogate, which no page can hold.
            content = laid_out.encode("utf-8", "replace").decode("utf-8")
        except (ValueError, RecursionError):
            pass  # shown unchanged
    lines = content[:MOST].replace("\r\n", "\n").split("\n", MOST_LINES)
    is_all = len(content) <= MOST and len(lines) <= MOST_LINES
    return lines[:MOST_LINES], is_all


def format_size(size: int) -> str:
    """Return a size in bytes as text: "12 kB"."""
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


# Characters and lines up to which an excerpt is the whole record.
WHOLE, WHOLE_LINES = 60_000, 1500
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
    lines = content.replace("\r\n", "\n").split("\n") if marked else lines_of(content)[0]
    size = sum(len(line) for line in lines)
    if size <= WHOLE and len(lines) <= WHOLE_LINES:
        wanted = range(1, len(lines) + 1)
        return Excerpt(tuple(_lines(lines, wanted, marked)), True)
    return Excerpt(tuple(_lines(lines, _wanted(marked, len(lines)), marked)), False)


def _wanted(marked: Collection[int], count: int) -> list[int]:
    if not marked:
        return list(range(1, min(count, BEGINNING) + 1))
    numbers = {
        number
        for line in sorted(marked)[:MOST_MARKED]
        for number in range(line - AROUND, line + AROUND + 1)
    }
    return sorted(number for number in numbers if 1 <= number <= count)


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
