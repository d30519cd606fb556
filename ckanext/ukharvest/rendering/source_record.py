"""The source record of a dataset: its form, its lines, and the values of its elements."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.document_kind import HEAD, html_title
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url


@dataclass(frozen=True, slots=True)
class Form:
    """A form of records.

    Attributes:
        label: its name for people.
        extension: of a file of it, without the dot.
        media_type: without parameters.
    """

    label: str
    extension: str
    media_type: str


XML = Form("XML", "xml", "application/xml")
JSON = Form("JSON", "json", "application/json")
N_TRIPLES = Form("N-Triples", "nt", "application/n-triples")
TEXT = Form("text", "txt", "text/plain")

MOST, MOST_LINES = 4_000_000, 50_000  # characters and lines up to which a record is shown unchanged

_XML = re.compile(r"<(?:[?!]|[^\s<>/]+(?:\s|/?>))")
# A URI as subject and one as predicate; no name of XML holds slashes.
_TRIPLE = re.compile(r"(?:<[^\s<>]*>|_:\S+)[ \t]*<[^\s<>]*//[^\s<>]*>")
_DECLARATION = re.compile(r"\ufeff?(\s*)(<\?xml\s[^>]*?\?>)")
_ENCODING = re.compile(r"""(?<!\s)\s+encoding\s*=\s*(["']).*?\1""", re.DOTALL)


def form_of(content: str) -> Form:
    """Detect a record's form; a web page counts as text, so that no browser renders it."""
    head = content[:HEAD].lstrip("\ufeff \t\r\n")
    if head.startswith(("{", "[")):
        return JSON
    if _TRIPLE.match(head):
        return N_TRIPLES
    if _XML.match(head) and html_title(head.encode("utf-8", "replace")) is None:
        return XML
    return TEXT


def as_utf8(content: str) -> str:
    """Return a document without what contradicts that it is served as UTF-8.

    An XML declaration names the encoding of the publisher's bytes, which are gone. White space
    before it, which XML forbids, goes after it: line numbers do not change.
    """
    declared = _DECLARATION.match(content)
    if declared is None:
        return content.removeprefix("\ufeff")
    before, declaration = declared.groups()
    declaration = _ENCODING.sub(lambda found: "\n" * found[0].count("\n"), declaration, count=1)
    return declaration + before + content[declared.end() :]


def lines_of(content: str) -> tuple[list[str], bool]:
    """Return a record's lines, indented where that is easy, and whether these are all of it."""
    if form_of(content) is JSON:
        try:
            laid_out = json.dumps(json.loads(content), indent=2, ensure_ascii=False)
            # JSON can spell a lone surrogate, which no page can hold.
            content = laid_out.encode("utf-8", "replace").decode("utf-8")
        except (ValueError, RecursionError):
            pass  # shown unchanged
    lines = content[:MOST].replace("\r\n", "\n").split("\n", MOST_LINES)
    is_all = len(content) <= MOST and len(lines) <= MOST_LINES
    return lines[:MOST_LINES], is_all


# Characters and lines up to which an excerpt is the whole record.
WHOLE, WHOLE_LINES = 60_000, 1500
AROUND = 3  # lines before and after a marked one
MOST_MARKED = 20
LONGEST = 1000  # characters shown of a line
BEGINNING = 50  # lines shown of a long record without a marked one


@dataclass(frozen=True, slots=True)
class Line:
    """One line; ``number`` 0 stands for lines that are left out."""

    number: int
    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a record that is shown; ``is_whole``: nothing is left out."""

    lines: tuple[Line, ...]
    is_whole: bool

    @property
    def numbers(self) -> frozenset[int]:
        """Return the numbers of its lines."""
        return frozenset(line.number for line in self.lines if line.number)


def excerpt(content: str, marked: Collection[int]) -> Excerpt:
    """Return a record's lines; of a long one only those around the marked ones.

    Args:
        marked: line numbers from 1: of JSON as ``lines_of`` indents it, else in the publisher's
            layout.
    """
    is_laid_out = not marked or form_of(content) is JSON
    lines = lines_of(content)[0] if is_laid_out else content.replace("\r\n", "\n").split("\n")
    size = sum(len(line) for line in lines)
    if size <= WHOLE and len(lines) <= WHOLE_LINES:
        wanted = range(1, len(lines) + 1)
        return Excerpt(tuple(_lines(lines, wanted, marked)), True)
    return Excerpt(tuple(_lines(lines, _wanted(marked, len(lines)), marked)), False)


_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")  # of a field such as distribution[0].mediaType
_HERE = "\ue000"


def lines_of_fields(content: str, fields: Collection[str]) -> dict[str, int]:
    """Return field → line, from 1, of a JSON record as ``lines_of`` indents it.

    Of a field that the record lacks it is the line of the object that should have it. Other and
    very long records have none.
    """
    if len(content) > WHOLE or form_of(content) is not JSON:
        return {}
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    lines = {field: _line_of(document, field) for field in fields if field}
    return {field: line for field, line in lines.items() if line}


def _line_of(document: Any, field: str) -> int:
    """Return the line of a field, or of what should hold it; 0 for the record itself."""
    parent: Any = None
    key: Any = None
    value = document
    for name, number in _STEP.findall(field):
        step = int(number) if number else name
        try:
            child = value[step] if isinstance(value, (dict, list)) else None
        except (KeyError, IndexError, TypeError):
            break
        if child is None:
            break
        parent, key, value = value, step, child
    if parent is None:
        return 0
    parent[key] = _HERE
    text = json.dumps(document, indent=2, ensure_ascii=False)
    parent[key] = value
    return text[: text.index(f'"{_HERE}"')].count("\n") + 1


def _wanted(marked: Collection[int], count: int) -> list[int]:
    if not marked:
        return list(range(1, min(count, BEGINNING) + 1))
    numbers = {
        number
        for line in sorted(marked)[:MOST_MARKED]
        for number in range(line - AROUND, line + AROUND + 1)
    }
    return sorted(number for number in numbers if 1 <= number <= count)


def _lines(lines: list[str], wanted: Collection[int], marked: Collection[int]) -> Iterator[Line]:
    before = 0
    for number in wanted:
        if number != before + 1:
            yield Line(0, "")
        text = lines[number - 1]
        cut = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
        yield Line(number, cut, number in marked)
        before = number
    if before < len(lines):
        yield Line(0, "")


# For elements whose own name ("pointOfContact") would not be clear.
LABELS = {
    # The record
    "fileIdentifier": "Identifier of the record",
    "metadataIdentifier": "Identifier of the record",
    "parentIdentifier": "Part of (identifier)",
    "parentMetadata": "Part of",
    "contact": "Contact for the record",
    "dateStamp": "Date of the record",
    "dateInfo": "Date of the record",
    "defaultLocale": "Language of the record",
    "otherLocale": "Other language",
    "locale": "Other language",
    "hierarchyLevel": "Kind of resource",
    "hierarchyLevelName": "Kind, in the publisher's words",
    "metadataScope": "Kind of resource",
    "resourceScope": "Kind of resource",
    "metadataStandardName": "Standard of the record",
    "metadataStandardVersion": "Version of the standard",
    "metadataStandard": "Standard of the record",
    "metadataProfile": "Profile of the standard",
    "metadataLinkage": "Address of the record",
    "metadataMaintenance": "Maintenance of the record",
    "metadataConstraints": "Constraints on the record",
    "dataSetURI": "Address of the dataset",
    "characterEncoding": "Character set",
    # The resource
    "identificationInfo": "The resource",
    "alternateTitle": "Also known as",
    "citedResponsibleParty": "Responsible party",
    "pointOfContact": "Responsible party",
    "presentationForm": "Form",
    "graphicOverview": "Preview picture",
    "descriptiveKeywords": "Keywords",
    "thesaurusName": "Vocabulary",
    "aggregationInfo": "Related resource",
    "associatedResource": "Related resource",
    "aggregateDataSetName": "Name",
    "aggregateDataSetIdentifier": "Identifier",
    "resourceFormat": "Format",
    "resourceMaintenance": "Maintenance",
    "maintenanceAndUpdateFrequency": "Frequency of update",
    "resourceSpecificUsage": "Known use",
    "spatialRepresentationType": "Spatial representation",
    "spatialRepresentationInfo": "Spatial representation",
    "equivalentScale": "Scale, 1 to",
    "supplementalInformation": "Additional information",
    "environmentDescription": "Software and computing environment",
    "defaultLanguage": "Language",
    # Terms
    "resourceConstraints": "Constraints on access and use",
    "useLimitation": "Limitations on use",
    "accessConstraints": "Limitations on public access",
    "useConstraints": "Conditions of use",
    "otherConstraints": "Constraints in words",
    "classification": "Security classification",
    # Where and when
    "westBoundLongitude": "West",
    "eastBoundLongitude": "East",
    "southBoundLatitude": "South",
    "northBoundLatitude": "North",
    "geographicIdentifier": "Place",
    "extentTypeCode": "Includes what is inside",
    "verticalElement": "Vertical extent",
    "verticalCRS": "Vertical reference system",
    "verticalCRSId": "Vertical reference system",
    "beginPosition": "From",
    "endPosition": "Until",
    "timePosition": "At",
    "referenceSystemInfo": "Spatial reference system",
    "referenceSystemIdentifier": "Spatial reference system",
    "referenceSystemType": "Kind of reference system",
    "posList": "Positions",
    "pos": "Position",
    # Who
    "individualName": "Person",
    "organisationName": "Organisation",
    "positionName": "Position",
    "electronicMailAddress": "Email",
    "voice": "Telephone",
    "number": "Telephone",
    "numberType": "Kind of number",
    "facsimile": "Fax",
    "deliveryPoint": "Street",
    "administrativeArea": "County or region",
    "postalCode": "Postcode",
    "onlineResource": "Website",
    "party": "Who",
    # Where to get it
    "distributionInfo": "Distribution",
    "distributorContact": "Contact",
    "distributorFormat": "Format",
    "distributionFormat": "Format",
    "distributionOrderProcess": "How to order",
    "distributorTransferOptions": "Ways to get it",
    "transferOptions": "Ways to get it",
    "unitsOfDistribution": "Delivered in units of",
    "transferSize": "Size in MB",
    "onLine": "Link",
    "offLine": "On a medium",
    "linkage": "Address",
    "applicationProfile": "Application profile",
    "formatSpecificationCitation": "Format",
    # Quality
    "dataQualityInfo": "Quality",
    "report": "Quality report",
    "nameOfMeasure": "Measure",
    "measureIdentification": "Identifier of the measure",
    "pass": "Passed",
    "resourceLineage": "Lineage",
    "processStep": "Step of processing",
    # Services
    "serviceType": "Kind of service",
    "serviceTypeVersion": "Version of the service",
    "containsOperations": "Operation",
    "operationName": "Name",
    "DCP": "Called by",
    "DCPList": "Called by",
    "distributedComputingPlatform": "Called by",
    "connectPoint": "Address",
    "coupledResource": "Coupled resource",
    "couplingType": "Coupling",
    "operatesOn": "Operates on",
    # Identifiers and code lists
    "codeSpace": "Register",
    "dateType": "Kind of date",
    # ISO 19115-2
    "acquisitionInformation": "How it was acquired",
    "acquisitionInfo": "How it was acquired",
    # Inventory
    "MimeType": "Media type",
    "ConformsTo": "Conforms to the schema",
    "RightsHolder": "Holder of the rights",
    "Rights": "Licence",
    "Temporal": "Period covered",
    "Spatial": "Place covered",
}

# Classes that are clearer than the property that holds them.
KINDS = {
    "SV_ServiceIdentification": "The service",
    "EX_GeographicBoundingBox": "Bounding box",
    "EX_BoundingPolygon": "Outline",
    "EX_TemporalExtent": "Period covered",
    "EX_VerticalExtent": "Vertical extent",
    "DQ_ConformanceResult": "Conformity",
    "QE_CoverageResult": "Coverage",
    "DQ_QuantitativeResult": "Measured quality",
    "CI_Individual": "Person",
}

# Properties that add nothing to their parent.
WEAK = frozenset(
    ("code", "statement", "distance", "denominator", "name", "value", "level", "description")
    + ("title", "date", "extent", "result", "scope", "resolution", "specification", "locale")
    + ("referenceSystemIdentifier", "geographicElement", "temporalElement", "verticalElement")
    + ("linkage", "language", "polygon", "exterior", "interior", "geometry")
    + ("metadataStandardName", "explanation", "organisationName", "individualName")
)

# Their parts are shown as parts of their parent.
TRANSPARENT = frozenset(
    ("citation", "contactInfo", "address", "party", "phone", "transferOptions")
    + ("PT_FreeText", "textGroup", "Datasets", "Resources", "Renditions", "Subjects")
)

# Types of values, not names.
NAMELESS = frozenset(
    ("CharacterString", "LocalisedCharacterString", "Anchor", "Decimal", "Integer", "Real")
    + ("Boolean", "Date", "DateTime", "Distance", "Measure", "Length", "Angle", "Scale", "URL")
    + ("LocalName", "ScopedName", "TypeName", "MemberName", "Binary", "FileName")
    + ("MimeFileType", "PT_FreeText", "textGroup")
)

# Reasons for a missing value, ISO 19139 (gco:nilReason) and ISO 19136.
NIL = {
    "missing": "Not given",
    "inapplicable": "Does not apply",
    "unknown": "Not known",
    "withheld": "Withheld",
    "template": "Will be given later",
}

LANGUAGES = {
    "eng": "English",
    "cym": "Welsh",
    "wel": "Welsh",
    "gla": "Scottish Gaelic",
    "gle": "Irish",
}

# Units by the names of registers: 9001 is the metre.
UNITS = {
    "urn:ogc:def:uom:EPSG::9001": "m",
    "EPSG::9001": "m",
    "http://www.opengis.net/def/uom/EPSG/0/9001": "m",
    "urn:ogc:def:uom:UCUM::m": "m",
    "degree": "°",
}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a record.

    Attributes:
        text: the text to show.
        label: what it is, "" if the row's label says so.
        href: http or https URL of the text, "" if there is none.
        notes: further texts: attributes.
        lines: where the elements that it was made of begin.
        is_said: the text is the record's; otherwise it is the reason why there is none.
    """

    text: str
    label: str = ""
    href: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    is_said: bool = True


def link_value(text: str, href: str = "") -> Value:
    """Return a text with its URL, its own if the text is one."""
    notes = (href,) if href and href != text else ()
    address = href or text
    is_link = address[:4].lower() == "http" and is_web_url(address)
    return Value(text, href=address if is_link else "", notes=notes)


def format_nil_reason(reason: str) -> str:
    """Return a reason for a missing value as text."""
    return NIL.get(reason, f"Not given: {reason.removeprefix('other:')}")


def format_code(code: str, text: str) -> str:
    """Return a code list value as text, with the element's own text if that adds anything."""
    if not code or text.lower() == code.lower():
        code, text = code or text, ""
    if text:
        return f"{text} ({code})"
    if code in LANGUAGES:
        return f"{LANGUAGES[code]} ({code})"
    # Others are identifiers.
    return _split(code, "") if re.fullmatch(r"[A-Za-z]+", code) else code


def label_of(name: str) -> str:
    """Return the label of an element or attribute, given its local name."""
    return KINDS.get(name) or LABELS.get(name) or format_name(name)


def format_name(name: str) -> str:
    """Return a name as words: of MD_DataIdentification "Data identification"."""
    plain = re.sub(r"^[A-Z]{2,3}_(?=[A-Z])", "", name)
    words = _split(plain, "_-.") or name
    return words[:1].upper() + words[1:]


def _split(name: str, marks: str) -> str:
    """Set a blank before each word in a name; abbreviations keep their capitals."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    for mark in marks:
        parts = parts.replace(mark, " ")
    return " ".join(
        word if word.isupper() and len(word) > 1 else word.lower() for word in parts.split()
    )


def tidy(text: str | None) -> str:
    """Return a text without the layout of the XML; paragraphs stay."""
    lines = (" ".join(line.split()) for line in clean_text(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
