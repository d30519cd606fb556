"""Check an XML document against an XML schema (XSD 1.0), without reading any other document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.schema_check.collector import Collector, Unchecked

_XS = "{http://www.w3.org/2001/XMLSchema}"
_NAMESPACE = re.compile(r"\{[^{}]*\}")
_ELEMENT = re.compile(r"Element '([^']+)'(?:, attribute '([^']+)')?: (.*)", re.DOTALL)
_VALUE = re.compile(r"'([^']*)' is not|The value '([^']*)'")
_WANTED = re.compile(r"Expected is (?:one of )?\(\s*(.*?)\s*\)")
_TYPE = re.compile(r"is not a valid value of the (?:\w+ )?type '?(?:xs:)?([^']+)")


def check(data: IO[bytes], schema: etree._Element, collector: Collector) -> None:
    """Check a document.

    Raises:
        Unchecked: the document is no XML or too large, or the schema cannot be used by itself.
    """
    left_out = list(_without_other_documents(schema))
    for address in left_out:
        collector.note(f"The schema needs {shorten(address, 120)}, which is not fetched.")
    try:
        compiled = etree.XMLSchema(schema)
    except etree.XMLSchemaParseError as exc:
        raise Unchecked(_unusable(str(exc), left_out)) from exc
    root = _read(data, collector)
    if root is None:
        return
    if not compiled.validate(root):
        log: Any = compiled.error_log  # lxml's stubs do not know that it can be iterated over
        before = ""
        for error in log:
            # A broken facet is followed by a message that the value is wrong.
            if not ("[facet" in before and _TYPE.search(error.message)):
                _report(error, collector)
            before = error.message


def _unusable(why: str, left_out: list[str]) -> str:
    why = shorten(_NAMESPACE.sub("", why).split(", line ")[0].rstrip("."), 200)
    if left_out:
        return f"The schema needs {shorten(left_out[0], 120)}, which is not fetched: {why}."
    return f"The schema is no valid XML schema: {why}."


def _without_other_documents(schema: etree._Element) -> Iterator[str]:
    """Take the addresses of other documents out of a schema; yield them.

    libxml2 would read them from this machine or the network.
    """
    for name in ("include", "redefine", "override"):
        for element in list(schema.iterchildren(_XS + name)):
            yield element.get("schemaLocation", name)
            schema.remove(element)
    for element in schema.iterchildren(_XS + "import"):
        if location := element.attrib.pop("schemaLocation", ""):
            yield str(location)


def _read(data: IO[bytes], collector: Collector) -> etree._Element | None:
    data.seek(0)
    content = data.read(collector.limits.tree_bytes + 1)
    if len(content) > collector.limits.tree_bytes:
        size = collector.limits.tree_bytes / 1024 / 1024
        raise Unchecked(f"The file is larger than {size:.4g} MB, the most for JSON and XML.")
    try:
        return xml.parse(content)
    except ParseError as exc:
        if exc.code in ("html", "doctype") or not content.lstrip().startswith(b"<"):
            line = f" (line {exc.line})" if exc.line else ""
            raise Unchecked(f"The file is not read: {exc.message}{line}.") from exc
        why = exc.message.removeprefix("the document is not well-formed XML: ")
        collector.error("xml-syntax", f"well-formed XML ({why})", row=exc.line or 0)
        return None


def _report(error: Any, collector: Collector) -> None:
    """Report an error of libxml2: "Element 'size': 'x' is not a valid value of …"."""
    match = _ELEMENT.match(error.message)
    element, attribute, why = match.groups() if match else ("", "", error.message)
    why = _NAMESPACE.sub("", why).strip().rstrip(".")
    name = _NAMESPACE.sub("", f"{element}/@{attribute}" if attribute else element)
    value = _VALUE.search(why)
    shown = next(filter(None, value.groups()), "") if value else ""
    expected = why
    if wanted := _WANTED.search(why):
        shown, expected = name, f"the element {wanted[1]}"
    elif kind := _TYPE.search(why):
        expected = f"a value of the type {kind[1]}"
    code = error.type_name.removeprefix("SCHEMAV_").lower().replace("_", "-")
    collector.error(code, expected, row=error.line or 0, column=name, found=shown)
