"""XML against XSD, without any other document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.schema_check.support import check

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
PARKS = f"""<xs:schema {XS}>
<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]+"/>
</xs:restriction></xs:simpleType>
<xs:element name="parks"><xs:complexType><xs:sequence>
<xs:element name="park" maxOccurs="unbounded"><xs:complexType><xs:sequence>
<xs:element name="name" type="xs:string"/>
<xs:element name="size" type="xs:decimal" minOccurs="0"/>
<xs:element name="code" type="Code" minOccurs="0"/>
</xs:sequence><xs:attribute name="id" type="xs:int"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element></xs:schema>"""


def _parks(*parks: str) -> str:
    return "<parks>\n" + "\n".join(parks) + "\n</parks>"


def test_a_valid_document() -> None:
    assert check(PARKS, _parks('<park id="1"><name>A</name><size>1.5</size></park>')).is_valid


@pytest.mark.parametrize(
    ("park", "column", "found", "expected"),
    [
        ("<park><name>A</name><size>big</size></park>", "size", "big", "of the type decimal"),
        ("<park><name>A</name><code>a1</code></park>", "code", "a1", "pattern"),
        ('<park id="x"><name>A</name></park>', "park/@id", "x", "of the type int"),
        ("<park><size>1</size></park>", "size", "size", "the element name"),
        ("<park><name>A</name><more/></park>", "more", "more", "the element size, code"),
        ("<park/>", "park", "park", "the element name"),
    ],
)
def test_an_error_has_line_element_and_expectation(
    park: str, column: str, found: str, expected: str
) -> None:
    result = check(PARKS, _parks("<park><name>A</name></park>", park))
    assert len(result.findings) == 1
    finding = result.findings[0]
    assert (finding.row, finding.column, finding.found) == (3, column, found)
    assert expected in finding.expected


@pytest.mark.parametrize("tag", ["include", "redefine"])
def test_an_included_file_is_not_read(tag: str, tmp_path: Path) -> None:
    other = tmp_path / "other.xsd"
    other.write_text(f'<xs:schema {XS}><xs:element name="b"/></xs:schema>')
    schema = f'<xs:schema {XS}><xs:{tag} schemaLocation="{other}"/><xs:element ref="b" name="a"/>'
    schema = schema.replace('ref="b" ', "") + "</xs:schema>"
    found = check(schema, "<b/>")
    assert found.notes == [f"The schema needs {other}, which is not fetched."]
    assert found.findings  # b is not known


@pytest.mark.parametrize("place", ["/etc/passwd", "http://127.0.0.1:1/a.xsd", "a.xsd"])
def test_a_schema_that_needs_another_says_which(place: str) -> None:
    schema = (
        f'<xs:schema {XS} xmlns:o="urn:o"><xs:import namespace="urn:o" schemaLocation="{place}"/>'
        '<xs:element name="a" type="o:T"/></xs:schema>'
    )
    found = check(schema, "<a/>")
    assert found.reason.startswith(f"The schema needs {place}, which is not fetched")


def test_an_invalid_xml_schema_has_a_reason() -> None:
    schema = f'<xs:schema {XS}><xs:element name="a" type="None"/></xs:schema>'
    assert check(schema, "<a/>").reason.startswith("The schema is no valid XML schema: ")


@pytest.mark.parametrize(
    ("data", "reason", "codes"),
    [
        ("<parks><park></parks>", "", ["xml-syntax"]),
        ("name\nx\n", "The file is not read: the document is not well-formed XML", []),
        ("<html><title>Sign in</title></html>", "an HTML page instead of XML", []),
        ("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "DOCTYPE", []),
        (" " * 2000 + "<parks/>", "larger than", []),
    ],
)
def test_a_file_of_another_format_has_a_reason(data: str, reason: str, codes: list[str]) -> None:
    found = check(PARKS, data, tree_bytes=1000)
    assert reason in found.reason
    assert found.codes == codes


def test_names_without_their_namespace_are_shown() -> None:
    schema = PARKS.replace("<xs:schema ", '<xs:schema targetNamespace="urn:p" xmlns="urn:p" ')
    found = check(schema, '<p:parks xmlns:p="urn:p"/>')
    assert found.findings[0].column == "parks"
