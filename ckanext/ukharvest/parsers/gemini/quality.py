"""Properties and quality of a GEMINI record's resource, and elements beyond UK GEMINI.

Elements 10, 18, 21, 37, 41, 43, 48, 50, 51 and 53, and a picture; elements of ISO 19115 alone
become extras.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers.gemini.document import (
    Entry,
    IsoNode,
    json_list,
    text_or_list,
    without_blanks,
)


def _maintenance(entry: Entry) -> FieldValues:
    frequency = ""
    codes = []
    for node in entry.identification.find_all(
        "resourceMaintenance/*/maintenanceAndUpdateFrequency"
    ):
        code = node.own_code()
        codes.append(code)
        field = "gmd:maintenanceAndUpdateFrequency"
        frequency = frequency or node.parse_value(field, code, parse_frequency, "bad-frequency")
    notes = entry.identification.texts("resourceMaintenance/*/maintenanceNote")
    return {
        "frequency": frequency,
        "extras": {
            "frequency-of-update": text_or_list(codes),
            "maintenance-note": "\n\n".join(dict.fromkeys(map(plain_text, notes))),
        },
    }


def _resolution(entry: Entry) -> FieldValues:
    distances, units = [], []
    for node in entry.identification.find_all("spatialResolution/*/distance"):
        if text := _number(node, "gmd:distance"):
            distances.append(text)
            measure = node.first("*")
            units.append(measure.attribute("uom") if measure else "")
    denominators = entry.identification.find_all(
        "spatialResolution/*/equivalentScale/*/denominator"
    )
    return {
        "extras": {
            "spatial-resolution": text_or_list(distances),
            "spatial-resolution-units": text_or_list(units),
            "equivalent-scale": text_or_list(
                _number(each, "gmd:denominator") for each in denominators
            ),
        }
    }


def _number(node: IsoNode, field: str) -> str:
    """Return a property's number as written; report anything else."""
    return node.parse_value(field, node.own_text().text, _parse_number, "bad-number")


