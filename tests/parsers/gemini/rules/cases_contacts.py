"""Records for the rules on the metadata's language, its contact and responsible parties."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import dataset

_TWO_LETTERS = code("gmd:language", "LanguageCode", "en")
_TWO_MAILS = text("gmd:electronicMailAddress", "a@borchester.example") * 2
_OWNER = code("gmd:role", "CI_RoleCode", "owner")
_WITHOUT_MAIL = el(
    "gmd:contact",
    el(
        "gmd:CI_ResponsibleParty",
        text("gmd:organisationName", "Felpersham Port"),
        code("gmd:role", "CI_RoleCode", "owner"),
    ),
)

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
}
