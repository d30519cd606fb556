"""docs/publishers/resource-formats.md matches the code."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from docs.codes import ROOT

from ckanext.ukharvest.core.values.filename_formats import of_title
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


NAMES = [(name, label) for (name,), label in _table("| name | format |")]
PROTOCOLS = [(text, label) for row, label in _table("| begins with | format |") for text in row]


def test_the_page_has_its_tables() -> None:
    assert len(NAMES) > 15
    assert len(PROTOCOLS) > 30


@pytest.mark.parametrize(("name", "label"), NAMES)
def test_a_name_gives_the_format_that_the_page_says(name: str, label: str) -> None:
    assert of_title(name) == label


@pytest.mark.parametrize(("text", "label"), PROTOCOLS)
def test_a_protocol_gives_the_format_that_the_page_says(text: str, label: str) -> None:
    said = of_protocol(text)
    kind, expected = WORDS.get(label, (said.kind, label))
    assert (said.kind, said.label) == (kind, expected)


def test_every_protocol_is_on_the_page() -> None:
    assert [text for text, _ in PROTOCOLS if text not in dict(KNOWN)] == []
    assert [text for text, _ in KNOWN if text not in dict(PROTOCOLS)] == []
