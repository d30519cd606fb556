"""GEMINI 23, 33 and 35: responsible parties, the record's language and its contact."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    MAIL,
    ORGANISATION,
    code,
    exactly_one,
    language,
    needed,
    not_nil,
    party,
    quoted,
    text_of,
    written_name,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Rule, Test

_RESPONSIBLE = "identificationInfo/*/pointOfContact"
_CONTACT = "contact"
_NAME = "Responsible organisation"
_CONTACT_NAME = "Metadata point of contact"
_WANTED = "the name of the organisation and an email address"
_PARTY_EXAMPLE = "Borchester Borough Council, maps@borchester.example"


def _filled(path: str) -> Test:
    """Require text in those of the two that each party has (AP-2); the message names the empty."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.at(f"{path}/{ORGANISATION}", f"{path}/{MAIL}"):
            if node.nil or not text_of(node).strip():
                found = f"nilReason '{shorten(node.nil)}'" if node.nil else "nothing"
                yield Failure(f"has {found} in {written_name(node.element)}", node)

    return test


def _no_contact_role(metadata: Metadata) -> Iterator[Failure]:
    contacts = metadata.at(_CONTACT)
    roles = [each.code("*/role") for each in contacts]
    if contacts and "pointOfContact" not in roles:
        words = quoted(roles, " or ")
        yield Failure(f"is {words}" if words else "is missing", contacts[0])


RULES = (
    Rule(
        "gemini-33-one",
        "Metadata language",
        "gmd:language",
        exactly_one("language"),
        "the language that the record is written in, once",
        '<gmd:LanguageCode … codeListValue="eng">English</gmd:LanguageCode>',
        number="MI-33",
    ),
    Rule(
        "gemini-33-lang",
        "Metadata language",
        "gmd:language",
        language("language"),
        "one gmd:LanguageCode with a code of three letters",
        '<gmd:LanguageCode … codeListValue="eng">English</gmd:LanguageCode>',
        number="AP-4a AP-4b AP-4c",
    ),
    # GEMINI's Schematron leaves a missing contact to the XSD, which is not used for every record.
    Rule(
        "gemini-35-needed",
        _CONTACT_NAME,
        "gmd:contact",
        needed(_CONTACT),
        "an organisation to contact about this record, its email address and a role",
        f"{_PARTY_EXAMPLE}, pointOfContact",
    ),
    Rule(
        "gemini-35-nil",
        _CONTACT_NAME,
        "gmd:contact",
        not_nil(_CONTACT),
        _WANTED,
        _PARTY_EXAMPLE,
        number="MI-35a",
    ),
    Rule(
        "gemini-35-party",
        _CONTACT_NAME,
        "gmd:contact",
        party(_CONTACT),
        f"{_WANTED}, one of each",
        _PARTY_EXAMPLE,
        number="AP-5a AP-5b",
        unless=("gemini-35-nil",),
    ),
    Rule(
        "gemini-35-value",
        _CONTACT_NAME,
        "gmd:contact",
        _filled(_CONTACT),
        _WANTED,
        _PARTY_EXAMPLE,
        number="AP-2",
    ),
    Rule(
        "gemini-35-role",
        _CONTACT_NAME,
        "gmd:role",
        _no_contact_role,
        "at least one contact with the role pointOfContact",
        '<gmd:CI_RoleCode … codeListValue="pointOfContact"/>',
        number="MI-35b",
        unless=("gemini-35-nil",),
    ),
    Rule(
        "gemini-23-needed",
        _NAME,
        "gmd:pointOfContact",
        needed(_RESPONSIBLE),
        f"{_WANTED}, with its role",
        f"{_PARTY_EXAMPLE}, distributor",
        number="MI-23a",
    ),
    Rule(
        "gemini-23-nil",
        _NAME,
        "gmd:pointOfContact",
        not_nil(_RESPONSIBLE),
        _WANTED,
        _PARTY_EXAMPLE,
        number="MI-23b",
    ),
    Rule(
        "gemini-23-party",
        _NAME,
        "gmd:pointOfContact",
        party(_RESPONSIBLE),
        f"{_WANTED}, one of each",
        _PARTY_EXAMPLE,
        number="AP-5a AP-5b",
        unless=("gemini-23-nil",),
    ),
    Rule(
        "gemini-23-value",
        _NAME,
        "gmd:pointOfContact",
        _filled(_RESPONSIBLE),
        _WANTED,
        _PARTY_EXAMPLE,
        number="AP-2",
    ),
    Rule(
        "gemini-23-role",
        _NAME,
        "gmd:role",
        code(f"{_RESPONSIBLE}/*/role"),
        "the role that the organisation has for the resource",
        '<gmd:CI_RoleCode … codeListValue="distributor"/>',
        number="AP-3",
    ),
)
