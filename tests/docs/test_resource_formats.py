"""docs/publishers/resource-formats.md matches the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.codes import ROOT

from ckanext.ukharvest.core.values.formats import of_title
from ckanext.ukharvest.core.values.link_protocols import KNOWN, of_protocol

PAGE = ROOT / "docs" / "publishers" / "resource-formats.md"
WORDS = {
    "HTML, unless the address says more": ("page", "HTML"),
    "a file: the address tells": ("file", ""),
    "a service that has no format here": ("service", ""),
}


def _table(head: str) -> Iterator[tuple[list[str], str]]:
    """Return the texts in backquotes of each row's first cell, and the second cell."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line == head:
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        first, second = line.strip("|").split("|")
        yield re.findall(r"`([^`]*)`", first), second.strip()


NAMES = {name: label for (name,), label in _table("| name | format |")}
PROTOCOLS = {text: label for row, label in _table("| begins with | format |") for text in row}


def test_page_lists_the_formats_of_names() -> None:
    assert len(NAMES) > 15
    assert {name: of_title(name) for name in NAMES} == NAMES


def test_page_lists_the_formats_of_protocols() -> None:
    assert PROTOCOLS.keys() == dict(KNOWN).keys()
    protocols = {text: of_protocol(text) for text in PROTOCOLS}
    expected = {
        text: WORDS.get(label, (protocols[text].kind, label)) for text, label in PROTOCOLS.items()
    }
    assert {text: (each.kind, each.label) for text, each in protocols.items()} == expected
