"""Records for the rules on identifiers, codes and encoding."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import GUID, dataset, date, service, swapped

_SPACE = text("gmd:codeSpace", "")
_KIND = "MD_SpatialRepresentationTypeCode"


def _kind(word: str) -> str:
    return code("gmd:spatialRepresentationType", _KIND, word)


def _characters(word: str) -> str:
    return code("gmd:characterSet", "MD_CharacterSetCode", word)


def _twice(word: str) -> str:
    return dataset(reference_date=date("2024-01-02", word) + date("2025-03-04", word))


CASES = {
    "gemini-a3-id": (dataset(file_id="{file_id}{file_id}"), dataset()),
    "gemini-a3-value": (dataset(file_id=text("gmd:fileIdentifier", " ")), dataset()),
    "gemini-a3-braces": (swapped(dataset(), GUID, f"{{{GUID}}}"), dataset()),
    "gemini-30-needed": (dataset(date_stamp=""), dataset()),
    "gemini-30-value": (dataset(date_stamp=el("gmd:dateStamp", el("gco:DateTime"))), dataset()),
    "gemini-a2-data": (
        swapped(dataset(), "gmd:MD_DataIdentification", "srv:SV_ServiceIdentification"),
        swapped(dataset(), "gmd:MD_DataIdentification", "gmi:MI_MD_DataIdentification"),
    ),
    "gemini-a2-service": (
        swapped(service(), "srv:SV_ServiceIdentification", "gmd:MD_DataIdentification"),
        service(),
    ),
    "gemini-a1-citation": (
        swapped(dataset(), "<gmd:citation>", '<gmd:citation gco:nilReason="missing">'),
        dataset(),
    ),
    "gemini-36-needed": (dataset(identifier=""), service(identifier="")),
    "gemini-36-code": (dataset(identifier_code=nil("gmd:code")), dataset()),
    "gemini-36-space": (
        dataset(identifier_code="{identifier_code}" + _SPACE),
        dataset(identifier_code="{identifier_code}" + nil("gmd:codeSpace")),
    ),
    "gemini-a5-creation": (_twice("creation"), _twice("publication")),
    "gemini-a7-revision": (_twice("revision"), _twice("publication")),
    "gemini-53-code": (
        dataset(frequency=el("gmd:maintenanceAndUpdateFrequency")),
        dataset(frequency=nil("gmd:maintenanceAndUpdateFrequency")),
    ),
    "gemini-50-needed": (dataset(representation=""), service()),
    "gemini-50-code": (dataset(representation=nil("gmd:spatialRepresentationType")), dataset()),
    "gemini-50-list": (
        dataset(representation=_kind("video")),
        dataset(representation=_kind("tin")),
    ),
    "gemini-51-code": (dataset(character_set=_characters("")), dataset(character_set="")),
    "gemini-51-list": (
        dataset(character_set=_characters("utf-8")),
        dataset(character_set=_characters("8859part16")),
    ),
    "gemini-a6-empty": (dataset(extra=text("gmd:dataSetURI", " ")), dataset()),
}
