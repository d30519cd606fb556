"""Metadata about a GEMINI record itself: elements 30, 33, 35, 39, 47, 49, 54 and 55."""

from __future__ import annotations

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini.entry import Entry, text_or_list


def _date(entry: Entry) -> FieldValues:
    stamp = gemini_document.stamp(entry.record)
    date = stamp.node.parse_value(stamp.field, stamp.text, parse_date, "bad-date")
    # A date that could not be read is kept unchanged.
    return {"metadata_modified": date, "extras": {"metadata-date": stamp.text}}


def _language(entry: Entry) -> FieldValues:
    code = entry.record.code("language", "defaultLocale/*/language")
    # "eng; USA": the country is not used.
    return {"extras": {"metadata-language": code.partition(";")[0].strip()}}


def _parent(entry: Entry) -> FieldValues:
    paths = ("parentIdentifier", "parentMetadata/*/identifier/*/code")
    parent = entry.record.text(*paths)
    by_reference = entry.record.first("parentMetadata")
    if not parent and by_reference is not None:
        parent = by_reference.attribute("uuidref")
    return {"extras": {"parent-identifier": parent}}


def _type(entry: Entry) -> FieldValues:
    kind = entry.record.code("hierarchyLevel", "metadataScope/*/resourceScope")
    names = entry.record.texts("hierarchyLevelName", "metadataScope/*/name")
    return {
        "extras": {
            "resource-type": kind,
            "hierarchy-level-name": text_or_list(names),
            # data.gov.uk's mark of location data, from "UK Location Programme".
            "UKLP": "" if kind.lower() == "nongeographicdataset" else "True",
        }
    }


def _standard(entry: Entry) -> FieldValues:
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


def _page(entry: Entry) -> FieldValues:
    for node in entry.record.find_all("dataSetURI"):
        said = node.own_text()
        if text := said.href or said.text:
            return {"url": node.parse_value("gmd:dataSetURI", text, parse_url, "bad-url")}
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
