"""A rule for location data records: one row of rules.csv."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata

DATASET, SERVICE = "dataset", "service"
DATA = frozenset((DATASET, "series"))
SERVICES = frozenset((SERVICE,))

V21, V23 = "2.1", "2.3"


@dataclass(frozen=True, slots=True)
class Failure:
    """One place in a record that does not follow a rule.

    Attributes:
        fault: what is wrong, as the rest of a sentence that begins with the element's name:
            "is missing", "has 35 characters", "is 'Service'".
        node: the element; if something is missing, the one that should hold it.
    """

    fault: str
    node: IsoNode


Check = Callable[..., Iterable[Failure]]  # of a record and the arguments in a rule's row


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        code: stable: "gemini-25-one" (element 25 of GEMINI), "gemini-a8-…" (encoding),
            "gemini-w19-…" (AGI's supplemental part), "gemini-o07-…" (required by the standard, but
            tested only by us), "iso-18-…" (row 18 of ISO 19139's table A.1).
        element: its plain name, as in the standard: "Limitations on public access".
        field: the element that a publisher has to change: "gmd:otherConstraints".
        check: yields the places that break the rule, none for a record that follows it.
        arguments: what the check is called with besides the record, such as paths of elements.
        wanted: the requirement; the end of a sentence that begins with "expected".
        example: a good value, as written in a record, or described; "" where no value is needed
            (an element too many).
        number: identifiers of the same check in AGI's Schematron, for comparison.
        types: resource types that it applies to; empty for all.
        versions: editions of GEMINI that it belongs to; empty for any ISO 19139 record.
        is_error: the standard requires it; otherwise it is advice, no reason to reject a record.
        unless: codes of rules or parser problems that mean the same: if one of them was reported,
            this rule is not. A problem's code may be followed by its field, as in
            "bad-url gmd:linkage".
        is_rest: a fallback for other rules: elements reported by an earlier rule, and their
            children, are not its places.
    """

    code: str
    element: str
    field: str
    check: Check
    arguments: tuple[str, ...]
    wanted: str
    example: str
    number: str
    types: frozenset[str]
    versions: frozenset[str]
    is_error: bool
    unless: tuple[str, ...]
    is_rest: bool

    def test(self, metadata: Metadata) -> Iterable[Failure]:
        """Return the places where a record breaks the rule."""
        return self.check(metadata, *self.arguments)
