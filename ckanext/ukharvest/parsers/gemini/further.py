"""Elements of ISO 19115 beyond UK GEMINI, which become extras: citation, order, lineage …"""

from __future__ import annotations

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, text_or_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

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
_LINEAGES = ("dataQualityInfo/*/lineage/*", "resourceLineage/*")
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


def _lineage(entry: Entry) -> FieldValues:
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
        _lineage,
    ),
    Field(("gmd:DQ_QuantitativeResult",), "extra quality-measures", _measures),
)
