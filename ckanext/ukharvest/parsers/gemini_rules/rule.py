"""What a rule for location data records is: one row of the tables in this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata
from ckanext.ukharvest.parsers.iso_node import IsoNode

DATASET, SERIES, SERVICE = "dataset", "series", "service"
DATA = frozenset((DATASET, SERIES))
SERVICES = frozenset((SERVICE,))

V21, V23 = "2.1", "2.3"
GEMINI_23 = frozenset((V23,))
GEMINI_21 = frozenset((V21,))
GEMINI = GEMINI_21 | GEMINI_23


@dataclass(frozen=True, slots=True)
class Failure:
    """One place in a record that does not follow a rule.

    Attributes:
        found: what stands there, as the rest of a sentence that begins with the element's name:
            "is missing", "has 35 characters", "is 'Service'".
        node: the element; where something is missing, the one that should hold it.
    """

    found: str
    node: IsoNode


Test = Callable[[Metadata], Iterable[Failure]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        code: stable: "gemini-25-one" (element 25 of GEMINI), "gemini-a8-…" (encoding),
            "gemini-w19-…" (AGI's supplemental part), "gemini-o07-…" (asked for by the standard,
            tested by nobody but us), "iso-18-…" (row 18 of ISO 19139's table A.1).
        element: its name in plain words, as the standard has it: "Limitations on public access".
        field: the element that a publisher has to change: "gmd:otherConstraints".
        test: returns the places that do not follow the rule, none for a record that does.
        wanted: what the standard wants; the end of a sentence that begins with "expected".
        example: a good value, as it stands in a record or in words; "" where nothing has to be
            written (an element too many).
        number: identifiers of the same check in AGI's Schematron, for comparison.
        types: resource types that it is for; empty for all.
        versions: editions of GEMINI that it belongs to; empty for any ISO 19139 record.
        is_error: the standard demands it; else it is advice, and no reason to reject a record.
        unless: codes of rules, or of the parser's problems, that say the same: where one of them
            was reported, this one is not. A problem's code may have its field behind it, as in
            "bad-url gmd:linkage".
        is_rest: it says what other rules say better: an element that an earlier rule has
            reported, or whose parent it has, is none of its places.
    """

    code: str
    element: str
    field: str
    test: Test
    wanted: str
    example: str = ""
    number: str = ""
    types: frozenset[str] = frozenset()
    versions: frozenset[str] = GEMINI
    is_error: bool = True
    unless: tuple[str, ...] = ()
    is_rest: bool = False
