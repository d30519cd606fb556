"""Table Schema: types, constraints, keys and headers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema_check.support import check, table
from tests.schema_check.table_schema_cases import CELLS, HEADERS


@pytest.mark.parametrize(("field", "value", "code"), CELLS)
def test_a_cell(field: dict[str, Any], value: str, code: str) -> None:
    schema = table({"name": "value", **field}, {"name": "other"})
    cell = '"' + value.replace('"', '""') + '"'
    found = check(schema, f"value,other\n{cell},x\n")
    assert found.reason == ""
    assert found.notes == []
    assert found.found == ([(2, "value", code)] if code else [])


def test_missing_values_of_the_schema_are_no_values() -> None:
    schema = table({"name": "n", "type": "integer"}, missingValues=["-", "n/a"])
    assert check(schema, "n\n-\nn/a\n1\n").is_valid
    assert check(schema, 'n\n""\n1\n').codes == ["blank-row"]


def test_unique_values_and_keys() -> None:
    schema = table({"name": "id", "constraints": {"unique": True}}, {"name": "x"})
    assert check(schema, "id,x\na,1\na,2\n,3\n,4\n").found == [(3, "id", "unique")]
    schema = table({"name": "a"}, {"name": "b"}, primaryKey=["a", "b"])
    found = check(schema, "a,b\n1,1\n1,2\n1,1\n").found
    assert found == [(4, "a, b", "primary-key")]
    schema = table({"name": "a"}, {"name": "b"}, primaryKey="a")
    assert check(schema, "a,b\n1,1\n,2\n").found == [(3, "a", "primary-key")]


@pytest.mark.parametrize(("match", "header", "codes"), HEADERS)
def test_a_header_is_matched_as_the_schema_says(match: str, header: str, codes: list[str]) -> None:
    schema = table({"name": "id"}, {"name": "name"}, fieldsMatch=[match])
    row = ",".join("x" * (header.count(",") + 1))
    assert check(schema, f"{header}\n{row}\n").codes == codes


@pytest.mark.parametrize(
    ("field", "more", "note"),
    [
        ({"type": "colour"}, {}, "The type of a in the schema is unknown and not checked: colour"),
        ({"type": "date", "format": "dd/mm"}, {}, "The format of a in the schema is unknown"),
        ({"constraints": {"pattern": "("}}, {}, "The pattern of a in the schema is invalid"),
        ({"type": "date", "constraints": {"minimum": "x"}}, {}, "which is not a date: not checked"),
        ({"type": "date", "constraints": {"minLength": 2}}, {}, "which is no text: not checked"),
        ({}, {"primaryKey": "z"}, "primary key has no such field and is not checked: z"),
        ({}, {"primaryKey": [{"a": 1}]}, "primary key has no such field and is not checked"),
        ({}, {"foreignKeys": [{"fields": "a"}]}, "The schema has foreignKeys, which are not"),
    ],
)
def test_rules_that_are_not_checked_are_noted(
    field: dict[str, Any], more: dict[str, Any], note: str
) -> None:
    found = check(table({"name": "a", **field}, **more), "a\n2026-05-31\n")
    assert note in " ".join(found.notes)
    assert not found.findings
