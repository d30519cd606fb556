"""Table Schema judged by us and by frictionless: the same cells, or a reason why not.

``frictionless.json`` has frictionless's results (``record_frictionless.py`` writes it).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.schema_check.record_frictionless import PATH, cases
from tests.schema_check.support import check

ALL = list(cases())
RECORDED = json.loads(PATH.read_text("utf-8"))["results"]

# frictionless's type of error → our codes
SAME = {
    "type-error": {"type"},
    "constraint-error": {"required", "minimum", "maximum", "min-length", "max-length"}
    | {"pattern", "enum"},
    "unique-error": {"unique"},
    "primary-key": {"primary-key"},
    "blank-row": {"blank-row"},
    "missing-cell": {"ragged-row"},
    "extra-cell": {"ragged-row"},
    # We also say which column is missing.
    "duplicate-label": {"duplicate-label", "missing-label", "extra-label"},
    "blank-label": {"blank-label", "missing-label"},
    "blank-header": {"no-header"},
    "missing-label": {"missing-label", "no-header"},
    "extra-label": {"extra-label"},
    "incorrect-label": {"incorrect-label", "column-order"},
    "source-error": {"no-header"},
}

# Case → why we judge it otherwise.
DIFFERENCES = {
    "integer '1_000'": "Python's own number; no integer of Table Schema",
    "integer '١٢'": "digits of another script; Table Schema has those of ASCII",
    "integer groupChar=, '1,200'": "version 2 of Table Schema, which frictionless 5 does not know",
    "integer exclusiveMinimum=5 '5'": "as before: frictionless refuses the whole schema",
    "pattern=a|b 'ab'": "the whole value has to match; frictionless anchors only each end",
    "lga 10": "2025-4-1 is no date of ISO 8601, which Table Schema wants; frictionless reads it",
    "lga 21": "columns by name, so emails are judged; frictionless goes by position",
}


def test_every_case_is_recorded() -> None:
    assert [name for name, _schema, _data in ALL] == list(RECORDED), "run record_frictionless.py"
    assert set(DIFFERENCES) <= set(RECORDED)


def is_same(schema: dict[str, Any], data: str, theirs: list[list[Any]]) -> bool:
    """Tell whether we find what frictionless finds: the same cells, and errors of the same kind."""
    ours = check(schema, data)
    assert ours.reason == ""
    expected = set().union(*(SAME.get(kind, set()) for _row, _column, kind in theirs))
    cells = [(each.row, each.column) for each in ours.findings if each.code in _OF_CELLS]
    ragged = {row for row, _column, kind in theirs if kind in ("missing-cell", "extra-cell")}
    their_cells = [
        (row, column) for row, column, kind in theirs if kind in _THEIRS and row not in ragged
    ]
    return (
        ours.is_valid == (not theirs)
        and set(ours.codes) <= expected
        and sorted(cells) == sorted(their_cells)
    )


_THEIRS = ("type-error", "constraint-error", "unique-error")
_OF_CELLS = set().union(*(SAME[kind] for kind in _THEIRS))


@pytest.mark.parametrize(("name", "schema", "data"), ALL, ids=[each[0] for each in ALL])
def test_results_are_those_of_frictionless_or_explained(
    name: str, schema: dict[str, Any], data: str
) -> None:
    assert is_same(schema, data, RECORDED[name]) == (name not in DIFFERENCES)
