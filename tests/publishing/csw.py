"""A CSW with configurable faults, and one that serves a listing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lxml import etree

from tests.publisher import Everything, Publisher, Request, Response
from tests.publishing.gemini import CSW, gemini
from tests.publishing.listing import Listing
from tests.publishing.service import NOT_FOUND, Service, path_of

GMD = "http://www.isotc211.org/2005/gmd"
NAMES = {"csw": CSW, "ogc": "http://www.opengis.net/ogc"}
XML = {"Content-Type": "application/xml"}
# Namespace → method, media type of requests.
SOAP = {
    "http://schemas.xmlsoap.org/soap/envelope/": ("SOAP 1.1", "text/xml"),
    "http://www.w3.org/2003/05/soap-envelope": ("SOAP 1.2", "application/soap+xml"),
}


@dataclass(frozen=True)
class Asked:
    """One request, in any of its forms."""

    method: str
    operation: str
    schema: str = ""
    type_name: str = ""
    start: int = 0
    size: int = 0
    sort: str = ""
    condition: str = ""
    ids: tuple[str, ...] = ()
    result: str = ""

    @classmethod
    def parse(cls, request: Request) -> Asked:
        if request.method != "POST":
            return cls._queried(request)
        root = etree.fromstring(request.body)
        namespace = etree.QName(root).namespace
        if namespace not in SOAP:
            assert request.headers["Content-Type"] in ("application/xml", "text/xml")
            return cls._posted(root, "POST")
        method, media_type = SOAP[namespace]
        assert request.headers["Content-Type"] == f"{media_type}; charset=utf-8"
        assert request.headers["SOAPAction"] == ('""' if method == "SOAP 1.1" else None)
        ((inner,),) = root
        return cls._posted(inner, method)

    @classmethod
    def _posted(cls, root: etree._Element, method: str) -> Asked:
        root = etree.fromstring(etree.tostring(root))

        def text(path: str) -> str:
            return str(root.xpath(f"string({path})", namespaces=NAMES))

        condition = root.find(".//csw:Constraint/*", NAMES)
        return cls(
            method,
            etree.QName(root).localname,
            root.get("outputSchema", ""),
            text("csw:Query/@typeNames"),
            int(root.get("startPosition", 0)),
            int(root.get("maxRecords", 0)),
            text("csw:Query/ogc:SortBy//ogc:PropertyName"),
            "" if condition is None else etree.tostring(condition, encoding="unicode"),
            tuple(each.text or "" for each in root.iterfind("csw:Id", NAMES)),
            root.get("resultType", ""),
        )

    @classmethod
    def _queried(cls, request: Request) -> Asked:
        query = {
            name.lower(): each[0] for name, each in parse_qs(urlsplit(request.path)[3]).items()
        }
        return cls(
            "GET",
            query.get("request", ""),
            query.get("outputschema", ""),
            query.get("typenames", ""),
            int(query.get("startposition", 0)),
            int(query.get("maxrecords", 0)),
            query.get("sortby", "").removesuffix(":A"),
            query.get("constraint", ""),
            (query["id"],) if "id" in query else (),
            query.get("resulttype", ""),
        )


def gmd(guid: str, *, day: str = "2024-04-01", root: str = "gmd:MD_Metadata") -> str:
    """Return a complete record."""
    named = f"<gco:CharacterString>{guid}</gco:CharacterString>"
    identifier = f"<gmd:fileIdentifier>{named}</gmd:fileIdentifier>" if guid else ""
    return (
        f'<{root} xmlns:gmd="{GMD}" xmlns:gco="http://www.isotc211.org/2005/gco">{identifier}'
        f"<gmd:dateStamp><gco:Date>{day}</gco:Date></gmd:dateStamp></{root}>"
    )


def dublin_core(guid: str, day: str = "2024-04-01") -> str:
    """Return a record as written by catalogues without ISO 19139."""
    return (
        '<csw:SummaryRecord xmlns:dc="http://purl.org/dc/elements/1.1/"'
        f' xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>{guid}</dc:identifier>'
        f"<dc:title>Title of {guid}</dc:title><dct:modified>{day}</dct:modified>"
        "</csw:SummaryRecord>"
    )


def report(code: str = "NoApplicableCode", locator: str = "", text: str = "It broke") -> str:
    """Return an exception report as most servers write it."""
    return (
        '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows" version="1.0.0">'
        f'<ows:Exception exceptionCode="{code}" locator="{locator}">'
        f"<ows:ExceptionText>{text}</ows:ExceptionText></ows:Exception></ows:ExceptionReport>"
    )


def refusal(*args: str, status: int = 200) -> Response:
    return Response(report(*args).encode(), status, XML)


Page = list[str]
Answer = Callable[[Asked], Response | None]


@dataclass
class Catalogue:
    """Answers GetRecords and GetRecordById, and GetCapabilities if it has ``capabilities``.

    Attributes:
        records: the elements, in the catalogue's order.
        at_most: records per page, whatever is requested.
        following: nextRecord from start, count and total; None omits the attribute.
        matched: the total that the server gives, by the number of the request.
        element_set: the element set that the server gives.
        before: answers some requests otherwise.
        methods, schemas, types, sorts: what the server accepts.
        capabilities: what the server says of itself by GET, whatever ``methods`` are.
        refuses: the response to another method.
    """

    records: Page
    at_most: int = 1000
    following: Callable[[int, int, int], int | None] = lambda start, count, total: (
        start + count if start + count <= total else 0
    )
    matched: Callable[[int], int | None] | None = None
    element_set: str = "full"
    before: Answer = lambda _asked: None
    methods: Collection[str] = ("POST", "GET")
    schemas: Collection[str] = (GMD, CSW)
    types: Collection[str] = ("gmd:MD_Metadata", "csw:Record")
    sorts: Collection[str] = ("", "apiso:Identifier", "dc:identifier")
    asked: list[Asked] = field(default_factory=list)
    whole: dict[str, str] = field(default_factory=dict)
    capabilities: str = ""
    refuses: Response = Response(b"<html><title>Method not allowed</title></html>", 405)

    def serve(self, publisher: Publisher, path: str = "/csw") -> str:
        """Let a publisher answer as this catalogue; return the source's URL."""
        publisher.routes = Everything(
            lambda request: self(request) if path_of(request) == path else NOT_FOUND
        )
        return publisher.url(path)

    def __call__(self, request: Request) -> Response:
        asked = Asked.parse(request)
        if asked.operation == "GetCapabilities" and self.capabilities and asked.method == "GET":
            return Response(self.capabilities.encode(), 200, XML)
        if asked.method not in self.methods:
            return self.refuses
        self.asked.append(asked)
        found = self._answer(asked)
        return enclosed(found, asked.method) if asked.method.startswith("SOAP") else found

    def _answer(self, asked: Asked) -> Response:
        if (other := self.before(asked)) is not None:
            return other
        if asked.operation == "GetRecordById":
            found = [self.whole[each] for each in asked.ids if each in self.whole]
            return answer("<csw:GetRecordByIdResponse {}>{}</csw:GetRecordByIdResponse>", found)
        if asked.schema not in self.schemas:
            return refusal("InvalidParameterValue", "outputSchema")
        if asked.type_name not in self.types:
            return refusal("InvalidParameterValue", "typeNames")
        if asked.sort not in self.sorts:
            return refusal("InvalidParameterValue", "sortby", "no such property")
        return self.page(asked)

    def page(self, asked: Asked) -> Response:
        count = min(asked.size, self.at_most)
        records = self.records[asked.start - 1 :][:count]
        total = len(self.records) if self.matched is None else self.matched(len(self.asked))
        real = len(self.records) if total is None else total
        return results(
            records,
            numberOfRecordsMatched=total,
            numberOfRecordsReturned=len(records),
            nextRecord=self.following(asked.start, len(records), real),
            elementSet=self.element_set,
        )

    @property
    def starts(self) -> list[int]:
        return [each.start for each in self.asked]


