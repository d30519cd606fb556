"""Requests to a CSW 2.0.2 (OGC 07-006r1), and the ways to send them.

Each as XML for POST and SOAP, and as a query for GET. GetCapabilities: section 10.4, GetRecords:
10.8, GetRecordById: 10.9. SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 (W3C Recommendation of 27
April 2007) have in their bodies what is sent without an envelope.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import with_query, without_parameters
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.csw.filters import (
    CSW,
    DUBLIN_CORE,
    GMD,
    ISO,
    ISO_3,
    MDB,
    OGC,
    PREFIXES,
    SCHEMAS,
    Model,
    Wanted,
)
from ckanext.ukharvest.readers.xml_document import ACCEPT

# Sends one request, the same each time; ``allow_status``: statuses of an error that are no failure.
Send = Callable[..., Reply]

SOAP_12 = "SOAP 1.2"
SOAP_11 = "SOAP 1.1"
# How a version is sent: namespace, media type, and further headers. Servers that check the action
# take an empty one for that of the body's element.
SOAP: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    SOAP_11: (
        "http://schemas.xmlsoap.org/soap/envelope/",
        "text/xml; charset=utf-8",
        {"SOAPAction": '""'},
    ),
    SOAP_12: ("http://www.w3.org/2003/05/soap-envelope", "application/soap+xml; charset=utf-8", {}),
}
# The option method → methods, in their order.
METHODS = {
    "auto": ("POST", "GET"),
    "post": ("POST",),
    "get": ("GET",),
    "soap-1.1": (SOAP_11,),
    "soap-1.2": (SOAP_12,),
}
_KNOWN = re.compile(r"(POST|GET|SOAP 1\.[12])(?: at (\S+))? \S+:\S+ ")
# ISO 19139 before Dublin Core, sorted before unsorted, whole records before a list of them.
_CONTENTS = (
    (ISO, True, True),
    (DUBLIN_CORE, True, True),
    (ISO, False, True),
    (DUBLIN_CORE, False, True),
    (DUBLIN_CORE, True, False),
    (DUBLIN_CORE, False, False),
)


@dataclass(frozen=True, slots=True)
class Binding:
    """How a server takes requests.

    Attributes:
        method: POST, GET, SOAP 1.1 or SOAP 1.2.
        url: the URL that the server declares for it; "" for the source's own.
    """

    method: str
    url: str = ""

    @property
    def is_soap(self) -> bool:
        """Tell whether requests are sent in an envelope."""
        return self.method in SOAP

    def __str__(self) -> str:
        return f"{self.method} at {self.url}" if self.url else self.method


@dataclass(frozen=True, slots=True)
class Way:
    """One way to request records; servers differ in those they support.

    Attributes:
        method, url: as of a Binding.
        is_sorted: requests the records in the order of identifiers, so that pages neither
            overlap nor leave anything out.
        is_full: whole records; else summaries in Dublin Core, for their identifiers and stamps.
        schema: of whole records, a key of SCHEMAS.
    """

    method: str
    model: Model
    is_sorted: bool = True
    is_full: bool = True
    url: str = ""
    schema: str = "gmd"

    @property
    def binding(self) -> Binding:
        """Return its binding."""
        return Binding(self.method, self.url)

    @property
    def output_schema(self) -> str:
        """Return the schema of its records: a URI."""
        return SCHEMAS[self.schema] if self.is_full else CSW

    def __str__(self) -> str:
        sort = f"sorted by {self.model.identifier}" if self.is_sorted else "unsorted"
        content = "full" if self.is_full else "summary"
        content += "" if self.schema == "gmd" else f"-{self.schema}"
        return f"{self.binding} {self.model.type_name} {sort} {content}"


def ways(method: str, known: str = "", schema: str = "auto") -> list[Way]:
    """Return the ways at the source's own URL, but before them the one that worked last time.

    Args:
        method: the option, a key of METHODS.
        known: the text of a way.
        schema: the option, a key of SCHEMAS or auto.
    """
    usual = [Binding(name) for name in METHODS[method]]
    saved = find_binding(known)
    if saved is not None and saved not in usual and allows(method, saved):
        usual.insert(0, saved)
    return sorted(ways_by(usual, known, schema), key=lambda way: str(way) != known)


def ways_by(bindings: Iterable[Binding], known: str = "", schema: str = "auto") -> list[Way]:
    """Return all ways by some bindings, the best first.

    A catalogue that returned whole records is never asked for a list, nor the reverse, and never
    for another schema by itself: its records may have other identifiers there, and every dataset
    would be imported twice.
    """
    schema = schema_of(known) if schema == "auto" else schema
    contents: Iterable[tuple[Model, bool, bool]] = _CONTENTS
    if schema != "gmd":
        models = (ISO_3 if schema == "iso19115-3" else ISO, DUBLIN_CORE)
        models = models[::-1] if schema == "csw" else models
        contents = [(model, is_sorted, True) for is_sorted in (True, False) for model in models]
    possible = [
        Way(binding.method, model, is_sorted, is_full, binding.url, schema)
        for binding in bindings
        for model, is_sorted, is_full in contents
    ]
    ending = f" {known.rpartition(' ')[2]}"
    return [way for way in possible if str(way).endswith(ending)] or possible


def schema_of(known: str) -> str:
    """Return the schema of whole records in the text of a way."""
    schema = known.rpartition(" ")[2].partition("-")[2]
    return schema if schema in SCHEMAS else "gmd"


def find_binding(known: str) -> Binding | None:
    """Return the binding in the text of a way, None if it is another text."""
    match = _KNOWN.match(known)
    return Binding(match[1], match[2] or "") if match else None


def allows(method: str, binding: Binding) -> bool:
    """Tell whether the option method allows a binding; auto allows all."""
    return method == "auto" or binding.method in METHODS[method]


# Parameters that requests set themselves; others in a source's URL belong to the server.
_OURS = re.compile(
    r"service|request|version|accept(?:versions|formats)|sections|updatesequence|resulttype"
    r"|output(?:format|schema)|namespace|typenames?|element(?:set)?name|sortby|startposition"
    r"|constraint(?:language|_language_version)?|maxrecords|distributedsearch|hopcount",
    re.IGNORECASE,
)
# Stands for a source's own filter, whose text is put there (see ``Wanted.filter``).
_PLACE = b"<ogc:Filter/>"
_SOAP_ACCEPT = "application/soap+xml, text/xml, application/xml;q=0.9, */*;q=0.1"
_DECLARATION = re.compile(rb"\A<\?xml[^>]*\?>\s*")


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
    type_name = way.model.type_name
    # Brief records of Dublin Core lack dct:modified, which tells unchanged records.
    element_set = "full" if way.is_full else "summary"
    root = _operation(
        "GetRecords",
        type_name,
        resultType=result,
        outputFormat="application/xml",
        outputSchema=way.output_schema,
        startPosition=str(start),
        maxRecords=str(size),
    )
    element = etree.SubElement(root, f"{{{CSW}}}Query", typeNames=type_name)
    etree.SubElement(element, f"{{{CSW}}}ElementSetName").text = element_set
    query: dict[str, str | int] = {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecords",
        "resultType": result,
        "outputSchema": way.output_schema,
        "typeNames": type_name,
        "elementSetName": element_set,
        "startPosition": start,
        "maxRecords": size,
    }
    if way.is_sorted:
        query["sortBy"] = f"{way.model.identifier}:A"
    condition = wanted.text(way.model) if wanted.cql else wanted.filter(way.model)
    if condition:
        query["constraintLanguage"] = "CQL_TEXT" if wanted.cql else "FILTER"
        query["constraint_language_version"] = "1.1.0"
        query["constraint"] = condition
        constraint = etree.SubElement(element, f"{{{CSW}}}Constraint", version="1.1.0")
        if wanted.cql:
            etree.SubElement(constraint, f"{{{CSW}}}CqlText").text = condition
        else:
            own = etree.Element(f"{{{OGC}}}Filter")
            constraint.append(own if wanted.xml else xml.parse(condition))
    if way.is_sorted:
        by = etree.SubElement(element, f"{{{OGC}}}SortBy")
        one = etree.SubElement(by, f"{{{OGC}}}SortProperty")
        etree.SubElement(one, f"{{{OGC}}}PropertyName").text = way.model.identifier
        etree.SubElement(one, f"{{{OGC}}}SortOrder").text = "ASC"
    body = _bytes(root)
    if wanted.xml:
        body = body.replace(_PLACE, condition.encode("ascii", "xmlcharrefreplace"))
    return Operation("GetRecords", body, query)


def get_record_by_id(identifier: str, schema: str = GMD) -> Operation:
    """Return the request for one whole record in an outputSchema."""
    root = _operation("GetRecordById", outputFormat="application/xml", outputSchema=schema)
    etree.SubElement(root, f"{{{CSW}}}Id").text = identifier
    etree.SubElement(root, f"{{{CSW}}}ElementSetName").text = "full"
    return Operation("GetRecordById", _bytes(root), _record_query(identifier, schema))


def _record_query(identifier: str, schema: str) -> dict[str, str | int]:
    return {
        "service": "CSW",
        "version": "2.0.2",
        "request": "GetRecordById",
        "elementSetName": "full",
        "outputSchema": schema,
        "id": identifier,
    }


def record_url(base: str, identifier: str, schema: str = GMD) -> str:
    """Return the URL of one whole record, which people can open as well."""
    return with_query(base, _record_query(identifier, schema))


def endpoint(url: str) -> str:
    """Return the URL for requests, without the query parameters of a pasted request."""
    return without_parameters(url, _OURS)


def sender(http: HttpClient, base: str, binding: Binding, operation: Operation) -> Send:
    """Return what sends an operation.

    Args:
        base: the source's own URL, for a binding without one.
    """
    url = binding.url or base
    if binding.method == "GET":
        return lambda **how: http.get(url, params=operation.query, accept=ACCEPT, **how)
    if not binding.is_soap:
        return lambda **how: http.post(
            url,
            body=operation.body,
            content_type="application/xml",
            accept=ACCEPT,
            idempotent=True,
            **how,
        )
    namespace, content_type, headers = SOAP[binding.method]
    # As text, so that no declaration of a namespace gets lost (see ``Wanted.filter``).
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="{namespace}">'
    inner = _DECLARATION.sub(b"", operation.body)
    body = head.encode() + b"<soap:Body>" + inner + b"</soap:Body></soap:Envelope>"
    return lambda **how: http.post(
        url,
        body=body,
        content_type=content_type,
        headers=headers,
        accept=_SOAP_ACCEPT,
        idempotent=True,
        **how,
    )


def _operation(name: str, type_name: str = "", **attributes: str) -> etree._Element:
    prefixes = {**PREFIXES, "mdb": MDB} if type_name.startswith("mdb:") else PREFIXES
    attributes = {"service": "CSW", "version": "2.0.2", **attributes}
    return etree.Element(f"{{{CSW}}}{name}", attributes, nsmap=prefixes)


def _bytes(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
