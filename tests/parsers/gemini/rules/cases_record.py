"""Records for the rules on the record itself: contacts, codes and encoding, GEMINI 2.1."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import GUID, dataset, date, service, swapped

_TWO_LETTERS = code("gmd:language", "LanguageCode", "en")
_TWO_MAILS = text("gmd:electronicMailAddress", "a@borchester.example") * 2
_OWNER = code("gmd:role", "CI_RoleCode", "owner")
_WITHOUT_MAIL = el(
    "gmd:contact/gmd:CI_ResponsibleParty",
    text("gmd:organisationName", "Felpersham Port"),
    code("gmd:role", "CI_RoleCode", "owner"),
)
_SPACE = text("gmd:codeSpace", "")
_KIND = "MD_SpatialRepresentationTypeCode"


def _kind(word: str) -> str:
    return code("gmd:spatialRepresentationType", _KIND, word)


def _characters(word: str) -> str:
    return code("gmd:characterSet", "MD_CharacterSetCode", word)


def _twice(word: str) -> str:
    return dataset(reference_date=date("2024-01-02", word) + date("2025-03-04", word))


_LICENCE = text("gmd:useLimitation", "Open Government Licence v3.0")


def _limited(licence: str = _LICENCE) -> str:
    """Return constraints as 2.1 has them: a block on access, and the licence."""
    return "{access}" + el("gmd:resourceConstraints/gmd:MD_Constraints", licence)


_UNMARKED = {"constraints": "", "standard": "", "representation": ""}

CASES = {
    "gemini-33-one": (dataset(language=""), dataset()),
    "gemini-33-lang": (dataset(language=_TWO_LETTERS), dataset()),
    "gemini-35-needed": (dataset(contact=""), dataset()),
    "gemini-35-nil": (dataset(contact=nil("gmd:contact")), dataset()),
    "gemini-35-party": (dataset(contact="{contact}" + _WITHOUT_MAIL), dataset()),
    "gemini-35-value": (dataset(contact_mail=text("gmd:electronicMailAddress", " ")), dataset()),
    "gemini-35-role": (
        dataset(contact_role=_OWNER),
        # One of several is enough.
        dataset(contact=_WITHOUT_MAIL + "{contact}"),
    ),
    "gemini-23-needed": (dataset(point_of_contact=""), dataset()),
    "gemini-23-nil": (dataset(point_of_contact=nil("gmd:pointOfContact")), dataset()),
    "gemini-23-party": (dataset(mail=_TWO_MAILS), dataset()),
    "gemini-23-value": (dataset(organisation=nil("gmd:organisationName")), dataset()),
    "gemini-23-role": (dataset(role=code("gmd:role", "CI_RoleCode", "")), dataset(role=_OWNER)),
    "gemini-a3-id": (dataset(file_id="{file_id}{file_id}"), dataset()),
    "gemini-a3-value": (dataset(file_id=text("gmd:fileIdentifier", " ")), dataset()),
    "gemini-a3-braces": (swapped(dataset(), GUID, f"{{{GUID}}}"), dataset()),
    "gemini-30-needed": (dataset(date_stamp=""), dataset()),
    "gemini-30-value": (dataset(date_stamp=el("gmd:dateStamp/gco:DateTime")), dataset()),
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
    "gemini-25-restricted": (dataset(), dataset(constraints=_limited())),
    "gemini-25-other": (dataset(access_text=""), dataset(constraints=_limited())),
    "gemini-26-needed": (dataset(), dataset(constraints=_limited())),
    "gemini-26-value": (
        dataset(constraints=_limited(text("gmd:useLimitation", " "))),
        dataset(constraints=_limited(nil("gmd:useLimitation", "unknown"))),
    ),
    "gemini-17-reason": (dataset(crs=text("gmd:code", "")), dataset(crs=nil("gmd:code"))),
    "gemini-21-reason": (
        dataset(format_version=text("gmd:version", "")),
        dataset(format_version=nil("gmd:version", "missing")),
    ),
    "gemini-41-pass": (
        dataset(**{"pass": nil("gmd:pass", "unknown")}),
        dataset(**{"pass": el("gmd:pass/gco:Boolean", "false")}),
    ),
    "gemini-o-root": (dataset(root="gmi:MI_Metadata"), dataset()),
    "gemini-o54-edition": (
        dataset(**_UNMARKED),
        dataset(**_UNMARKED | {"standard": "{standard}"}),
    ),
    "gemini-o45-chars": (
        dataset(file_id=text("gmd:fileIdentifier", "land use 2025")),
        dataset(file_id=text("gmd:fileIdentifier", " https://borchester.example/id/%20?a=(1) ")),
    ),
    "gemini-o30-future": (
        dataset(date_stamp=el("gmd:dateStamp/gco:DateTime", "2199-01-01T00:00:00")),
        dataset(date_stamp=el("gmd:dateStamp/gco:Date", "soon")),
    ),
    "gemini-o-gml": (
        swapped(dataset(), "http://www.opengis.net/gml/3.2", "http://www.opengis.net/gml"),
        dataset(),
    ),
}