def _parse_number(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number <= 0:
        raise ValueError(f"'{shorten(text, 40)}' is not a number above 0; expected one such as 10")
    return text


def _formats(entry: Entry) -> FieldValues:
    found = []
    for node in entry.record.find_all(
        "distributionInfo/*/distributionFormat/*",
        "distributionInfo/*/distributor/*/distributorFormat/*",
        "identificationInfo/*/resourceFormat/*",
    ):
        cited = "formatSpecificationCitation/*/"
        name = node.text("name", cited + "title")
        version = node.text("version", cited + "edition")
        if name:
            found.append({"name": name, **({"version": version} if version else {})})
    return {"extras": {"data-format": json_list(found)}}


def _kind(entry: Entry) -> FieldValues:
    node = entry.identification
    return {
        "extras": {
            "spatial-data-service-type": node.text("serviceType"),
            "service-type-version": text_or_list(node.texts("serviceTypeVersion")),
            "spatial-representation-type": text_or_list(node.codes("spatialRepresentationType")),
            "character-set": text_or_list(
                node.codes("characterSet", "defaultLocale/*/characterEncoding")
            ),
        }
    }


def _picture(entry: Entry) -> FieldValues:
    """Return the first picture with a full URL: file names alone lead nowhere."""
    for node in entry.identification.find_all("graphicOverview/*"):
        said = node.first_text_at("fileName", "linkage/*/linkage")
        text = (said.href or said.text) if said else ""
        if url := node.parse_value("gmd:fileName", text, parse_url, "bad-url"):
            return {
                "extras": {
                    "graphic-preview-file": url,
                    "graphic-preview-description": node.text("fileDescription"),
                    "graphic-preview-type": node.text("fileType"),
                }
            }
    return {}


# ISO 19115-3 moved lineage out of the quality element.
_LINEAGES = ("dataQualityInfo/*/lineage/*", "resourceLineage/*")


def _lineage(entry: Entry) -> FieldValues:
    """Read the lineage statements; if there are none, its steps and sources."""
    statements = entry.record.texts(*(f"{path}/statement" for path in _LINEAGES))
    parts = ("processStep/*/description", "source/*/description")
    texts = statements or entry.record.texts(
        *(f"{path}/{part}" for path in _LINEAGES for part in parts)
    )
    return {"extras": {"lineage": "\n\n".join(dict.fromkeys(map(plain_text, texts)))}}


def _scope(entry: Entry) -> FieldValues:
    paths = ("dataQualityInfo/*/scope/*/level", "resourceLineage/*/scope/*/level")
    return {"extras": {"quality-scope": text_or_list(entry.record.codes(*paths))}}


def _conformity(entry: Entry) -> FieldValues:
    results = entry.record.find_all("dataQualityInfo/*/report/*/result/DQ_ConformanceResult")
    return {"extras": {"conformity": json_list(map(_result, results))}}


def _result(node: IsoNode) -> dict[str, Any]:
    """Return one result; ``pass`` is true, false or missing (not evaluated)."""
    citation = "specification/*/"
    date = node.first(citation + "date/*")
    text = date.text("date") if date else ""
    facts = {
        "title": node.text(citation + "title"),
        "date": date.parse_value("gmd:date", text, parse_date, "bad-date") if date else "",
        "date_type": date.code("dateType") if date else "",
        "explanation": node.text("explanation"),
    }
    found: dict[str, Any] = {**without_blanks(facts)}
    if (passed := read_yes_no(node.text("pass"))) is not None:
        found["pass"] = passed
    return found


_ORDER = "distributionInfo/*/distributor/*/distributionOrderProcess/*/"
_TRANSFER = "distributionInfo/*/transferOptions/*/"
# Extra → paths of its texts below the identification, of its codes, and of texts of the record.
_TEXTS = {
    "other-citation-details": ("citation/*/otherCitationDetails",),
    "collective-title": ("citation/*/collectiveTitle",),
    "isbn": ("citation/*/ISBN",),
    "issn": ("citation/*/ISSN",),
    "edition-date": ("citation/*/editionDate",),
    "citation-linkage": ("citation/*/onlineResource/*/linkage",),
    "series": tuple(
        f"citation/*/series/*/{name}" for name in ("name", "issueIdentification", "page")
    ),
    "next-update": (
        "resourceMaintenance/*/dateOfNextUpdate",
        "resourceMaintenance/*/maintenanceDate/*/date",
    ),
    "environment-description": ("environmentDescription",),
    "specific-usage": ("resourceSpecificUsage/*/specificUsage",),
    "usage-limitations": ("resourceSpecificUsage/*/userDeterminedLimitations",),
    "security-note": ("resourceConstraints/*/userNote",),
    "security-classification-system": ("resourceConstraints/*/classificationSystem",),
    "handling-description": ("resourceConstraints/*/handlingDescription",),
    "level-of-detail": ("spatialResolution/*/levelOfDetail",),
    "temporal-resolution": ("temporalResolution",),
    "processing-level": ("processingLevel/*/code",),
}
_CODES = {"presentation-form": "citation/*/presentationForm"}
_OF_RECORD = {
    "metadata-linkage": ("metadataLinkage/*/linkage",),
    "fees": (_ORDER + "fees",),
    "planned-available": (_ORDER + "plannedAvailableDateTime",),
    "ordering-instructions": (_ORDER + "orderingInstructions",),
    "turnaround": (_ORDER + "turnaround",),
    "units-of-distribution": (_TRANSFER + "unitsOfDistribution",),
    "transfer-size": (_TRANSFER + "transferSize",),  # megabytes
    "offline-media-note": (_TRANSFER + "offLine/*/mediumNote",),
}
_CODES_OF_RECORD = {"offline-media": _TRANSFER + "offLine/*/name"}
_DOCUMENTATION = "additionalDocumentation/*"


def _texts(entry: Entry) -> FieldValues:
    found = {}
    for node, texts, codes in (
        (entry.identification, _TEXTS, _CODES),
        (entry.record, _OF_RECORD, _CODES_OF_RECORD),
    ):
        for name, paths in texts.items():
            found[name] = text_or_list(map(plain_text, node.texts(*paths)))
        for name, path in codes.items():
            found[name] = text_or_list(node.codes(path))
    return {"extras": found}


def _documentation(entry: Entry) -> FieldValues:
    nodes = entry.identification.find_all(_DOCUMENTATION)
    found = ({"title": n.text("title"), "url": n.text("onlineResource/*/linkage")} for n in nodes)
    return {"extras": {"additional-documentation": json_list(map(without_blanks, found))}}


def _lineage_parts(entry: Entry) -> FieldValues:
    """Read the steps and sources beside a statement; without one they are the lineage."""
    if not entry.record.texts(*(f"{path}/statement" for path in _LINEAGES)):
        return {}
    parts = {"lineage-process-steps": "processStep", "lineage-sources": "source"}
    texts = {
        name: entry.record.texts(*(f"{path}/{part}/*/description" for path in _LINEAGES))
        for name, part in parts.items()
    }
    return {"extras": {name: json_list(map(plain_text, each)) for name, each in texts.items()}}


def _measures(entry: Entry) -> FieldValues:
    reports = entry.record.find_all("dataQualityInfo/*/report/*")
    return {"extras": {"quality-measures": json_list(map(_measure, reports))}}


def _measure(node: IsoNode) -> dict[str, str]:
    result = node.first("result/DQ_QuantitativeResult")
    unit = result.first("valueUnit") if result else None
    facts = {
        "name": node.text("nameOfMeasure", "measure/*/nameOfMeasure"),
        "description": node.text("measureDescription", "measure/*/measureDescription"),
        "value": result.text("value") if result else "",
        "unit": (unit.href or unit.own_text().text) if unit else "",
    }
    return without_blanks(facts)


_NAMES = (*_TEXTS, *_CODES, *_OF_RECORD, *_CODES_OF_RECORD)


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:maintenanceAndUpdateFrequency", "gmd:maintenanceNote"),
        "frequency; extras frequency-of-update, maintenance-note",
        _maintenance,
    ),
    Field(
        ("gmd:distance", "gmd:equivalentScale"),
        "extras spatial-resolution, spatial-resolution-units, equivalent-scale",
        _resolution,
    ),
    Field(("gmd:MD_Format",), "extra data-format", _formats),
    Field(
        ("srv:serviceType", "srv:serviceTypeVersion", "gmd:spatialRepresentationType")
        + ("gmd:characterSet",),
        "extras spatial-data-service-type, service-type-version, spatial-representation-type,"
        " character-set",
        _kind,
    ),
    Field(
        ("gmd:graphicOverview",),
        "extras graphic-preview-file, graphic-preview-description, graphic-preview-type",
        _picture,
    ),
    Field(("gmd:LI_Lineage/gmd:statement",), "extra lineage", _lineage),
    Field(("gmd:DQ_Scope/gmd:level",), "extra quality-scope", _scope),
    Field(("gmd:DQ_ConformanceResult",), "extra conformity", _conformity),
    Field(
        ("gmd:otherCitationDetails", "gmd:collectiveTitle", "gmd:ISBN", "gmd:ISSN")
        + ("gmd:editionDate", "gmd:series", "gmd:presentationForm", "gmd:dateOfNextUpdate")
        + ("gmd:environmentDescription", "gmd:resourceSpecificUsage", "gmd:userNote")
        + ("gmd:classificationSystem", "gmd:handlingDescription", "mri:levelOfDetail")
        + ("mri:temporalResolution", "mri:processingLevel", "mdb:metadataLinkage")
        + ("gmd:distributionOrderProcess", "gmd:transferSize", "gmd:offLine"),
        f"extras {', '.join(_NAMES)}",
        _texts,
    ),
    Field(("mri:additionalDocumentation",), "extra additional-documentation", _documentation),
    Field(
        ("gmd:LI_ProcessStep", "gmd:LI_Source"),
        "extras lineage-process-steps, lineage-sources",
        _lineage_parts,
    ),
    Field(("gmd:DQ_QuantitativeResult",), "extra quality-measures", _measures),
)
