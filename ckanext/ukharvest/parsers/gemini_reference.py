"""The spatial reference systems of a GEMINI record (element 17)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ckanext.ukharvest.core import crs
from ckanext.ukharvest.core.mapping import Field, Found
from ckanext.ukharvest.core.values import is_web_url, shorten
from ckanext.ukharvest.parsers.gemini_entry import Entry, listed, without_blanks
from ckanext.ukharvest.parsers.iso_node import IsoNode

EXPECTED = "expected one of EPSG's, such as http://www.opengis.net/def/crs/EPSG/0/27700"
_IDENTIFIERS = "referenceSystemInfo/*/referenceSystemIdentifier/*"
# Real records have up to three; each costs a look-up of about 10 ms.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference system as a record names it.

    Attributes:
        code, href: its code and the address of the code's Anchor; "" if there is none.
        space: the code space or else the authority that the code is of.
        system: which one it is, None for an unknown one.
        node: where it stands.
    """

    code: str
    href: str
    space: str
    system: crs.System | None
    node: IsoNode


def references(entry: Entry) -> tuple[Reference, ...]:
    """The systems that a record names, in its order, each once; those without a code left out.

    Those behind the first 50 elements are not looked at; ``_systems`` reports them.
    """
    nodes = islice(entry.record.each(_IDENTIFIERS), _MOST)
    found = (_reference(node) for node in nodes)
    return tuple({(each.code, each.href): each for each in found if each}.values())


def _reference(node: IsoNode) -> Reference | None:
    said = node.first_said("code")
    if said is None:
        return None
    space = node.text("codeSpace", "authority/*/title")
    # The Anchor's address means the system, its words are free; 19115-3 has a description beside.
    told = ((said.href, ""), (said.text, space), (node.text("description"), ""))
    system = next(filter(None, (crs.find(*each) for each in told)), None)
    return Reference(said.text or said.href, said.href, space, system, node)


def _systems(entry: Entry) -> Found:
    found = references(entry)
    for each in found:
        if not each.system and not _is_of_a_register(each):
            words = f"'{shorten(each.code, 60)}' is no known reference system; {EXPECTED}"
            each.node.report("unknown-reference-system", "gmd:referenceSystemInfo", words)
    for node in islice(entry.record.each(_IDENTIFIERS), _MOST, _MOST + 1):
        words = f"the record has more than {_MOST} reference systems, of which the first are read"
        node.report("unknown-reference-system", "gmd:referenceSystemInfo", f"{words}; {EXPECTED}")
    facts = [_facts(each) for each in found]
    says_more = len(facts) > 1 or any(len(each) > 1 for each in facts)
    return {
        "extras": {
            "spatial-reference-system": found[0].code if found else "",
            "spatial-reference-systems": listed(facts) if says_more else "",
        }
    }


def _is_of_a_register(reference: Reference) -> bool:
    """GEMINI 17: postcodes and the like are named by their register's own address."""
    address = reference.href or reference.code
    return is_web_url(address) and not crs.says_order(address)


def _facts(reference: Reference) -> dict[str, str]:
    system = reference.system
    parts = {
        "code": reference.code,
        "href": reference.href if reference.href != reference.code else "",
        "codeSpace": reference.space,
        "epsg": system.code if system and system.code != reference.code else "",
        "name": system.name if system else "",
    }
    return without_blanks(parts)


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:referenceSystemInfo",),
        "extras spatial-reference-system, spatial-reference-systems",
        _systems,
    ),
)
