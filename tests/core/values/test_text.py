"""Texts for terminals, logs and spreadsheets, which obey some signs."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.text import as_cell, name_unseen
from tests.security.payloads import FORMULAS


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_quoted(text: str) -> None:
    assert as_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "2024-05-01", "(+44) 1", "https://a.example/=1"])
def test_other_cells_are_unchanged(text: str) -> None:
    assert as_cell(text) == text


def test_invisible_characters_are_named() -> None:
    assert name_unseen("a\nb\x1b[2J\u202ec") == "a[U+000A]b[U+001B][2J[U+202E]c"
