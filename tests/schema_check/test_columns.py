"""csvlint's dialect: each of its documented rules, and where we differ, with the reason.

The documentation is csvlint's README, "Schema Validation" and "JSON Table Schema Support".
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema_check.support import XSD, check, lint

# Constraints, value, the code of our finding or "". Where csvlint says otherwise: what it says.
RULES: list[tuple[dict[str, Any], str, str]] = [
    # required: there must be a value in every row
    ({"required": True}, "x", ""),
    ({"required": True}, "", "required"),
    ({"required": True}, " ", ""),
    ({"required": False}, "", ""),
    ({"required": "true"}, "", "required"),  # csvlint ignores text: see DIFFERENCES
    ({"required": "false"}, "", ""),
    # minLength, maxLength: number of characters; an empty value is too short as well
    ({"minLength": 2}, "ab", ""),
    ({"minLength": 2}, "a", "min-length"),
    ({"minLength": 2}, "", "min-length"),
    ({"maxLength": 2}, "ab", ""),
    ({"maxLength": 2}, "abc", "max-length"),
    ({"maxLength": 2}, "", ""),
    ({"maxLength": 2}, "éé", ""),
    # pattern: anywhere in the text, and for empty values, too
    ({"pattern": "[A-Z]{2}"}, "AB", ""),
    ({"pattern": "[A-Z]{2}"}, "xABx", ""),
    ({"pattern": "^[A-Z]{2}$"}, "xABx", "pattern"),
    ({"pattern": "^[A-Z]{2}$"}, "", "pattern"),
    ({"pattern": "(^$)|(^[A-Z]{2}$)"}, "", ""),
    ({"pattern": r"\A\d+\z"}, "12", ""),
    ({"pattern": r"\A\d+\z"}, "12\n", "pattern"),
    ({"pattern": r"(?<year>\d{4})"}, "2026", ""),
    ({"pattern": r"^\h+$"}, "0aF", ""),
    # type: a value of XML Schema's type; an empty value is one of any type
    ({"type": "string"}, "anything", ""),
    ({"type": "int"}, "12", ""),
    ({"type": "int"}, "-12", ""),
    ({"type": "int"}, " 12 ", ""),
    ({"type": "int"}, "12.0", "type"),
    ({"type": "int"}, "1,200", "type"),
    ({"type": "int"}, "", ""),
    ({"type": "integer"}, "12345678901234567890", ""),
    ({"type": "float"}, "12.5", ""),
    ({"type": "float"}, "1e3", ""),
    ({"type": "float"}, " 12.5", ""),
    ({"type": "float"}, "12,50", "type"),
    ({"type": "float"}, "£12", "type"),
    ({"type": "double"}, "x", "type"),
    ({"type": "nonNegativeInteger"}, "0", ""),
    ({"type": "nonNegativeInteger"}, "-1", "type"),
    ({"type": "positiveInteger"}, "0", "type"),
    ({"type": "nonPositiveInteger"}, "0", ""),
    ({"type": "nonPositiveInteger"}, "1", "type"),
    ({"type": "negativeInteger"}, "0", "type"),
    ({"type": "anyURI"}, "http://example.org/", ""),
    ({"type": "anyURI"}, "https://example.org/a?b=c#d", ""),
    ({"type": "anyURI"}, "ftp://example.org/", "type"),
    ({"type": "anyURI"}, "www.example.org", "type"),
    ({"type": "boolean"}, "true", ""),
    ({"type": "boolean"}, "0", ""),
    ({"type": "boolean"}, "true ", "type"),
    ({"type": "boolean"}, "TRUE", "type"),
    ({"type": "boolean"}, "yes", "type"),
    ({"type": "dateTime"}, "2026-05-31T10:00:00Z", ""),
    ({"type": "dateTime"}, "2026-05-31 10:00", "type"),
    ({"type": "date"}, "2026-05-31", ""),
    ({"type": "date"}, "2026-5-31", "type"),
    ({"type": "date"}, "2026-02-30", "type"),
    ({"type": "date"}, "31/05/2026", "type"),
    ({"type": "time"}, "10:30:00", ""),
    ({"type": "time"}, "25:30:00", "type"),
    ({"type": "gYear"}, "2026", ""),
    ({"type": "gYear"}, "26", "type"),
    ({"type": "gYearMonth"}, "2026-05", ""),
    ({"type": "gYearMonth"}, "05-2026", "type"),
    # datePattern: as in strftime
    ({"type": "date", "datePattern": "%d/%m/%Y"}, "31/05/2026", ""),
    ({"type": "date", "datePattern": "%d/%m/%Y"}, "5/31/2026", "type"),
    ({"type": "date", "datePattern": "%-d %b %Y"}, "1 May 2026", ""),
    # minimum, maximum: read as the type says; nothing without a type
    ({"type": "int", "minimum": "5"}, "5", ""),
    ({"type": "int", "minimum": 5}, "4", "minimum"),
    ({"type": "int", "maximum": "5"}, "6", "maximum"),
    ({"type": "float", "maximum": 5}, "5.5", "maximum"),
    ({"type": "date", "minimum": "2026-01-01"}, "2025-12-31", "minimum"),
    ({"type": "date", "datePattern": "%d/%m/%Y", "maximum": "31/12/2026"}, "01/01/2027", "maximum"),
    ({"minimum": 5}, "4", ""),
]


@pytest.mark.parametrize(("constraints", "value", "code"), RULES)
def test_a_rule(constraints: dict[str, Any], value: str, code: str) -> None:
    schema = lint(("value", constraints), ("other", {"type": "string"}))
    cell = '"' + value.replace('"', '""') + '"'
    found = check(schema, f"value,other\n{cell},x\n")
    assert found.reason == ""
    assert found.found == ([(2, "value", code)] if code else [])


# What csvlint's code does, what we do, and why.
DIFFERENCES: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("valid", {"required": "true"}, "", "required", "the LGA's schemas mean it; noted"),
    ("type", {"type": "URI"}, "http://example.org/", "", "an error of the schema; noted once"),
    ("type", {"type": "colour"}, "red", "", "an unknown type says nothing of the data; noted"),
    ("type", {"type": "decimal"}, "1.5", "", "a type of XML Schema that csvlint lacks"),
    ("type", {"type": "float"}, ".5", "", "a float of XML Schema, which Ruby does not read"),
    ("type", {"type": "float"}, "INF", "", "a float of XML Schema, which Ruby does not read"),
    ("valid", {"type": "int"}, "1_000", "type", "Ruby's own number; no int of XML Schema"),
    ("valid", {"type": "int"}, "0x1F", "type", "Ruby's own number; no int of XML Schema"),
    ("valid", {"type": "float"}, "1_0.5", "type", "Ruby's own number; no float of XML Schema"),
]


@pytest.mark.parametrize(("csvlint", "constraints", "value", "code", "why"), DIFFERENCES)
def test_a_difference_from_csvlint(
    csvlint: str, constraints: dict[str, Any], value: str, code: str, why: str
) -> None:
    schema = lint(("value", constraints), ("other", {"type": "string"}))
    found = check(schema, f"value,other\n{value},x\n")
    assert found.codes == ([code] if code else [])
    assert bool(found.notes) == ("noted" in why)
    assert csvlint != (code or "valid")


def test_a_value_that_occurs_twice_names_the_first_row() -> None:
    schema = lint(("id", {"unique": True, "type": "string"}))
    found = check(schema, "id\na\nb\na\n")
    assert found.found == [(4, "id", "unique")]
    assert "row 2 has it, too" in found.findings[0].expected


def test_two_empty_values_are_one_value_twice() -> None:
    schema = lint(("id", {"unique": True}), ("x", {"type": "string"}))
    assert check(schema, "id,x\n,a\n,b\n").codes == ["unique"]


def test_string_booleans_are_read_and_noted() -> None:
    schema = lint(("a", {"required": "true"}), ("b", {"required": "false"}), ("c", {"type": "int"}))
    found = check(schema, "a,b,c\n,,1\n")
    assert found.found == [(2, "a", "required")]
    assert found.notes == [
        "The schema has 'required' as the text \"true\" instead of true; it is read as true.",
        "The schema has 'required' as the text \"false\" instead of false; it is read as false.",
    ]


@pytest.mark.parametrize(
    ("constraints", "note"),
    [
        ({"pattern": "("}, "The pattern of value in the schema is invalid and not checked"),
        ({"minLength": "two"}, "'minLength' of value as two: not checked"),
        ({"required": "maybe"}, "'required' of value as maybe: not checked"),
        ({"type": "anyURI", "minimum": "few"}, "'minimum' of value as few: not checked"),
        (
            {"type": "date", "datePattern": "%Q"},
            "The datePattern of value in the schema is unknown",
        ),
        ({"type": XSD + "colour"}, "The type of value in the schema is unknown"),
    ],
)
def test_a_rule_that_is_unclear_is_noted_and_not_checked(
    constraints: dict[str, Any], note: str
) -> None:
    schema = lint(("value", constraints), ("other", {"type": "string"}))
    found = check(schema, "value,other\nhttp://example.org/,y\n")
    assert found.is_valid
    assert len(found.notes) == 1
    assert note in found.notes[0]


@pytest.mark.parametrize(
    ("header", "codes", "note"),
    [
        ("Supplier,Amount", [], ""),
        ("supplier,AMOUNT", [], "The column 'supplier' is called 'Supplier' in the schema."),
        ("Supplier ,Amount", [], ""),
        ("Amount,Supplier", [], ""),
        ("Supp lier,Amount", [], "The column 'Supp lier' is called 'Supplier'"),
        ("Supplier,Amount,Notes", [], "The schema does not have 1 column: Notes."),
        ("Amount", ["missing-label"], ""),
        ("Suplier,Amount", ["missing-label"], "The schema does not have 1 column: Suplier."),
        ("Supplier", [], "The file lacks 1 optional column: Amount."),
        ("Supplier,Amount,Amount", ["duplicate-label"], ""),
        ("Supplier,,Amount", ["blank-label"], ""),
        ("first,second", ["no-header"], ""),
    ],
)
def test_a_header_is_matched_by_name(header: str, codes: list[str], note: str) -> None:
    schema = lint(("Supplier", {"required": True}), ("Amount", {"type": "float"}))
    cells = ",".join("12" for _ in header.split(","))
    found = check(schema, f"{header}\n{cells}\n")
    assert found.codes == codes
    assert note in " ".join(found.notes)
    if "Suplier" in header:
        assert found.findings[0].found == "Suplier"


def test_columns_are_checked_by_name_in_any_order() -> None:
    schema = lint(("name", {"required": True}), ("amount", {"type": "float"}))
    assert check(schema, "amount,name\nx,Leeds\n").found == [(2, "amount", "type")]
