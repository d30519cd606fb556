"""A rule for location data records, and a record as the rules query it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import cast

from lxml import etree

from ckanext.ukharvest.parsers.gemini.document import IsoNode

# GEMINI 39: the standard's own terms, compared exactly as its Schematron does.
_TYPE = "hierarchyLevel/*"
_GCO = "http://www.isotc211.org/2005/gco"
_ISO_TYPE = f"{{{_GCO}}}isoType"
_PROFILED = etree.XPath("descendant-or-self::*[@gco:isoType]", namespaces={"gco": _GCO})


class Metadata:
    """One ISO 19139 record (``gmd:MD_Metadata`` or its kin), with a cache of what rules query.

    Rules query by paths of local names (see ``IsoNode``); ``at`` caches results by path, and
    ``elements_named`` by name.

    Args:
        record: the root.
        guid: the record's identity.
    """

    def __init__(self, record: IsoNode, guid: str = "") -> None:
        self.record = record
        self.guid = guid
        self._at: dict[tuple[str, ...], tuple[IsoNode, ...]] = {}
        self._named: dict[str, tuple[IsoNode, ...]] = {}

    def at(self, *paths: str) -> tuple[IsoNode, ...]:
        """Return the elements at the ends of paths from the root, in the order of the paths."""
        if paths not in self._at:
            if len(paths) == 1:
                # Rules query the same places: each step of a path is searched only once.
                way, _, name = paths[0].rpartition("/")
                nodes = self.at(way) if way else (self.record,)
                self._at[paths] = tuple(child for node in nodes for child in node.find_all(name))
            else:
                self._at[paths] = tuple(node for path in paths for node in self.at(path))
        return self._at[paths]

    def first(self, *paths: str) -> IsoNode | None:
        """Return the first element at the end of a path."""
        return next(iter(self.at(*paths)), None)

    def holder(self, path: str) -> IsoNode:
        """Return the deepest existing element on a path, where a missing one has to be added."""
        way = path
        while way := way.rpartition("/")[0]:
            if node := self.first(way):
                return node
        return self.record

    def elements_named(self, *names: str) -> tuple[IsoNode, ...]:
        """Return every element of the document with one of these local names, name by name."""
        for name in names:
            if name not in self._named:
                elements = self.record.element.iter(f"{{*}}{name}")
                self._named[name] = tuple(IsoNode(element, []) for element in elements)
        return tuple(node for name in names for node in self._named[name])

    @cached_property
    def _by_class(self) -> dict[str, list[IsoNode]]:
        """Elements of a profile by the class of ISO 19139 that they stand for."""
        nodes: dict[str, list[IsoNode]] = defaultdict(list)
        for element in cast("list[etree._Element]", _PROFILED(self.record.element)):
            node = IsoNode(element, [])
            name = str(element.get(_ISO_TYPE)).rpartition(":")[2]
            if name != node.name:
                nodes[name].append(node)
        return nodes

    def classes(self, name: str) -> tuple[IsoNode, ...]:
        """Return every element of a class, such as CI_ResponsibleParty, by name or isoType."""
        return (*self.elements_named(name), *self._by_class.get(name, ()))

    @cached_property
    def type(self) -> str:
        """The resource type (GEMINI 39) as written: "dataset", …; "" if it is missing."""
        node = self.first(_TYPE)
        return str(node.element.get("codeListValue") or "") if node is not None else ""


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


def each(
    *paths: str, of_class: str = "", named: tuple[str, ...] = ()
) -> Callable[[Callable[..., str]], Check]:
    """Make a check of a function that returns the fault of one element, "" if it has none.

    Args:
        paths: of the elements; without any, the first argument in a rule's row is their path.
        of_class: the class of the elements, wherever they are.
        named: names of the elements, wherever they are.
    """

    def decorate(fault_of: Callable[..., str]) -> Check:
        @wraps(fault_of)
        def check(metadata: Metadata, *arguments: str) -> Iterable[Failure]:
            if of_class or named:
                nodes = metadata.classes(of_class) if of_class else metadata.elements_named(*named)
            else:
                nodes = metadata.at(*(paths or arguments[:1]))
                arguments = arguments if paths else arguments[1:]
            for node in nodes:
                if fault := fault_of(node, *arguments):
                    yield Failure(fault, node)

        return check

    return decorate


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
