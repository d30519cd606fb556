"""Checks shared by many rules, those of ISO 19139's table A.1, and terms that checks compare with.

A check is a function of a record and of the arguments in a rule's row. AP-1a, AP-2, … are the names
of the same checks in AGI's Schematron of GEMINI 2.3.

Table A.1 has constraints that its schema cannot express, for every record. The rows follow version
1.4 of the table's Schematron, which data.gov.uk uses. Where that differs from the table, ours
follow the table: row 10 never fires there; rows 11 and 12 fire for a lineage with both sources and
steps; row 15 fires for every georectified picture without check points; row 16 for units without
values; a quality without a level counts for row 8 alone.

Sources of the terms: UK GEMINI 2.3, INSPIRE's registers of codes
(http://inspire.ec.europa.eu/metadata-codelist). Short lists are arguments in rules.csv. INSPIRE's
themes are in ``core.values.theme_names``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, DATASET, Failure, Metadata, each

# Not itertext, whose time grows with the square of the comments in a text.
_STRING = etree.XPath("string()")

_MOST_QUOTED = 3

NIL_REASONS = frozenset(("inapplicable", "missing", "template", "unknown", "withheld"))


def text_of(node: IsoNode) -> str:
    """Return all text in an element as written, including blanks."""
    if not len(node.element):
        return node.element.text or ""
    return str(_STRING(node.element))


def has(node: IsoNode, *paths: str) -> bool:
    return node.first(*paths) is not None


def is_class(node: IsoNode, name: str) -> bool:
    """Tell whether an element is of an ISO class, or of a profile's class derived from it."""
    return any(text.endswith(name) for text in (node.name, node.attribute("isoType")))


def written_name(element: etree._Element) -> str:
    """Return an element's name as written in the record, such as gmd:title."""
    name = xml.local_name(element)
    return shorten(f"{element.prefix}:{name}" if element.prefix else name)


def quoted(words: Iterable[str], between: str) -> str:
    """Quote texts of a record, without repeats; at most three of them. "" for none."""
    quotes = [f"'{shorten(word, 60)}'" for word in dict.fromkeys(filter(None, words))]
    rest = ("others",) if len(quotes) > _MOST_QUOTED else ()
    return between.join((*quotes[:_MOST_QUOTED], *rest))


def nil_fault(node: IsoNode) -> str:
    """Return the fault of a required element that has a nilReason instead of a value, or ""."""
    return Message("is absent, with nilReason '{nil}'", nil=shorten(node.nil)) if node.nil else ""


