"""What a GEMINI record's resource is like: elements 18, 21, 37, 43, 50, 51, 53, and a picture."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.markup import plain_text
from ckanext.ukharvest.core.values import parse_frequency, parse_url, shorten
from ckanext.ukharvest.parsers.gemini_entry import Entry, listed, several
from ckanext.ukharvest.parsers.iso_node import IsoNode


def _maintenance(entry: Entry) -> Found:
    frequency = ""
    codes = []
    for node in entry.identification.each("resourceMaintenance/*/maintenanceAndUpdateFrequency"):
        code = node.own_code()
        codes.append(code)
        field = "gmd:maintenanceAndUpdateFrequency"
        frequency = frequency or node.parsed(field, code, parse_frequency, "bad-frequency")
    notes = entry.identification.texts("resourceMaintenance/*/maintenanceNote")
    return {
        "frequency": frequency,
        "extras": {
            "frequency-of-update": several(codes),
            "maintenance-note": "\n\n".join(dict.fromkeys(map(plain_text, notes))),
        },
    }


def _resolution(entry: Entry) -> Found:
    distances, units = [], []
    for node in entry.identification.each("spatialResolution/*/distance"):
        if text := _number(node, "gmd:distance"):
            distances.append(text)
            measure = node.first("*")
            units.append(measure.attribute("uom") if measure else "")
    denominators = entry.identification.each("spatialResolution/*/equivalentScale/*/denominator")
    return {
        "extras": {
            "spatial-resolution": several(distances),
            "spatial-resolution-units": several(units),
            "equivalent-scale": several(_number(each, "gmd:denominator") for each in denominators),
        }
    }


def _number(node: IsoNode, field: str) -> str:
    """A property's number as it stands there; what is none is reported."""
    return node.parsed(field, node.own_said().text, _parse_number, "bad-number")


def _parse_number(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number <= 0:
        raise ValueError(f"'{shorten(text, 40)}' is not a number above 0; expected one such as 10")
    return text


def _formats(entry: Entry) -> Found:
    found = []
    for node in entry.record.each(
        "distributionInfo/*/distributionFormat/*",
        "distributionInfo/*/distributor/*/distributorFormat/*",
        "identificationInfo/*/resourceFormat/*",
    ):
        cited = "formatSpecificationCitation/*/"
        name = node.text("name", cited + "title")
        version = node.text("version", cited + "edition")
        if name:
            found.append({"name": name, **({"version": version} if version else {})})
    return {"extras": {"data-format": listed(found)}}


def _kind(entry: Entry) -> Found:
    node = entry.identification
    return {
        "extras": {
            "spatial-data-service-type": node.text("serviceType"),
            "service-type-version": several(node.texts("serviceTypeVersion")),
            "spatial-representation-type": several(node.codes("spatialRepresentationType")),
            "character-set": several(
                node.codes("characterSet", "defaultLocale/*/characterEncoding")
            ),
        }
    }


def _picture(entry: Entry) -> Found:
    """The first picture with a whole address: file names alone lead nowhere."""
    for node in entry.identification.each("graphicOverview/*"):
        said = node.first_said("fileName", "linkage/*/linkage")
        text = (said.href or said.text) if said else ""
        if url := node.parsed("gmd:fileName", text, parse_url, "bad-url"):
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
