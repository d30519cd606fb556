"""Requests to a CSW 2.0.2 (OGC 07-006r1): each as XML for POST and SOAP, and as a query for GET.

GetCapabilities: section 10.4, GetRecords: 10.8, GetRecordById: 10.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.http.urls import with_query, without_parameters
from ckanext.ukharvest.readers.csw.filters import Wanted
from ckanext.ukharvest.readers.csw.names import CSW, GMD, MDB, OGC, PREFIXES, SCHEMAS
from ckanext.ukharvest.readers.csw.ways import Way

# Parameters that requests set themselves; others in a source's URL belong to the server.
_OURS = re.compile(
    r"service|request|version|accept(?:versions|formats)|sections|updatesequence|resulttype"
    r"|output(?:format|schema)|namespace|typenames?|element(?:set)?name|sortby|startposition"
    r"|constraint(?:language|_language_version)?|maxrecords|distributedsearch|hopcount",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One request, in both of its forms.

    Attributes:
        name: of the operation, for messages.
        body: as an XML document.
        query: as query parameters.
    """

    name: str
    body: bytes
    query: Mapping[str, str | int]


def get_capabilities() -> Operation:
    """Return the request for the server's description of itself."""
    root = etree.Element(f"{{{CSW}}}GetCapabilities", nsmap={"csw": CSW}, service="CSW")
    query = {"service": "CSW", "request": "GetCapabilities", "acceptVersions": "2.0.2"}
    return Operation("GetCapabilities", _bytes(root), query)


def get_records(
    way: Way, wanted: Wanted, *, start: int, size: int, result: str = "results"
) -> Operation:
    """Return the request for a page; with the result "hits", for the number of records alone."""
    return Operation(
        "GetRecords",
        records_body(way, wanted, start=start, size=size, result=result),
        records_query(way, wanted, start=start, size=size, result=result),
    )


def get_record_by_id(identifier: str, schema: str = GMD) -> Operation:
    """Return the request for one whole record in an outputSchema."""
    body = record_body(identifier, schema)
    return Operation("GetRecordById", body, _record_query(identifier, schema))


def endpoint(url: str) -> str:
    """Return the URL for requests, without the query parameters of a pasted request."""
    return without_parameters(url, _OURS)


def records_body(
    way: Way, wanted: Wanted, *, start: int, size: int, result: str = "results"
) -> bytes:
    """Return GetRecords as an XML document."""
    root = _operation("GetRecords", way.model.type_name)
    root.set("resultType", result)
    root.set("outputFormat", "application/xml")
    root.set("outputSchema", _schema(way))
    root.set("startPosition", str(start))
    root.set("maxRecords", str(size))
    query = etree.SubElement(root, f"{{{CSW}}}Query", typeNames=way.model.type_name)
    etree.SubElement(query, f"{{{CSW}}}ElementSetName").text = _element_set(way)
    _add_constraint(query, way, wanted)
    if way.is_sorted:
        by = etree.SubElement(query, f"{{{OGC}}}SortBy")
        one = etree.SubElement(by, f"{{{OGC}}}SortProperty")
        etree.SubElement(one, f"{{{OGC}}}PropertyName").text = way.model.identifier
        etree.SubElement(one, f"{{{OGC}}}SortOrder").text = "ASC"
    if wanted.xml:
        given = wanted.combined_xml(way.model).encode("ascii", "xmlcharrefreplace")
        return _bytes(root).replace(_PLACE, given)
    return _bytes(root)


# Stands for a source's own filter, whose text is put there (see ``Wanted.combined_xml``).
_PLACE = b"<ogc:Filter/>"


def _add_constraint(query: etree._Element, way: Way, wanted: Wanted) -> None:
    condition = wanted.filter(way.model)
    if wanted.xml:
        condition = etree.Element(f"{{{OGC}}}Filter")
    if not wanted.cql and condition is None:
        return
    constraint = etree.SubElement(query, f"{{{CSW}}}Constraint", version="1.1.0")
    if wanted.cql:
        etree.SubElement(constraint, f"{{{CSW}}}CqlText").text = wanted.text(way.model)
    elif condition is not None:
        constraint.append(condition)


def records_query(
    way: Way, wanted: Wanted, *, start: int, size: int, result: str = "results"
) -> dict[str, str | int]:
    """Return GetRecords as query parameters."""
    found: dict[str, str | int] = {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecords",
        "resultType": result,
        "outputSchema": _schema(way),
        "typeNames": way.model.type_name,
        "elementSetName": _element_set(way),
        "startPosition": start,
        "maxRecords": size,
    }
    if way.is_sorted:
        found["sortBy"] = f"{way.model.identifier}:A"
    language, constraint = _constraint_text(way, wanted)
    if constraint:
        found["constraintLanguage"] = language
        found["constraint_language_version"] = "1.1.0"
        found["constraint"] = constraint
    return found


def _constraint_text(way: Way, wanted: Wanted) -> tuple[str, str]:
    """Return the condition's language and text, "" for no condition."""
    if wanted.cql:
        return "CQL_TEXT", wanted.text(way.model)
    if wanted.xml:
        return "FILTER", wanted.combined_xml(way.model)
    condition = wanted.filter(way.model)
    return "FILTER", "" if condition is None else etree.tostring(condition, encoding="unicode")


def record_url(base: str, identifier: str, schema: str = GMD) -> str:
    """Return the URL of one whole record, which people can open as well."""
    return with_query(base, _record_query(identifier, schema))


def _record_query(identifier: str, schema: str) -> dict[str, str | int]:
    return {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecordById",
        "elementSetName": "full",
        "outputSchema": schema,
        "id": identifier,
    }


def record_body(identifier: str, schema: str = GMD) -> bytes:
    """Return GetRecordById as an XML document."""
    root = _operation("GetRecordById")
    root.set("outputFormat", "application/xml")
    root.set("outputSchema", schema)
    etree.SubElement(root, f"{{{CSW}}}Id").text = identifier
    etree.SubElement(root, f"{{{CSW}}}ElementSetName").text = "full"
    return _bytes(root)


def _operation(name: str, type_name: str = "") -> etree._Element:
    prefixes = {**PREFIXES, "mdb": MDB} if type_name.startswith("mdb:") else PREFIXES
    return etree.Element(f"{{{CSW}}}{name}", nsmap=prefixes, service="CSW", version="2.0.2")


def _schema(way: Way) -> str:
    return SCHEMAS[way.schema] if way.is_full else CSW


def _element_set(way: Way) -> str:
    # Brief records of Dublin Core lack dct:modified, which tells unchanged records.
    return "full" if way.is_full else "summary"


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