def needed(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require at least one element at the end of a path."""
    if not metadata.at(*paths):
        yield Failure(Message("is missing"), metadata.holder(paths[0]))


@each()
def value(node: IsoNode) -> str:
    """Require that each element holds text and is not nil (AP-2); no element passes."""
    return nil_fault(node) or ("" if text_of(node).strip() else Message("is empty"))


def value_or_reason(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each element holds text or a nilReason, also "other:" with a text (AP-1a)."""
    for failure in _value_or(NIL_REASONS, metadata, paths):
        if not failure.node.nil.startswith("other:"):
            yield failure


def value_or_unknown(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each element holds text, or a nilReason unknown or inapplicable (AP-1b)."""
    return _value_or(("inapplicable", "unknown"), metadata, paths)


def _value_or(
    reasons: Collection[str], metadata: Metadata, paths: tuple[str, ...]
) -> Iterator[Failure]:
    for node in metadata.at(*paths):
        if not text_of(node).strip() and node.nil not in reasons:
            fault = (
                Message("is empty with nilReason '{nil}'", nil=shorten(node.nil))
                if node.nil
                else Message("is empty")
            )
            yield Failure(fault, node)


def code(metadata: Metadata, *paths: str, nil: bool = True) -> Iterator[Failure]:
    """Require that each property holds a code with a codeListValue (AP-3).

    Args:
        nil: a nilReason may replace the code.
    """
    for node in metadata.at(*paths):
        children = list(node.find_all("*"))
        if nil and node.nil and not children:
            continue
        if not children or not any(child.attribute("codeListValue") for child in children):
            yield Failure(Message("has no codeListValue"), node)


def code_not_nil(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require a code, as ``code``, that no nilReason replaces."""
    return code(metadata, *paths, nil=False)


def codes_from(metadata: Metadata, path: str, *words: str) -> Iterator[Failure]:
    """Require that each code is one of the words; empty ones are left to ``code``."""
    for node in metadata.at(path):
        for child in node.find_all("*"):
            word = child.attribute("codeListValue")
            if word and word not in words:
                yield Failure(Message("is '{word}'", word=shorten(word)), node)


def exactly_one(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require exactly one element at the end of a path."""
    nodes = metadata.at(*paths)
    if not nodes:
        yield Failure(Message("is missing"), metadata.holder(paths[0]))
    elif len(nodes) > 1:
        yield Failure(Message("is there {count} times", count=len(nodes)), nodes[1])


@each()
def not_nil(node: IsoNode) -> str:
    """Require that no element has a nilReason."""
    return nil_fault(node)


def language(metadata: Metadata, *paths: str) -> Iterator[Failure]:
    """Require that each property holds one gmd:LanguageCode of three letters (AP-4)."""
    for node in metadata.at(*paths):
        codes = list(node.find_all("LanguageCode"))
        word = codes[0].attribute("codeListValue") if len(codes) == 1 else ""
        if not codes:
            yield Failure(Message("has no gmd:LanguageCode"), node)
        elif len(codes) > 1:
            yield Failure(Message("has {count} of gmd:LanguageCode", count=len(codes)), node)
        elif len(word) != 3:
            yield Failure(
                Message("is '{word}'", word=shorten(word))
                if word
                else Message("has no codeListValue"),
                node,
            )


# Paths of the values that GEMINI requires of a party.
_ORGANISATION = "*/organisationName"
_MAIL = "*/contactInfo/*/address/*/electronicMailAddress"


@each()
def party(node: IsoNode) -> str:
    """Require that each party has exactly one organisation name and email address (AP-5)."""
    counts = {
        "organisation name": len(list(node.find_all(_ORGANISATION))),
        "email address": len(list(node.find_all(_MAIL))),
    }
    missing = [f"no {name}" for name, count in counts.items() if not count]
    many = [f"more than one {name}" for name, count in counts.items() if count > 1]
    return Message("has {missing}", missing=" and ".join(missing + many)) if missing or many else ""


def party_value(metadata: Metadata, path: str) -> Iterator[Failure]:
    """Require text in those of the two that each party has (AP-2); the message names the empty."""
    for node in metadata.at(f"{path}/{_ORGANISATION}", f"{path}/{_MAIL}"):
        if node.nil or not text_of(node).strip():
            content = (
                Message("nilReason '{nil}'", nil=shorten(node.nil))
                if node.nil
                else Message("nothing")
            )
            yield Failure(
                Message(
                    "has {content} in {element}",
                    content=content,
                    element=written_name(node.element),
                ),
                node,
            )


def one_of(metadata: Metadata, fault: str, name: str, *children: str) -> Iterator[Failure]:
    """Require that each element of a class has one of these children, empty or not."""
    for node in metadata.classes(name):
        if not has(node, *children):
            yield Failure(fault, node)


# GEMINI 25: INSPIRE's LimitationsOnPublicAccess; the last part of a URL below it.
LIMITATIONS_ADDRESS = "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/"
LIMITATIONS = frozenset(
    ("noLimitations", *(f"INSPIRE_Directive_Article13_1{letter}" for letter in "abcdefgh"))
)

# GEMINI 17: EPSG numbers of INSPIRE's default coordinate reference systems.
DEFAULT_CRS_ADDRESS = "http://www.opengis.net/def/crs/EPSG/0/"
DEFAULT_CRS_NUMBERS = frozenset(
    (4936, 4937, 4258, 3035, 3034, *range(3038, 3052), 5730, 5861, 5715, 7409)
)
DEFAULT_CRS = frozenset(
    (
        *(f"{DEFAULT_CRS_ADDRESS}{number}" for number in DEFAULT_CRS_NUMBERS),
        "http://codes.wmo.int/grib2/codeflag/4.2/_0-3-3",
    )
)

# GEMINI 6: INSPIRE's SpatialDataServiceCategory (Regulation 1205/2008, annex D 4), group by group.
_CATEGORIES = (
    "humanInteractionService humanCatalogueViewer humanGeographicViewer "
    "humanGeographicSpreadsheetViewer humanServiceEditor humanChainDefinitionEditor "
    "humanWorkflowEnactmentManager humanGeographicFeatureEditor humanGeographicSymbolEditor "
    "humanFeatureGeneralizationEditor humanGeographicDataStructureViewer "
    "infoManagementService infoFeatureAccessService infoMapAccessService "
    "infoCoverageAccessService infoSensorDescriptionService infoProductAccessService "
    "infoFeatureTypeService infoCatalogueService infoRegistryService infoGazetteerService "
    "infoOrderHandlingService infoStandingOrderService "
    "taskManagementService chainDefinitionService workflowEnactmentService "
    "subscriptionService "
    "spatialProcessingService spatialCoordinateConversionService "
    "spatialCoordinateTransformationService spatialCoverageVectorConversionService "
    "spatialImageCoordinateConversionService spatialRectificationService "
    "spatialOrthorectificationService spatialSensorGeometryModelAdjustmentService "
    "spatialImageGeometryModelConversionService spatialSubsettingService "
    "spatialSamplingService spatialTilingChangeService spatialDimensionMeasurementService "
    "spatialFeatureManipulationService spatialFeatureMatchingService "
    "spatialFeatureGeneralizationService spatialRouteDeterminationService "
    "spatialPositioningService spatialProximityAnalysisService "
    "thematicProcessingService thematicGoparameterCalculationService "
    "thematicClassificationService thematicFeatureGeneralizationService "
    "thematicSubsettingService thematicSpatialCountingService "
    "thematicChangeDetectionService thematicGeographicInformationExtractionService "
    "thematicImageProcessingService thematicReducedResolutionGenerationService "
    "thematicImageManipulationService thematicImageUnderstandingService "
    "thematicImageSynthesisService thematicMultibandImageManipulationService "
    "thematicObjectDetectionService thematicGeoparsingService thematicGeocodingService "
    "temporalProcessingService temporalReferenceSystemTransformationService "
    "temporalSubsettingService temporalSamplingService temporalProximityAnalysisService "
    "metadataProcessingService metadataStatisticalCalculationService "
    "metadataGeographicAnnotationService "
    "comService comEncodingService comTransferService comGeographicCompressionService "
    "comGeographicFormatConversionService comMessagingService "
    "comRemoteFileAndExecutableManagement "
)
SERVICE_CATEGORIES = frozenset(_CATEGORIES.split())

# GEMINI 41: INSPIRE requires the exact titles of its regulations.
_COMMON = "of the European Parliament and of the Council as regards"
INTEROPERABILITY = (
    "Commission Regulation (EU) No 1089/2010 of 23 November 2010 implementing Directive 2007/2/EC"
    f" {_COMMON} interoperability of spatial data sets and services"
)
NETWORK_SERVICES = (
    "Commission Regulation (EC) No 976/2009 of 19 October 2009 implementing Directive 2007/2/EC"
    f" {_COMMON} the Network Services"
)
# Accepted by the Schematron of GEMINI 2.3, with a warning.
INTEROPERABILITY_CAPITALS = INTEROPERABILITY.replace(
    "Commission Regulation", "COMMISSION REGULATION", 1
)
# The Schematron requires this date for both, though the regulation of 2009 is older.
REGULATIONS_DATE = "2010-12-08"

# GEMINI 52.
NETWORK_MODEL = "INSPIRE Data Specifications - Base Models - Generic Network Model"
NETWORK_MODEL_DATE = "2013-04-05"


_GCO = "{http://www.isotc211.org/2005/gco}"
# Elements that hold text, or that other rules check.
_VALUES = (_GCO, "{http://www.isotc211.org/2005/gmx}", "{http://www.opengis.net/gml")
_CODES = frozenset(("codeList", "codeListValue", "{http://www.w3.org/1999/xlink}href"))


@each(of_class="MD_LegalConstraints")
def other_restrictions(node: IsoNode, name: str) -> str:
    """Require a text beside the code otherRestrictions."""
    is_without = not has(node, "otherConstraints") and "otherRestrictions" in node.codes(name)
    return (
        Message("is missing beside gmd:{name} with the code otherRestrictions", name=name)
        if is_without
        else ""
    )


def restriction_text(metadata: Metadata) -> Iterator[Failure]:
    """Require text in a restriction, or a nilReason."""
    for block in metadata.classes("MD_LegalConstraints"):
        node = block.first("otherConstraints")
        if node and not clean_text(text_of(node)) and node.nil not in NIL_REASONS:
            yield Failure(Message("is empty"), node)


@each(of_class="DQ_DataQuality")
def quality(node: IsoNode) -> str:
    """Require a level, and for a dataset lineage or a report."""
    levels = node.codes("scope/*/level")
    if not levels:
        return Message("does not say what it is about: its gmd:level is missing")
    is_without = DATASET in levels and not has(node, "report", "lineage")
    return Message("has neither gmd:report nor gmd:lineage") if is_without else ""


@each(of_class="DQ_Scope")
def level(node: IsoNode) -> str:
    """Require a description of a level that is neither dataset nor series."""
    levels = node.codes("level")
    is_without = levels and DATA.isdisjoint(levels) and not has(node, "levelDescription")
    return (
        Message("is missing beside gmd:level '{levels}'", levels=shorten(levels[0]))
        if is_without
        else ""
    )


@each(of_class="MD_Georectified")
def check_points(node: IsoNode) -> str:
    """Require a description of check points that are available."""
    is_available = is_yes(node.text("checkPointAvailability"))
    is_without = is_available and not has(node, "checkPointDescription")
    return (
        Message("is missing, although check points are said to be available") if is_without else ""
    )


@each(of_class="MD_Band")
def band_units(node: IsoNode) -> str:
    """Require the unit of a band's values."""
    is_without = has(node, "maxValue", "minValue") and not has(node, "units")
    return Message("is missing beside gmd:maxValue or gmd:minValue") if is_without else ""


def density(metadata: Metadata) -> Iterator[Failure]:
    """Require that a medium has both a density and its unit, or neither."""
    for first, second in (("density", "densityUnits"), ("densityUnits", "density")):
        for node in metadata.classes("MD_Medium"):
            if has(node, first) and not has(node, second):
                yield Failure(
                    Message("has gmd:{first} without gmd:{second}", first=first, second=second),
                    node,
                )


@each(named=("Distance", "Length", "Scale", "Angle"))
def measure(node: IsoNode) -> str:
    """Require the unit of each measure."""
    is_without = node.element.get("uom") is None and str(node.element.tag).startswith(_GCO)
    return Message("has no uom") if is_without else ""


def extension_unless(metadata: Metadata, name: str, *types: str) -> Iterator[Failure]:
    """Require a part of an element added by a profile, but not for these data types."""
    return _extension(metadata, name, types, is_for=False)


def extension_for(metadata: Metadata, name: str, *types: str) -> Iterator[Failure]:
    """Require a part of an element added by a profile, for these data types only."""
    return _extension(metadata, name, types, is_for=True)


def _extension(
    metadata: Metadata, name: str, types: tuple[str, ...], *, is_for: bool
) -> Iterator[Failure]:
    for node in metadata.classes("MD_ExtendedElementInformation"):
        part = node.first(name)
        if part is None and is_for == bool({*types} & {*node.codes("dataType")}):
            yield Failure(
                Message("is missing in the element '{text}'", text=shorten(node.text("name"))), node
            )
        elif part is not None and not _has_value(part):
            yield Failure(Message("is empty"), part)


def _has_value(node: IsoNode) -> bool:
    return bool(node.own_code()) or node.nil in NIL_REASONS


def condition(metadata: Metadata) -> Iterator[Failure]:
    """Require the condition of a conditional element added by a profile."""
    for node in metadata.classes("MD_ExtendedElementInformation"):
        part = node.first("condition")
        if part is None and "conditional" in node.codes("obligation"):
            name = shorten(node.text("name"))
            yield Failure(
                Message("is missing in the conditional element '{name}'", name=name), node
            )
        elif part is not None and not _has_value(part):
            yield Failure(Message("is empty"), part)


def empty(metadata: Metadata) -> Iterator[Failure]:
    """Require a value in each element, or the reason why there is none."""
    for element in metadata.record.element.iter("*"):
        if len(element) or str(element.tag).startswith(_VALUES):
            continue
        node = IsoNode(element, [])
        # The text of a class, such as MD_TopicCategoryCode and URL, is its value.
        if element.text and element.text.strip() and not node.name[0].islower():
            continue
        reason = str(element.get(_GCO + "nilReason") or "")
        is_nil = reason in NIL_REASONS or reason.startswith("other:")
        if not is_nil and _CODES.isdisjoint(element.keys()):
            content = Message("bare text in") if text_of(node).strip() else Message("an empty")
            yield Failure(
                Message("has {content} {element}", content=content, element=written_name(element)),
                node,
            )