def results(records: Page, **attributes: Any) -> Response:
    said = "".join(f' {name}="{each}"' for name, each in attributes.items() if each is not None)
    head, tail = "<csw:GetRecordsResponse {}><csw:SearchResults", "</csw:SearchResults>"
    return answer(f"{head}{said}>{{}}{tail}</csw:GetRecordsResponse>", records)


def answer(form: str, records: Page) -> Response:
    return Response(form.format(f'xmlns:csw="{CSW}"', "".join(records)).encode(), 200, XML)


def enclosed(response: Response, method: str) -> Response:
    """Return a response in an envelope; an exception report as a fault."""
    assert isinstance(response.body, bytes)
    text = response.body.decode()
    if "ExceptionReport" in text:
        text = fault("soap:Server", "It failed", method, detail=text)
    namespace = next(key for key, each in SOAP.items() if each[0] == method)
    head = f'<soap:Envelope xmlns:soap="{namespace}"><soap:Header/><soap:Body>'
    body = f"{head}{text}</soap:Body></soap:Envelope>"
    return Response(body.encode(), response.status, {"Content-Type": "text/xml"})


def fault(code: str, text: str, method: str, detail: str = "") -> str:
    """Return a fault as its version of SOAP writes it."""
    if method == "SOAP 1.1":
        inside = f"<faultcode>{code}</faultcode><faultstring>{text}</faultstring>"
        return f"<soap:Fault>{inside}<detail>{detail}</detail></soap:Fault>"
    return (
        f"<soap:Fault><soap:Code><soap:Value>{code}</soap:Value></soap:Code><soap:Reason>"
        f'<soap:Text xml:lang="en">{text}</soap:Text></soap:Reason>'
        f"<soap:Detail>{detail}</soap:Detail></soap:Fault>"
    )


