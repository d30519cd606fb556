"""What a GEMINI record says of itself: elements 30, 33, 35, 39, 47, 49, 54 and 55."""

from __future__ import annotations

from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.values import parse_date, parse_url
from ckanext.ukharvest.parsers import gemini_document
from ckanext.ukharvest.parsers.gemini_entry import Entry, several


def _date(entry: Entry) -> Found:
    stamp = gemini_document.stamp(entry.record)
    date = stamp.node.parsed(stamp.field, stamp.text, parse_date, "bad-date")
    # What could not be read stays as it is; a date that could takes its place.
    return {"metadata_modified": date, "extras": {"metadata-date": stamp.text}}


def _language(entry: Entry) -> Found:
    code = entry.record.code("language", "defaultLocale/*/language")
    # "eng; USA": the country is of no use here.
    return {"extras": {"metadata-language": code.partition(";")[0].strip()}}


def _parent(entry: Entry) -> Found:
    paths = ("parentIdentifier", "parentMetadata/*/identifier/*/code")
    parent = entry.record.text(*paths)
    by_reference = entry.record.first("parentMetadata")
    if not parent and by_reference is not None:
        parent = by_reference.attribute("uuidref")
    return {"extras": {"parent-identifier": parent}}


def _type(entry: Entry) -> Found:
    kind = entry.record.code("hierarchyLevel", "metadataScope/*/resourceScope")
    names = entry.record.texts("hierarchyLevelName", "metadataScope/*/name")
    return {
        "extras": {
            "resource-type": kind,
            "hierarchy-level-name": several(names),
            # data.gov.uk's mark of location data, from "UK Location Programme".
            "UKLP": "" if kind.lower() == "nongeographicdataset" else "True",
        }
    }


def _standard(entry: Entry) -> Found:
    record = entry.record
    return {
        "extras": {
            "metadata-standard-name": record.text(
                "metadataStandardName", "metadataStandard/*/title"
            ),
            "metadata-standard-version": record.text(
                "metadataStandardVersion", "metadataStandard/*/edition"
            ),
        }
    }


def _page(entry: Entry) -> Found:
    for node in entry.record.each("dataSetURI"):
        said = node.own_said()
        if text := said.href or said.text:
            return {"url": node.parsed("gmd:dataSetURI", text, parse_url, "bad-url")}
    return {}


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:dateStamp",), "metadata_modified", _date),
    Field(("gmd:MD_Metadata/gmd:language",), "extra metadata-language", _language),
    Field(("gmd:parentIdentifier",), "extra parent-identifier", _parent),
    Field(
        ("gmd:hierarchyLevel", "gmd:hierarchyLevelName"),
        "extras resource-type, hierarchy-level-name, UKLP",
        _type,
    ),
    Field(
        ("gmd:metadataStandardName", "gmd:metadataStandardVersion"),
        "extras metadata-standard-name, metadata-standard-version",
        _standard,
    ),
    Field(("gmd:dataSetURI",), "url", _page),
)
