"""Schemas are recognised by their content; unusable ones are reported with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.schema_check.support import XSD, check, lint, table

LINT = lint(("name", {"required": True, "type": "string"}))
XS = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"/></xs:schema>'
DRAFT = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "data", "name"),
    [
        (LINT, "name\nx\n", "csvlint"),
        ({"fields": [{"name": "name", "constraints": {"required": True}}]}, "name\nx\n", "csvlint"),
        ({"fields": [{"name": "name"}]}, "name\nx\n", "csvlint"),
        (table({"name": "name"}), "name\nx\n", "tableschema"),
        ({"fields": [{"name": "name"}], "missingValues": ["-"]}, "name\nx\n", "tableschema"),
        ({"$schema": DRAFT}, "{}", "json-schema"),
        ({"type": "object"}, "{}", "json-schema"),
        ({"properties": {}}, "{}", "json-schema"),
        (XS, "<a/>", "xsd"),
        (XS.encode("utf-16"), "<a/>", "xsd"),
        (f'<?xml version="1.0"?>\n<!-- ours -->\n{XS}', "<a/>", "xsd"),
    ],
)
def test_the_content_decides_the_type_of_a_schema(schema: Any, data: str, name: str) -> None:
    found = check(schema, data)
    assert found.is_valid
    assert found.values["schema_type"] == name


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-16"])
def test_the_lgas_encodings_are_read(codec: str) -> None:
    found = check(json.dumps(LINT).encode(codec), "name\n\nx\n")
    assert found.codes == ["blank-row"]
    assert bool(found.notes) == (codec != "utf-8")


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (b"", "The schema is empty."),
        (b"\x00\x00", "The schema is empty."),
        (
            '{"fields": [{"pattern": "\\d"}]}',
            "not valid JSON (line 1, column 26: Invalid \\escape)",
        ),
        ("<html><title>404</title></html>", "leads to a web page, “404”; expected a Table Schema"),
        ("<a>", "The schema is invalid: the document is not well-formed XML"),
        ("<a/>", "an XML document with the root a, which is not supported"),
        ("<SchemaRestDefinition/>", "DataShare's description of a schema, which is not supported"),
        ("[1]", "JSON but not an object"),
        ('"text"', "JSON but not an object"),
        ({"a": 1}, "JSON of an unknown type"),
        ({"fields": []}, "has no fields"),
        ({"fields": ["name"]}, "has no fields"),
        ({"fields": [{"title": "x"}]}, "Field 1 of the schema has no name."),
        ({"@context": "http://www.w3.org/ns/csvw", "url": "a.csv"}, "is CSV on the Web"),
        ({"tableSchema": {"columns": []}}, "is CSV on the Web"),
        ({"resources": []}, "is a data package"),
        ("[" * 200, "is nested more than 100 levels deep"),
        (b"PK\x03\x04\x00\x00", "not valid JSON"),
    ],
)
def test_a_file_that_is_no_schema_has_a_reason(schema: Any, reason: str) -> None:
    found = check(schema, "name\nx\n")
    assert reason in found.reason
    assert not found.findings


def test_a_large_schema_is_not_read() -> None:
    found = check(json.dumps(LINT) + " " * 200, "name\nx\n", schema_bytes=200)
    assert "larger than" in found.reason


def test_billion_laughs_are_refused() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]>'
    assert check(f"{bomb}<a>&l9;</a>", "<a/>").reason.startswith("The schema is invalid: ")
    assert check(XS, f"{bomb}<a>&l9;</a>").codes == ["xml-syntax"]
    assert "DOCTYPE" in check(f"{bomb}<a/>", "<a/>").reason
    assert "DOCTYPE" in check(XS, f"{bomb}<a/>").reason


def test_a_type_of_xml_schema_makes_it_the_lgas_dialect() -> None:
    schema = {"fields": [{"name": "n", "constraints": {"type": XSD + "int"}}, {"name": "m"}]}
    assert check(schema, "n,m\nx,y\n").found == [(2, "n", "type")]