def capabilities(*bindings: tuple[str, str, str]) -> str:
    """Return capabilities with bindings of GetRecords: Get or Post, URL, PostEncoding."""
    found = ""
    for name, url, encoding in bindings:
        value = f"<ows:Value>{encoding}</ows:Value>" if encoding else ""
        inside = f'<ows:Constraint name="PostEncoding">{value}</ows:Constraint>' if value else ""
        found += f'<ows:{name} xlink:href="{url}">{inside}</ows:{name}>'
    return (
        f'<csw:Capabilities xmlns:csw="{CSW}" xmlns:ows="http://www.opengis.net/ows"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink"><ows:OperationsMetadata>'
        f'<ows:Operation name="GetRecords"><ows:DCP><ows:HTTP>{found}</ows:HTTP></ows:DCP>'
        "</ows:Operation></ows:OperationsMetadata></csw:Capabilities>"
    )


@dataclass
class ListedCatalogue(Catalogue):
    """Answers with the pages of a listing, by GET unless ``methods`` say otherwise."""

    listing: Listing | None = None

    def page(self, asked: Asked) -> Response:
        assert self.listing
        start = asked.start - 1
        records = self.listing.page(start)
        following = self.listing.following(start)
        return results(
            [gemini(each) for each in records],
            numberOfRecordsMatched=self.listing.total(start),
            numberOfRecordsReturned=len(records),
            nextRecord=0 if following is None else following + 1,
            elementSet="full",
        )


_PATH = "/csw"
_PAGE = (
    f"{_PATH}?service=CSW&version=2.0.2&request=GetRecords&resultType=results"
    "&outputSchema=http%3A%2F%2Fwww.isotc211.org%2F2005%2Fgmd&typeNames=gmd%3AMD_Metadata"
    "&elementSetName=full&startPosition={}&maxRecords=50&sortBy=apiso%3AIdentifier%3AA"
)


def _answer(request: Request, listing: Listing) -> Response | None:
    """Answer as a catalogue that refuses POST and returns fewer records than requested."""
    if path_of(request) != _PATH or request.method == "POST":
        return None
    return ListedCatalogue([], listing=listing)(request)


GEMINI_CSW = Service(
    _PATH, _answer, lambda listing: [_PAGE.format(start + 1) for start in listing.starts]
)
