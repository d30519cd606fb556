"""Properties of a GEMINI record's resource: elements 18, 21, 37, 43, 50, 51, 53, and a picture."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, text_or_list
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode


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
)
