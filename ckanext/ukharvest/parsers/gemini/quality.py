"""Properties and quality of a GEMINI record's resource, and elements beyond UK GEMINI.

Elements 10, 18, 21, 37, 41, 43, 48, 50, 51 and 53, and a picture; elements of ISO 19115 alone
become extras.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.multivalue import as_text, text_or_list
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.gemini.document import (
    Entry,
    IsoNode,
    json_objects,
    row,
    without_blanks,
)
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row


def _maintenance(entry: Entry) -> FieldValues:
    field = "gmd:maintenanceAndUpdateFrequency"
    frequency = ""
    written = []
    for node in entry.identification.find_all(
        "resourceMaintenance/*/maintenanceAndUpdateFrequency"
    ):
        written.append(node.own_code())
        frequency = frequency or node.parse_value(
            field, written[-1], parse_frequency, "bad-frequency"
        )
    return {"frequency": frequency, "extras": {"frequency-of-update": text_or_list(written)}}


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
                _number(denominator, "gmd:denominator") for denominator in denominators
            ),
        }
    }


def _number(node: IsoNode, field: str) -> str:
    """Return a property's number as written; report anything else."""
    text = node.own_text()
    return node.parse_value(field, text.text or text.href, _parse_number, "bad-number")


def _parse_number(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number <= 0:
        raise ValueError(
            Message(
                "'{text}' is not a number above 0; expected one such as 10", text=shorten(text, 40)
            )
        )
    return text


def _format(node: IsoNode) -> dict[str, str]:
    cited = "formatSpecificationCitation/*/"
    name, *others = dict.fromkeys(node.texts("name", cited + "title")) or [""]
    version = node.text("version", cited + "edition")
    facts = {"name": name, "version": version, "other-names": ", ".join(others)}
    return without_blanks(facts) if name else {}


def _picture(entry: Entry) -> FieldValues:
    """Return the first picture with a full URL: file names alone lead nowhere."""
    for node in entry.identification.find_all("graphicOverview/*"):
        file = node.first_text_at("fileName", "linkage/*/linkage")
        text = (file.href or file.text) if file else ""
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


def _result(node: IsoNode) -> dict[str, Any]:
    """Return one result; ``pass`` is true, false or missing (not evaluated)."""
    citation = "specification/*/"
    date = node.first(citation + "date/*")
    facts = {
        "title": node.text(citation + "title"),
        "date": date.date("date") if date else "",
        "date_type": date.code("dateType") if date else "",
        "explanation": node.text("explanation"),
    }
    result: dict[str, Any] = {**without_blanks(facts)}
    if (passed := node.yes_no("pass")) is not None:
        result["pass"] = passed
    return result


def _document(node: IsoNode) -> dict[str, str]:
    return without_blanks(
        {"title": node.text("title"), "url": node.text("onlineResource/*/linkage")}
    )


def _lineage_parts(entry: Entry) -> FieldValues:
    """Read the steps and sources beside a statement; without one they are the lineage."""
    if not entry.record.texts(*(f"{path}/statement" for path in _LINEAGES)):
        return {}
    parts = {"lineage-process-steps": "processStep", "lineage-sources": "source"}
    texts = {
        name: entry.record.texts(*(f"{path}/{part}/*/description" for path in _LINEAGES))
        for name, part in parts.items()
    }
    return {
        "extras": {
            name: as_text(map(plain_text, descriptions)) for name, descriptions in texts.items()
        }
    }


def _measure(node: IsoNode) -> dict[str, str]:
    result = node.first("result/DQ_QuantitativeResult")
    unit = next(result.texts_at("valueUnit"), None) if result else None
    return without_blanks(
        {
            "name": node.text("nameOfMeasure", "measure/*/nameOfMeasure"),
            "description": node.text("measureDescription", "measure/*/measureDescription"),
            "value": result.text("value") if result else "",
            "unit": (unit.href or unit.text) if unit else "",
        }
    )


_ORDER = "distributionInfo/*/distributor/*/distributionOrderProcess/*"
_TRANSFER = "distributionInfo/*/transferOptions/*"
_USAGE = "resourceSpecificUsage/*"

MAPPING: tuple[Field | Row, ...] = (
    Field(
        ("gmd:maintenanceAndUpdateFrequency",),
        "frequency; extra frequency-of-update",
        _maintenance,
    ),
    row(
        "gmd:maintenanceNote",
        "extra maintenance-note",
        table.paragraphs,
        "resourceMaintenance/*/maintenanceNote",
    ),
    Field(
        ("gmd:distance", "gmd:equivalentScale"),
        "extras spatial-resolution, spatial-resolution-units, equivalent-scale",
        _resolution,
    ),
    row(
        "gmd:MD_Format",
        "extra data-format",
        partial(json_objects, _format),
        "distributionInfo/*/distributionFormat/*",
        "distributionInfo/*/distributor/*/distributorFormat/*",
        "identificationInfo/*/resourceFormat/*",
        of_record=True,
    ),
    row("srv:serviceType", "extra spatial-data-service-type", table.first_text, "serviceType"),
    row(
        "srv:serviceTypeVersion",
        "extra service-type-version",
        table.plain_texts,
        "serviceTypeVersion",
    ),
    row(
        "gmd:spatialRepresentationType",
        "extra spatial-representation-type",
        table.plain_texts,
        "spatialRepresentationType",
    ),
    row(
        "gmd:characterSet",
        "extra character-set",
        table.plain_texts,
        *("characterSet", "defaultLocale/*/characterEncoding"),
    ),
    Field(
        ("gmd:graphicOverview",),
        "extras graphic-preview-file, graphic-preview-description, graphic-preview-type",
        _picture,
    ),
    Field(("gmd:LI_Lineage/gmd:statement",), "extra lineage", _lineage),
    row(
        "gmd:DQ_Scope/gmd:level",
        "extra quality-scope",
        table.plain_texts,
        *("dataQualityInfo/*/scope/*/level", "resourceLineage/*/scope/*/level"),
        of_record=True,
    ),
    row(
        "gmd:DQ_ConformanceResult",
        "extra conformity",
        partial(json_objects, _result),
        "dataQualityInfo/*/report/*/result/DQ_ConformanceResult",
        of_record=True,
    ),
    # Elements of ISO 19115 beyond UK GEMINI.
    row(
        "gmd:otherCitationDetails",
        "extra other-citation-details",
        table.plain_texts,
        "citation/*/otherCitationDetails",
    ),
    row(
        "gmd:collectiveTitle",
        "extra collective-title",
        table.plain_texts,
        "citation/*/collectiveTitle",
    ),
    row("gmd:ISBN", "extra isbn", table.plain_texts, "citation/*/ISBN"),
    row("gmd:ISSN", "extra issn", table.plain_texts, "citation/*/ISSN"),
    row("gmd:editionDate", "extra edition-date", table.plain_texts, "citation/*/editionDate"),
    row(
        "cit:onlineResource",
        "extra citation-linkage",
        table.plain_texts,
        "citation/*/onlineResource/*/linkage",
    ),
    row(
        "gmd:series",
        "extra series",
        table.plain_texts,
        *(f"citation/*/series/*/{name}" for name in ("name", "issueIdentification", "page")),
    ),
    row(
        "gmd:presentationForm",
        "extra presentation-form",
        table.plain_texts,
        "citation/*/presentationForm",
    ),
    row(
        "gmd:dateOfNextUpdate",
        "extra next-update",
        table.plain_texts,
        "resourceMaintenance/*/dateOfNextUpdate",
        "resourceMaintenance/*/maintenanceDate/*/date",
    ),
    row(
        "gmd:environmentDescription",
        "extra environment-description",
        table.plain_texts,
        "environmentDescription",
    ),
    row("gmd:specificUsage", "extra specific-usage", table.plain_texts, f"{_USAGE}/specificUsage"),
    row(
        "gmd:userDeterminedLimitations",
        "extra usage-limitations",
        table.plain_texts,
        f"{_USAGE}/userDeterminedLimitations",
    ),
    row("gmd:userNote", "extra security-note", table.plain_texts, "resourceConstraints/*/userNote"),
    row(
        "gmd:classificationSystem",
        "extra security-classification-system",
        table.plain_texts,
        "resourceConstraints/*/classificationSystem",
    ),
    row(
        "gmd:handlingDescription",
        "extra handling-description",
        table.plain_texts,
        "resourceConstraints/*/handlingDescription",
    ),
    row(
        "mri:levelOfDetail",
        "extra level-of-detail",
        table.plain_texts,
        "spatialResolution/*/levelOfDetail",
    ),
    row(
        "mri:temporalResolution",
        "extra temporal-resolution",
        table.plain_texts,
        "temporalResolution",
    ),
    row(
        "mri:processingLevel", "extra processing-level", table.plain_texts, "processingLevel/*/code"
    ),
    row(
        "mdb:metadataLinkage",
        "extra metadata-linkage",
        table.plain_texts,
        "metadataLinkage/*/linkage",
        of_record=True,
    ),
    row("gmd:fees", "extra fees", table.plain_texts, f"{_ORDER}/fees", of_record=True),
    row(
        "gmd:plannedAvailableDateTime",
        "extra planned-available",
        table.plain_texts,
        f"{_ORDER}/plannedAvailableDateTime",
        of_record=True,
    ),
    row(
        "gmd:orderingInstructions",
        "extra ordering-instructions",
        table.plain_texts,
        f"{_ORDER}/orderingInstructions",
        of_record=True,
    ),
    row(
        "gmd:turnaround",
        "extra turnaround",
        table.plain_texts,
        f"{_ORDER}/turnaround",
        of_record=True,
    ),
    row(
        "gmd:unitsOfDistribution",
        "extra units-of-distribution",
        table.plain_texts,
        f"{_TRANSFER}/unitsOfDistribution",
        of_record=True,
    ),
    # In megabytes.
    row(
        "gmd:transferSize",
        "extra transfer-size",
        table.plain_texts,
        f"{_TRANSFER}/transferSize",
        of_record=True,
    ),
    row(
        "gmd:mediumNote",
        "extra offline-media-note",
        table.plain_texts,
        f"{_TRANSFER}/offLine/*/mediumNote",
        of_record=True,
    ),
    row(
        "gmd:offLine",
        "extra offline-media",
        table.plain_texts,
        f"{_TRANSFER}/offLine/*/name",
        of_record=True,
    ),
    row(
        "mri:additionalDocumentation",
        "extra additional-documentation",
        partial(json_objects, _document),
        "additionalDocumentation/*",
    ),
    Field(
        ("gmd:LI_ProcessStep", "gmd:LI_Source"),
        "extras lineage-process-steps, lineage-sources",
        _lineage_parts,
    ),
    row(
        "gmd:DQ_QuantitativeResult",
        "extra quality-measures",
        partial(json_objects, _measure),
        "dataQualityInfo/*/report/*",
        of_record=True,
    ),
)
