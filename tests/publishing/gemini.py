"""GEMINI records (ISO 19139): one element each, or several in a saved answer of a catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.iso_spelling import code, el, text
from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import File, Item, Record, record_of
from tests.publishing.service import Service, path_of, text_response

CSW = "http://www.opengis.net/cat/csw/2.0.2"
_ISO = "http://www.isotc211.org/2005/"
_NAMESPACES = {
    **{f"xmlns__{prefix}": f"{_ISO}{prefix}" for prefix in ("gmd", "gco", "gmx", "srv")},
    "xmlns__gml": "http://www.opengis.net/gml/3.2",
    "xmlns__xlink": "http://www.w3.org/1999/xlink",
}
_NO_LIMITS = "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations"
_REGULATION = (
    "Commission Regulation (EU) No 1089/2010 of 23 November 2010 implementing Directive 2007/2/EC "
    "of the European Parliament and of the Council as regards interoperability of spatial data sets"
    " and services"
)


def gemini(item: Item) -> str:
    """Return a record with the required elements, and more if it has details."""
    record = record_of(item)
    return el("gmd:MD_Metadata", *_metadata(record), **_NAMESPACES)


def _metadata(record: Record) -> Iterator[str]:
    if not record.nameless:
        yield text("gmd:fileIdentifier", record.identity)
    if record.publisher:
        yield code("gmd:language", "LanguageCode", "eng")
        level = "service" if record.shows else "dataset"
        yield code("gmd:hierarchyLevel", "MD_ScopeCode", level)
        yield _party("gmd:contact", record, "pointOfContact")
    yield el("gmd:dateStamp/gco:Date", record.modified or "2024-04-01")
    if record.details:
        yield text("gmd:metadataStandardName", "UK GEMINI")
        yield text("gmd:metadataStandardVersion", "2.3")
        system = text("gmd:code", "OSGB36", "http://www.opengis.net/def/crs/EPSG/0/27700")
        yield _nested(
            ("referenceSystemInfo", "MD_ReferenceSystem", "referenceSystemIdentifier"),
            el("gmd:RS_Identifier", system),
        )
    kind = "srv:SV_ServiceIdentification" if record.shows else "gmd:MD_DataIdentification"
    yield el("gmd:identificationInfo", el(kind, *_identification(record)))
    yield _distribution(record)
    if record.details:
        yield _quality()


def _identification(record: Record) -> Iterator[str]:
    yield el("gmd:citation/gmd:CI_Citation", *_citation(record))
    yield text("gmd:abstract", record.description)
    if record.publisher:
        yield _party("gmd:pointOfContact", record, "owner")
        if record.details:
            yield _party("gmd:pointOfContact", record, "distributor")
            yield _nested(
                ("resourceMaintenance", "MD_MaintenanceInformation"),
                code("gmd:maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", "monthly"),
            )
    if record.tags:
        words = (text("gmd:keyword", tag) for tag in record.tags)
        yield el("gmd:descriptiveKeywords/gmd:MD_Keywords", *words)
    if record.licence:
        yield _constraints("accessConstraints", "no limitations", _NO_LIMITS)
        yield _constraints("useConstraints", "Open Government Licence v3.0", record.licence)
    if record.details:
        kind = "MD_SpatialRepresentationTypeCode"
        yield code("gmd:spatialRepresentationType", kind, "vector")
    yield from _coverage(record)


def _coverage(record: Record) -> Iterator[str]:
    """Yield what data cover, or what a service shows."""
    if record.shows:
        yield el("srv:serviceType/gco:LocalName", "view")
    elif record.publisher:
        yield code("gmd:language", "LanguageCode", "eng")
        yield el("gmd:topicCategory/gmd:MD_TopicCategoryCode", "environment")
    if record.box:
        prefix = "srv" if record.shows else "gmd"
        yield el(f"{prefix}:extent", el("gmd:EX_Extent", *_extent(record)))
    if record.shows:
        yield el("srv:couplingType/srv:SV_CouplingType", codeListValue="tight")
    for guid in record.shows:
        address = f"https://maps.example/csw?request=GetRecordById&id={guid}"
        yield el("srv:operatesOn", uuidref=guid, xlink__href=address)


def _citation(record: Record) -> Iterator[str]:
    yield text("gmd:title", record.title)
    if record.details:
        kind = code("gmd:dateType", "CI_DateTypeCode", "revision")
        date = el("gmd:date/gco:Date", record.modified)
        yield el("gmd:date/gmd:CI_Date", date, kind)
        yield _nested(("identifier", "MD_Identifier"), text("gmd:code", record.page))


def _extent(record: Record) -> Iterator[str]:
    assert record.box
    west, south, east, north = record.box
    sides = {"westBoundLongitude": west, "eastBoundLongitude": east}
    sides |= {"southBoundLatitude": south, "northBoundLatitude": north}
    box = (el(f"gmd:{side}", el("gco:Decimal", str(degrees))) for side, degrees in sides.items())
    yield el("gmd:geographicElement/gmd:EX_GeographicBoundingBox", *box)
    if record.details and record.period:
        first, last = record.period
        ends = (el("gml:beginPosition", first), el("gml:endPosition", last))
        period = el("gml:TimePeriod", *ends, gml__id="period")
        yield _nested(("temporalElement", "EX_TemporalExtent", "extent"), period)


def _constraints(element: str, words: str, url: str) -> str:
    kind = code(f"gmd:{element}", "MD_RestrictionCode", "otherRestrictions")
    legal = el("gmd:MD_LegalConstraints", kind, text("gmd:otherConstraints", words, url))
    return el("gmd:resourceConstraints", legal)


def _distribution(record: Record) -> str:
    form = ""
    if record.details:
        named = text("gmd:name", "CSV") + text("gmd:version", "RFC 4180")
        form = _nested(("distributionFormat", "MD_Format"), named)
    links = "".join(
        _nested(("onLine", "CI_OnlineResource"), "".join(_link(file, record.details)))
        for file in record.distributions
    )
    options = _nested(("transferOptions", "MD_DigitalTransferOptions"), links)
    return _nested(("distributionInfo", "MD_Distribution"), form + options)


def _link(file: File, details: bool) -> Iterator[str]:
    yield el("gmd:linkage", text_only("gmd:URL", file.url))
    if file.format == "WMS":
        yield text("gmd:protocol", "OGC:WMS")
    if file.title:
        yield text("gmd:name", file.title)
    if details:
        yield text("gmd:description", "All rows, as they are kept")
        yield code("gmd:function", "CI_OnLineFunctionCode", "download")


def text_only(name: str, value: str) -> str:
    """Return an element with a text and no element around it."""
    return el(name, value.replace("&", "&amp;"))


def _quality() -> str:
    scope = _nested(("scope", "DQ_Scope"), code("gmd:level", "MD_ScopeCode", "dataset"))
    published = el("gmd:date/gco:Date", "2010-12-08")
    kind = code("gmd:dateType", "CI_DateTypeCode", "publication")
    date = el("gmd:date/gmd:CI_Date", published, kind)
    cited = el("gmd:CI_Citation", text("gmd:title", _REGULATION), date)
    passed = el("gmd:pass/gco:Boolean", "false")
    result = el("gmd:specification", cited) + text("gmd:explanation", "Not tested") + passed
    report = _nested(("report", "DQ_DomainConsistency", "result", "DQ_ConformanceResult"), result)
    lineage = _nested(("lineage", "LI_Lineage"), text("gmd:statement", "Surveyed on foot."))
    return _nested(("dataQualityInfo", "DQ_DataQuality"), scope + report + lineage)


def _party(name: str, record: Record, role: str) -> str:
    address = text("gmd:electronicMailAddress", record.email)
    contact = _nested(("contactInfo", "CI_Contact", "address", "CI_Address"), address)
    named = text("gmd:organisationName", record.publisher)
    return el(
        name, el("gmd:CI_ResponsibleParty", named, contact, code("gmd:role", "CI_RoleCode", role))
    )


def _nested(names: Iterable[str], inside: str) -> str:
    for name in reversed([*names]):
        inside = el(f"gmd:{name}", inside)
    return inside


_PATH = "/records.xml"


def _single(request: Request, listing: Listing) -> Response | None:
    """Answer with a record, or with several as a catalogue does."""
    if path_of(request) != _PATH:
        return None
    records = listing.records
    found = "".join(map(gemini, records))
    if len(records) == 1:
        return text_response(found)
    return text_response(
        f'<csw:GetRecordsResponse xmlns:csw="{CSW}">'
        f"<csw:SearchResults>{found}</csw:SearchResults></csw:GetRecordsResponse>"
    )


GEMINI_SINGLE = Service(_PATH, _single, lambda _listing: [_PATH], late=0, is_paged=False)
