"""Titles, dates and identifiers of a GEMINI record's resource: elements 2, 3, 4, 8, 27, 36."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, text_or_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

# CI_DateTypeCode of ISO 19115 and 19115-3, and other spellings of it.
_ISSUED = ("publication", "released", "issued")
_MODIFIED = ("revision", "lastRevision", "lastUpdate")


def title(identification: IsoNode) -> str:
    """Return the title (GEMINI 1) on one line, "" if there is none."""
    return plain_line(identification.text("citation/*/title"))


def _abstract(entry: Entry) -> FieldValues:
    return {"notes": plain_text(entry.identification.text("abstract"))}


def _names(entry: Entry) -> FieldValues:
    citation = "citation/*/"
    return {
        "version": entry.identification.text(citation + "edition"),
        "extras": {
            "alternative-title": json_list(entry.identification.texts(citation + "alternateTitle"))
        },
    }


def _identifiers(entry: Entry) -> FieldValues:
    nodes = entry.identification.find_all("citation/*/identifier/*")
    return {"extras": {"resource-identifier": json_list(map(_identifier, nodes))}}


def _identifier(node: IsoNode) -> dict[str, str]:
    """Read GEMINI 36: an Anchor's URL is the identifier, its text is for people."""
    said = node.first_text_at("code")
    if said is None:
        return {}
    title = said.text if said.href else ""
    namespace = node.text("codeSpace")
    return without_blanks({"code": said.href or said.text, "title": title, "namespace": namespace})


def _dates(entry: Entry) -> FieldValues:
    found = list(_typed_dates(entry.identification))
    issued = [day for kind, day, _ in found if day and kind in _ISSUED]
    modified = [day for kind, day, _ in found if day and kind in _MODIFIED]
    return {
        "issued": min(issued, default=""),
        "modified": max(modified, default=""),
        "extras": {
            # A date that could not be read is kept unchanged.
            "dataset-reference-date": json_list(
                {"type": kind, "value": day or text} for kind, day, text in found
            )
        },
    }


def _typed_dates(identification: IsoNode) -> Iterator[tuple[str, str, str]]:
    """Yield type, parsed date, and the date as written."""
    for each in identification.find_all("citation/*/date/*"):
        if text := each.text("date"):
            day = each.parse_value("gmd:date", text, parse_date, "bad-date")
            yield each.code("dateType"), day, text


def _language(entry: Entry) -> FieldValues:
    found = []
    for each in entry.identification.find_all(
        "language", "defaultLocale/*/language", "otherLocale/*/language"
    ):
        # "eng; USA": the country comes after the language.
        text = each.own_code().partition(";")[0].strip()
        found.append(each.parse_value("gmd:language", text, parse_language, "bad-language"))
    return {"language": tuple(dict.fromkeys(filter(None, found)))}


def _words(entry: Entry) -> FieldValues:
    """Read free texts that have no field of their own."""
    node = entry.identification
    texts = {
        "additional-information": node.texts("supplementalInformation"),
        "purpose": node.texts("purpose"),
        "credit": node.texts("credit"),
    }
    return {
        "extras": {
            name: "\n\n".join(dict.fromkeys(map(plain_text, each))) for name, each in texts.items()
        }
    }


def _related(entry: Entry) -> FieldValues:
    """Read other resources that this one belongs to or is derived from."""
    nodes = entry.identification.find_all("aggregationInfo/*", "associatedResource/*")
    return {"extras": {"aggregation-info": json_list(map(_relation, nodes))}}


def _relation(node: IsoNode) -> dict[str, str]:
    facts = {
        "title": node.text("aggregateDataSetName/*/title", "name/*/title"),
        "identifier": node.text(
            "aggregateDataSetIdentifier/*/code",
            "aggregateDataSetName/*/identifier/*/code",
            "name/*/identifier/*/code",
            "metadataReference/*/identifier/*/code",
        ),
        "association": node.code("associationType"),
        "initiative": node.code("initiativeType"),
    }
    return without_blanks(facts)


def _state(entry: Entry) -> FieldValues:
    return {"extras": {"progress": text_or_list(entry.identification.codes("status"))}}


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:abstract",), "notes", _abstract),
    Field(("gmd:alternateTitle", "gmd:edition"), "version; extra alternative-title", _names),
    Field(("gmd:CI_Citation/gmd:identifier",), "extra resource-identifier", _identifiers),
    Field(
        ("gmd:CI_Citation/gmd:date",),
        "issued, modified; extra dataset-reference-date",
        _dates,
    ),
    Field(("gmd:MD_DataIdentification/gmd:language",), "language", _language),
    Field(
        ("gmd:supplementalInformation", "gmd:purpose", "gmd:credit"),
        "extras additional-information, purpose, credit",
        _words,
    ),
    Field(("gmd:aggregationInfo",), "extra aggregation-info", _related),
    Field(("gmd:status",), "extra progress", _state),
)
