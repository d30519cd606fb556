"""Constraints on access and use of a GEMINI record's resource: elements 25 and 26.

Versions differ: 2.1 puts the licence into useLimitation, 2.3 into otherConstraints next to
useConstraints; many publishers put it next to accessConstraints, or only into an Anchor's URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.licences import addresses
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode, PropertyText

# URLs of INSPIRE's code lists tell what a text is about, whatever element it is next to.
_ACCESS = "/LimitationsOnPublicAccess/"
_USE = "/ConditionsApplyingToAccessAndUse/"

# MD_RestrictionCode: publishers write the code where a text is expected.
_CODES = frozenset(
    ("copyright", "patent", "patentPending", "trademark", "license", "intellectualPropertyRights")
    + ("restricted", "otherRestrictions")
)
_PREFIX = re.compile(r"(?:access|use)\s+(?:constraints?|limitations?)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """All constraints, in the record's order; some may be about both access and use."""

    access: tuple[PropertyText, ...]
    use: tuple[PropertyText, ...]


def _terms(identification: IsoNode) -> Terms:
    access: list[PropertyText] = []
    use: list[PropertyText] = []
    for block in identification.find_all("resourceConstraints/*"):
        is_access = any(block.codes("accessConstraints"))
        is_use = any(block.codes("useConstraints"))
        for said in block.texts_at("otherConstraints"):
            on_access, on_use = _ACCESS in said.href, _USE in said.href
            if on_access or not on_use and (is_access or not is_use):
                access.append(said)
            if on_use or not on_access and is_use:
                use.append(said)
        use += [said for said in block.texts_at("useLimitation") if said.text not in _CODES]
        # ISO 19115-3 cites a licence.
        use += [
            PropertyText(each.text("title"), each.text("onlineResource/*/linkage"))
            for each in block.find_all("reference/*")
        ]
    return Terms(tuple(access), tuple(use))


def _given(terms: Terms) -> tuple[PropertyText, ...]:
    """Return the texts about use; of those next to accessConstraints, only licences."""
    if any(map(_known, terms.use)):
        return terms.use
    return terms.use + tuple(said for said in terms.access if _known(said))


def has_licence(identification: IsoNode) -> bool:
    """Tell whether the terms name a licence, or link to its text."""
    given = _given(_terms(identification))
    return any(map(_known, given)) or bool(_address(given))


def _read(entry: Entry) -> FieldValues:
    terms = _terms(entry.identification)
    given = _given(terms)
    words = tuple(dict.fromkeys(filter(None, map(_shown, given))))
    licence = _licence(given, "; ".join(words))
    return {
        "licence": licence,
        "extras": {
            "licence": "; ".join(words),
            "licence_url": licence.url if licence else "",
            "access_constraints": json_list(map(_shown, terms.access)),
            "limitations-on-public-access": json_list(
                said.href for said in terms.access if _ACCESS in said.href
            ),
        },
    }


def _codes(entry: Entry) -> FieldValues:
    """Return the codes, except those that only refer to the text."""
    names = {
        "access-restrictions": "accessConstraints",
        "use-restrictions": "useConstraints",
        "security-classification": "classification",
    }
    codes = {
        name: entry.identification.codes(f"resourceConstraints/*/{path}")
        for name, path in names.items()
    }
    return {
        "extras": {
            name: json_list(code for code in each if code != "otherRestrictions")
            for name, each in codes.items()
        }
    }


def _licence(given: Sequence[PropertyText], words: str) -> Licence | None:
    """Return the licence of the texts; if several or restricted, only the texts."""
    texts = [said.text for said in given]
    if found := licences.find_agreed_licence(filter(None, map(_known, given)), texts):
        return replace(found, title=words)
    if all(licences.find(text) is None for text in texts) and not _address(given):
        return None
    return Licence(title=words, url=_address(given))


def _shown(said: PropertyText) -> str:
    """Return the text, or the URL if the text is missing or only a code."""
    return said.href if said.href and said.text in _CODES else said.text or said.href


def _known(said: PropertyText) -> Licence | None:
    """Return the licence that a URL or a text stands for, None if CKAN does not have it."""
    for text in (said.href, _PREFIX.sub("", said.text)):
        if (found := licences.find(text)) and found.id:
            return found
    return None


def _address(given: Iterable[PropertyText]) -> str:
    """Return the first URL."""
    for said in given:
        for text in (said.href, said.text):
            if is_web_url(text):
                return text
            if found := next(addresses(text), ""):
                return found
    return ""


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:useLimitation", "gmd:otherConstraints"),
        "licence; extras licence, licence_url, access_constraints, limitations-on-public-access",
        _read,
    ),
    Field(
        ("gmd:accessConstraints", "gmd:useConstraints", "gmd:classification"),
        "extras access-restrictions, use-restrictions, security-classification",
        _codes,
    ),
)
