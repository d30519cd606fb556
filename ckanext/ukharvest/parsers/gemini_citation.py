"""What a GEMINI record calls its resource, and when: elements 2, 3, 4, 8, 27 and 36."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.markup import plain_line, plain_text
from ckanext.ukharvest.core.values import parse_date, parse_language
from ckanext.ukharvest.parsers.gemini_entry import Entry, listed, several, without_blanks
from ckanext.ukharvest.parsers.iso_node import IsoNode

# CI_DateTypeCode of ISO 19115 and 19115-3, and what is written in its place.
_ISSUED = ("publication", "released", "issued")
_MODIFIED = ("revision", "lastRevision", "lastUpdate")


def title(identification: IsoNode) -> str:
    """Return the title (GEMINI 1) on one line, "" if there is none."""
    return plain_line(identification.text("citation/*/title"))


def _abstract(entry: Entry) -> Found:
    return {"notes": plain_text(entry.identification.text("abstract"))}


def _names(entry: Entry) -> Found:
    citation = "citation/*/"
    return {
        "version": entry.identification.text(citation + "edition"),
        "extras": {
            "alternative-title": listed(entry.identification.texts(citation + "alternateTitle"))
        },
    }


def _identifiers(entry: Entry) -> Found:
    nodes = entry.identification.each("citation/*/identifier/*")
    return {"extras": {"resource-identifier": listed(map(_identifier, nodes))}}


def _identifier(node: IsoNode) -> dict[str, str]:
    """GEMINI 36: an Anchor's address is the identifier, its words are for people."""
    said = node.first_said("code")
    if said is None:
        return {}
    title = said.text if said.href else ""
    namespace = node.text("codeSpace")
    return without_blanks({"code": said.href or said.text, "title": title, "namespace": namespace})


def _dates(entry: Entry) -> Found:
    found = list(_typed_dates(entry.identification))
    issued = [day for kind, day, _ in found if day and kind in _ISSUED]
    modified = [day for kind, day, _ in found if day and kind in _MODIFIED]
    return {
        "issued": min(issued, default=""),
        "modified": max(modified, default=""),
        "extras": {
            # What could not be read stays as it is.
            "dataset-reference-date": listed(
                {"type": kind, "value": day or text} for kind, day, text in found
            )
        },
    }


def _typed_dates(identification: IsoNode) -> Iterator[tuple[str, str, str]]:
    """Type, date as it could be read, and as it stands there."""
    for each in identification.each("citation/*/date/*"):
        if text := each.text("date"):
            day = each.parsed("gmd:date", text, parse_date, "bad-date")
            yield each.code("dateType"), day, text


def _language(entry: Entry) -> Found:
    found = []
    for each in entry.identification.each(
        "language", "defaultLocale/*/language", "otherLocale/*/language"
    ):
        # "eng; USA": the country comes after the language.
        text = each.own_code().partition(";")[0].strip()
        found.append(each.parsed("gmd:language", text, parse_language, "bad-language"))
    return {"language": tuple(dict.fromkeys(filter(None, found)))}


def _words(entry: Entry) -> Found:
    """Free texts that have no field of their own."""
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


def _related(entry: Entry) -> Found:
    """Other resources that this one belongs to or comes from."""
    nodes = entry.identification.each("aggregationInfo/*", "associatedResource/*")
    return {"extras": {"aggregation-info": listed(map(_relation, nodes))}}


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


def _state(entry: Entry) -> Found:
    return {"extras": {"progress": several(entry.identification.codes("status"))}}


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
