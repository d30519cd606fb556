"""Who may see a GEMINI record's resource and on what terms: elements 25 and 26.

Versions differ: 2.1 puts the licence into useLimitation, 2.3 into otherConstraints beside
useConstraints; many put it beside accessConstraints, or only into an Anchor's address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ckanext.ukharvest.core import licences
from ckanext.ukharvest.core.licence_phrases import addresses
from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import is_web_url
from ckanext.ukharvest.parsers.gemini_entry import Entry, listed
from ckanext.ukharvest.parsers.iso_node import IsoNode, Said

# INSPIRE's code lists: their addresses decide what a text is about, whatever stands beside it.
_ACCESS = "/LimitationsOnPublicAccess/"
_USE = "/ConditionsApplyingToAccessAndUse/"

# MD_RestrictionCode: publishers write the code where its meaning is wanted.
_CODES = frozenset(
    ("copyright", "patent", "patentPending", "trademark", "license", "intellectualPropertyRights")
    + ("restricted", "otherRestrictions")
)
_PREFIX = re.compile(r"(?:access|use)\s+(?:constraints?|limitations?)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """All that the constraints say, in the record's order; some of it may be of both kinds."""

    access: tuple[Said, ...]
    use: tuple[Said, ...]


def _terms(identification: IsoNode) -> Terms:
    access: list[Said] = []
    use: list[Said] = []
    for block in identification.each("resourceConstraints/*"):
        is_access = any(block.codes("accessConstraints"))
        is_use = any(block.codes("useConstraints"))
        for said in block.said("otherConstraints"):
            on_access, on_use = _ACCESS in said.href, _USE in said.href
            if on_access or not on_use and (is_access or not is_use):
                access.append(said)
            if on_use or not on_access and is_use:
                use.append(said)
        use += [said for said in block.said("useLimitation") if said.text not in _CODES]
        # ISO 19115-3 cites a licence.
        use += [
            Said(each.text("title"), each.text("onlineResource/*/linkage"))
            for each in block.each("reference/*")
        ]
    return Terms(tuple(access), tuple(use))


def _given(terms: Terms) -> tuple[Said, ...]:
    """What is said of the use; beside accessConstraints only what is a licence counts as that."""
    if any(map(_known, terms.use)):
        return terms.use
    return terms.use + tuple(said for said in terms.access if _known(said))


def has_licence(identification: IsoNode) -> bool:
    """Tell whether the terms name a licence, or lead to their text by an address."""
    given = _given(_terms(identification))
    return any(map(_known, given)) or bool(_address(given))


def _read(entry: Entry) -> Found:
    terms = _terms(entry.identification)
    given = _given(terms)
    words = tuple(dict.fromkeys(filter(None, map(_shown, given))))
    licence = _licence(given, "; ".join(words))
    return {
        "licence": licence,
        "extras": {
            "licence": "; ".join(words),
            "licence_url": licence.url if licence else "",
            "access_constraints": listed(map(_shown, terms.access)),
            "limitations-on-public-access": listed(
                said.href for said in terms.access if _ACCESS in said.href
            ),
        },
    }


def _codes(entry: Entry) -> Found:
    """The codes that say more than that there is a text."""
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
            name: listed(code for code in each if code != "otherRestrictions")
            for name, each in codes.items()
        }
    }


def _licence(given: Sequence[Said], words: str) -> Licence | None:
    """The licence that the texts give; where they give several or hold back, their words alone."""
    texts = [said.text for said in given]
    if found := licences.agreed(filter(None, map(_known, given)), texts):
        return replace(found, title=words)
    if all(licences.find(text) is None for text in texts) and not _address(given):
        return None
    return Licence(title=words, url=_address(given))


def _shown(said: Said) -> str:
    """The words, or the address where they are missing or a mere code."""
    return said.href if said.href and said.text in _CODES else said.text or said.href


def _known(said: Said) -> Licence | None:
    """The licence that an address or a text is that of, if CKAN has it."""
    for text in (said.href, _PREFIX.sub("", said.text)):
        if (found := licences.find(text)) and found.id:
            return found
    return None


def _address(given: Iterable[Said]) -> str:
    """The first address that stands there."""
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
