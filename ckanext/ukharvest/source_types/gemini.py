"""The GEMINI source types: single file, web-accessible folder, CSW server."""

from __future__ import annotations

from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.csw import kinds
from ckanext.ukharvest.readers.csw import reader as csw
from ckanext.ukharvest.readers.waf import reader as waf
from ckanext.ukharvest.readers.xml_document import reader as xml_document
from ckanext.ukharvest.readers.xml_document.records import XmlShape
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
    aliases=("single-doc",),
    dated=True,
    field_names=_FIELD_NAMES,
    reference_is_address=True,
)

GEMINI_WAF = SourceType(
    name="gemini-waf",
    title="Web accessible folder (GEMINI)",
    description="A web-accessible folder: a page with links to GEMINI or ISO 19139 files, as any"
    " web server lists them or made by hand, with or without sub-folders",
    reader=waf.Waf(_GEMINI_SHAPE, single=GEMINI_SINGLE.name),
    parser=gemini,
    options=(*waf.OPTIONS, *gemini.OPTIONS),
    aliases=("waf", "waf-collection"),
    dated=True,
    field_names=_FIELD_NAMES,
    reference_is_address=True,
)

GEMINI_CSW = SourceType(
    name="gemini-csw",
    title="GEMINI from a CSW server",
    description=(
        "A CSW 2.0.2 catalogue (GeoNetwork, pycsw, Esri and others), by POST, GET or SOAP: all "
        "records, or by type, date or a condition in CQL or as an OGC filter"
    ),
    reader=csw.Csw(_GEMINI_SHAPE),
    parser=gemini,
    options=(*csw.OPTIONS, *gemini.OPTIONS),
    aliases=("csw",),
    dated=True,
    field_names=_FIELD_NAMES,
    filter_fields=kinds.filter_fields,
    usual_urls=("/geonetwork/srv/eng/csw", "/csw"),
    probe="?service=CSW&request=GetCapabilities",
)
