"""Texts for terminals, logs and spreadsheets, which obey some signs."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ckanext.ukharvest.core.values.text import as_cell, clean_text, name_unseen
from tests.security.payloads import FORMULAS


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_quoted(text: str) -> None:
    assert as_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "2024-05-01", "(+44) 1", "https://a.example/=1"])
def test_other_cells_are_unchanged(text: str) -> None:
    assert as_cell(text) == text


def test_invisible_characters_are_named() -> None:
    assert name_unseen("a\nb\x1b[2J\u202ec") == "a[U+000A]b[U+001B][2J[U+202E]c"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(None, "", id="none"),
        pytest.param("", "", id="empty"),
        pytest.param("  a  b\t", "a  b", id="stripped"),
        pytest.param("a\u00a0b\u00a0", "a b", id="no-break-space"),
        pytest.param("a\r\nb\rc\n\td", "a\nb\nc\n\td", id="line-ends"),
        pytest.param("a\x00b\x07\x1b\x7f\x81", "ab", id="controls"),
        pytest.param("Children\x92s \x96 \x805", "Children’s – €5", id="windows"),  # noqa: RUF001
        pytest.param("a\ud800b", "ab", id="half-surrogate"),
        pytest.param("\ufeffTitle", "Title", id="bom"),
        pytest.param("Cymraeg ŵ 🏴", "Cymraeg ŵ 🏴", id="unicode"),
        pytest.param(2019, "2019", id="int"),
        pytest.param(10**400, f"1{'0' * 400}", id="int-beyond-floats"),
        pytest.param(1.5, "1.5", id="float"),
        pytest.param(Decimal("1.50"), "1.50", id="decimal"),
        pytest.param(float("nan"), "", id="nan"),
        pytest.param(True, "true", id="true"),
        pytest.param(False, "false", id="false"),
        pytest.param(["a"], "", id="list"),
        pytest.param({"a": 1}, "", id="dict"),
        pytest.param(b"a", "", id="bytes"),
    ],
)
def test_clean_text(given: object, expected: str) -> None:
    assert clean_text(given) == expected
