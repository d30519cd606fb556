"""A stored record's form, detected from its text: name, media type and layout."""

from __future__ import annotations

import json
import re
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
