"""A record as the rules ask it: read once, asked many times."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from ckanext.ukharvest.parsers.iso_node import IsoNode

# GEMINI 39: the standard's own words, compared exactly as its Schematron does.
_TYPE = "hierarchyLevel/*"
_ISO_TYPE = "{http://www.isotc211.org/2005/gco}isoType"


class Metadata:
    """One ISO 19139 record (``gmd:MD_Metadata`` or its kin), with what was asked of it kept.

    A rule asks by paths of local names (see ``IsoNode``); ``at`` remembers what a path gave, and
    ``named`` goes through the document once for all rules.

    Args:
        record: the root.
        guid: the record's identity.
    """

    def __init__(self, record: IsoNode, guid: str = "") -> None:
        self.record = record
        self.guid = guid
        self._at: dict[tuple[str, ...], tuple[IsoNode, ...]] = {}

    def at(self, *paths: str) -> tuple[IsoNode, ...]:
        """The elements at the ends of paths from the root, in the order of the paths."""
        if paths not in self._at:
            self._at[paths] = tuple(self.record.each(*paths))
        return self._at[paths]

    def first(self, *paths: str) -> IsoNode | None:
        """The first element at the end of a path."""
        return next(iter(self.at(*paths)), None)

    @cached_property
    def _by_name(self) -> dict[str, list[IsoNode]]:
        found: dict[str, list[IsoNode]] = defaultdict(list)
        for element in self.record.element.iter("*"):
            node = IsoNode(element, [])
            found[str(element.tag).rpartition("}")[2]].append(node)
        return found

    def named(self, *names: str) -> tuple[IsoNode, ...]:
        """Every element of the document with one of these local names, name by name."""
        return tuple(node for name in names for node in self._by_name.get(name, ()))

    @cached_property
    def _by_class(self) -> dict[str, list[IsoNode]]:
        """By the class of ISO 19139 that an element of a profile says it stands for."""
        found: dict[str, list[IsoNode]] = defaultdict(list)
        for own, nodes in self._by_name.items():
            for node in nodes:
                name = str(node.element.get(_ISO_TYPE) or "").rpartition(":")[2]
                if name and name != own:
                    found[name].append(node)
        return found

    def classes(self, name: str) -> tuple[IsoNode, ...]:
        """Every element of a class, such as CI_ResponsibleParty, by name or by its isoType."""
        return (*self.named(name), *self._by_class.get(name, ()))

    @cached_property
    def type(self) -> str:
        """The resource type (GEMINI 39) as it stands there: "dataset", …; "" if it is missing."""
        node = self.first(_TYPE)
        return str(node.element.get("codeListValue") or "") if node is not None else ""
