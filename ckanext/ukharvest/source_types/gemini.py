"""The GEMINI source types: single file, web-accessible folder, CSW server."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.fingerprint import is_triples
from ckanext.ukharvest.core.record_filter import FilterField
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import csw as csw_records
from ckanext.ukharvest.parsers import oai_dc
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.parsers.record_checks import FieldNames, field_names_in
from ckanext.ukharvest.readers import xml_document
from ckanext.ukharvest.readers.csw import reader as csw
from ckanext.ukharvest.readers.waf import reader as waf
from ckanext.ukharvest.readers.xml_document import XmlShape
from ckanext.ukharvest.source_types import lists, portals
from ckanext.ukharvest.source_types.source_type import SourceType

_GEMINI_SHAPE = XmlShape(
    kind=gemini_document.KIND,
    paths=gemini_document.PATHS,
    root=gemini_document.ROOT,
    guid=gemini_document.identifier,
    content=gemini_document.content,
    modified=gemini_document.modified,
    rest=gemini_document.rest,
    singular="record",
    identifier="gmd:fileIdentifier",
    called=gemini_document.describe_other_root,
)
_FIELD_NAMES = FieldNames(
    resources="gmd:onLine",
    tags="gmd:keyword",
    spatial="gmd:EX_GeographicBoundingBox",
    issued="gmd:date",
    modified="gmd:date",
    created="gmd:date",
    metadata_modified="gmd:dateStamp",
)

_CORE_NAMES = field_names_in(oai_dc.MAPPING)
_CORE = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(gemini_document.DUBLIN_CORE)})[\s>]")


def _other_names(raw: RawRecord) -> FieldNames | None:
    """Return the names of a record of Dublin Core or DCAT."""
    if is_triples(raw.content or ""):
        return lists.DCAT_RDF.field_names
    return _CORE_NAMES if _CORE.match(raw.content or "") else None


_FILTERS = (FilterField("party", exclude="skip_responsible_party"),)

_CSW = re.compile(r"opengis\.net/cat/csw|\bCSW\b")
_XML_LINK = re.compile(
    r"<a(?:rea)?\s[^<>]*?\bhref\s*=\s*[\"']?(?:[^\"'\s>]*/)?([^\"'\s>/?#]+)\.xml\b", re.IGNORECASE
)
_NO_RECORDS = ("atom", "feed", "opensearch", "rss", "sitemap")
# Pages that servers make of a folder: Apache and nginx, Python, IIS.
_LISTING = re.compile(r"(?:index of|directory listing (?:for|of)) ?/|\S+ - /.*/?$", re.IGNORECASE)
_FOLDER_LINK = re.compile(
    r"<a\s[^<>]*?\bhref\s*=\s*[\"']?(?![\"'./?])[^\"'\s>?#:]+/[\"'\s>]", re.IGNORECASE
)


def _is_record(content: bytes) -> bool:
    """Tell whether the root is a record's, or that of a saved answer with records.

    Whether a server that gives such an answer has others as well only its capabilities show.
    """
    head = read_head(content)
    records = {path[0] for path in gemini_document.PATHS}
    is_wrapped = head.root_name == "Envelope" and "GetRecordByIdResponse" in head.text
    return head.root_name in records or is_wrapped


def _is_folder(content: bytes) -> bool:
    """Tell whether this is a page with links to XML files, or a server's page of a folder."""
    head = read_head(content)
    # Their pages may have such links too.
    if head.page_title is None or portals.is_ods(content) or lists.is_sparql(content):
        return False
    files = (link[1].lower() for link in _XML_LINK.finditer(head.text))
    if any(not name.startswith(_NO_RECORDS) for name in files):
        return True
    return bool(_LISTING.match(head.page_title) and _FOLDER_LINK.search(head.text))


def _is_csw(content: bytes) -> bool:
    """Tell whether this is an answer of a CSW, with SOAP or without."""
    head = read_head(content)
    if head.root_name == "GetRecordsResponse":
        return True
    is_shared = head.root_name in ("Capabilities", "ExceptionReport", "Envelope")
    return is_shared and bool(_CSW.search(head.text)) and "GetRecordByIdResponse" not in head.text


GEMINI_SINGLE = SourceType(
    name="gemini-single",
    title="Single GEMINI file",
    description=(
        "One GEMINI or ISO 19139 document, for trying things out, or a saved answer of a "
        "catalogue with several records"
    ),
    reader=xml_document.XmlDocument(_GEMINI_SHAPE),
    parser=gemini,
    options=gemini.OPTIONS,
    filters=_FILTERS,
    aliases=("single-doc",),
    recognise=_is_record,
    dated=True,
    field_names=_FIELD_NAMES,
    other_names=_other_names,
    reference_is_address=True,
    group="location",
    summary=_("One XML file, for trying out. Enter the file's URL."),
    url_hint=_("The URL of the file itself, not of a web page about it."),
    url_example="https://maps.example.gov.uk/metadata/parks.xml",
)

GEMINI_WAF = SourceType(
    name="gemini-waf",
    title="Web accessible folder (GEMINI)",
    description="A web-accessible folder: a page with links to GEMINI or ISO 19139 files, as any"
    " web server lists them or made by hand, with or without sub-folders",
    reader=waf.Waf(_GEMINI_SHAPE, single=GEMINI_SINGLE.name),
    parser=gemini,
    options=(*waf.OPTIONS, *gemini.OPTIONS),
    filters=_FILTERS,
    aliases=("waf", "waf-collection"),
    recognise=_is_folder,
    dated=True,
    field_names=_FIELD_NAMES,
    other_names=_other_names,
    reference_is_address=True,
    group="location",
    summary=_("A web page with links to GEMINI XML files. Enter the page's URL."),
    url_hint=_("The URL of the page with the links."),
    url_example="https://maps.example.gov.uk/metadata/",
    software=("any web server",),
)

GEMINI_CSW = SourceType(
    name="gemini-csw",
    title="GEMINI from a CSW server",
    description=(
        "A CSW 2.0.2 catalogue (GeoNetwork, pycsw, Esri and others), by POST, GET or SOAP: all "
        "records, or by type, date or a condition in CQL or as an OGC filter"
    ),
    reader=csw.Csw(_GEMINI_SHAPE),
    parser=csw_records,
    options=(*csw.OPTIONS, *csw_records.OPTIONS),
    filters=(FilterField("type", include="types"), *_FILTERS),
    aliases=("csw",),
    recognise=_is_csw,
    dated=True,
    field_names=_FIELD_NAMES,
    other_names=_other_names,
    usual_urls=("/geonetwork/srv/eng/csw", "/csw"),
    probe="?service=CSW&request=GetCapabilities",
    group="location",
    summary=_(
        "Location data from GeoNetwork, ArcGIS or another CSW 2.0.2 server. Enter the "
        "service URL without request=."
    ),
    url_hint=_("The URL of the service, without the question mark and what follows it."),
    url_example="https://maps.example.gov.uk/geonetwork/srv/eng/csw",
    software=("GeoNetwork", "pycsw", "ArcGIS"),
)
