"""The spatial reference systems of a GEMINI record (element 17)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values import coordinate_systems
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

EXPECTED = "expected one of EPSG's, such as http://www.opengis.net/def/crs/EPSG/0/27700"
_IDENTIFIERS = "referenceSystemInfo/*/referenceSystemIdentifier/*"
# Real records have up to three; each look-up takes about 10 ms.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference system as a record names it.

    Attributes:
        code, href: its code and the URL of the code's Anchor; "" if there is none.
        space: the code space, else the authority of the code.
        system: the known system, None if unknown.
        node: its element.
    """

    code: str
    href: str
    space: str
    system: coordinate_systems.System | None
    node: IsoNode


def references(entry: Entry) -> tuple[Reference, ...]:
    """Return the systems that a record names, in order, without repeats or those without a code.

    Only the first 50 elements are read; ``_systems`` reports the rest.
    """
    nodes = islice(entry.record.find_all(_IDENTIFIERS), _MOST)
    found = (_reference(node) for node in nodes)
    return tuple({(each.code, each.href): each for each in found if each}.values())


def _reference(node: IsoNode) -> Reference | None:
    said = node.first_text_at("code")
    if said is None:
        return None
    space = node.text("codeSpace", "authority/*/title")
    # The Anchor's URL identifies the system, its text is free; 19115-3 also has a description.
    told = ((said.href, ""), (said.text, space), (node.text("description"), ""))
    system = next(filter(None, (coordinate_systems.find(*each) for each in told)), None)
    return Reference(said.text or said.href, said.href, space, system, node)


def _systems(entry: Entry) -> FieldValues:
    found = references(entry)
    for each in found:
        if not each.system and not _is_of_a_register(each):
            words = f"'{shorten(each.code, 60)}' is no known reference system; {EXPECTED}"
            each.node.report("unknown-reference-system", "gmd:referenceSystemInfo", words)
    for node in islice(entry.record.find_all(_IDENTIFIERS), _MOST, _MOST + 1):
        words = f"the record has more than {_MOST} reference systems, of which the first are read"
        node.report("unknown-reference-system", "gmd:referenceSystemInfo", f"{words}; {EXPECTED}")
    facts = [_facts(each) for each in found]
    says_more = len(facts) > 1 or any(len(each) > 1 for each in facts)
    return {
        "extras": {
            "spatial-reference-system": found[0].code if found else "",
            "spatial-reference-systems": json_list(facts) if says_more else "",
        }
    }


def _is_of_a_register(reference: Reference) -> bool:
    """Tell whether a register's own URL names the system, as for postcodes (GEMINI 17)."""
    address = reference.href or reference.code
    return is_web_url(address) and not coordinate_systems.says_order(address)


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
