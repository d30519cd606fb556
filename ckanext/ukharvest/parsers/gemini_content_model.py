"""What a schema of ISO 19139 allows in an element, and in which order.

libxml2 names an element that it did not expect and what it would have taken instead. Where the
element belongs, so that a publisher can move it there, only the schema's files say. Read from them
is what ISO 19139 uses of XML Schema 1.0: sequences, choices, groups, references and derivation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lxml import etree

from ckanext.ukharvest.core import xml

_XS = "{http://www.w3.org/2001/XMLSchema}"
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


@dataclass(frozen=True, slots=True)
class Child:
    """An element that another may hold.

    Attributes:
        tag: its name with the namespace, as lxml writes it.
        is_needed: the other has to hold it.
        is_single: no more than once.
        declaration: what the schema says of it.
    """

    tag: str
    is_needed: bool
    is_single: bool
    declaration: etree._Element


class ContentModel:
    """The element declarations of a schema: its file and all that it includes and imports.

    Args:
        path: the schema's first file.
        folder: where its other files may lie.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._global: dict[tuple[str, str], etree._Element] = {}
        self._tags: set[str] = set()
        for root in _files(path, folder):
            namespace = root.get("targetNamespace", "")
            for each in root.iterchildren("*"):
                name = f"{{{namespace}}}{each.get('name')}"
                self._global[(xml.local_name(each), name)] = each
            for each in root.iter(f"{_XS}element"):
                self._tags.add(f"{{{namespace}}}{each.get('name')}")

    def knows(self, tag: str) -> bool:
        """Tell whether there is such an element anywhere."""
        return tag in self._tags

    def children(self, element: etree._Element) -> tuple[Child, ...]:
        """What may stand in an element of a record, in the schema's order; () if not known."""
        declared = self._type_of(element)
        return () if declared is None else tuple(self._within(declared, True, True))

    def _type_of(self, element: etree._Element) -> etree._Element | None:
        """The type of an element; the same name has others in other places."""
        if said := element.get(_TYPE):
            return self._named("complexType", element, said)
        declaration = self._global.get(("element", str(element.tag)))
        parent = element.getparent()
        for child in self.children(parent) if parent is not None else ():
            if child.tag == element.tag:
                declaration = child.declaration
        if declaration is None:
            return None
        inline = declaration.find(f"{_XS}complexType")
        return self._referred("complexType", "type", declaration) if inline is None else inline

    def _within(self, node: etree._Element, needed: bool, single: bool) -> Iterator[Child]:
        for each in node.iterchildren("*"):
            kind = xml.local_name(each)
            is_needed = needed and each.get("minOccurs") != "0"
            is_single = single and each.get("maxOccurs", "1") == "1"
            if kind == "element":
                yield self._child(each, is_needed, is_single)
            elif kind in ("complexContent", "sequence", "choice", "all", "group"):
                inner = self._referred("group", "ref", each) if each.get("ref") else each
                if inner is not None:
                    yield from self._within(inner, is_needed and kind != "choice", is_single)
            elif kind in ("extension", "restriction"):
                base = self._referred("complexType", "base", each)
                if kind == "extension" and base is not None:
                    yield from self._within(base, needed, single)
                yield from self._within(each, needed, single)

    def _child(self, node: etree._Element, needed: bool, single: bool) -> Child:
        if node.get("ref"):
            found = self._referred("element", "ref", node)
            return Child(_name(node, node.get("ref", "")), needed, single, _or(found, node))
        namespace = node.getroottree().getroot().get("targetNamespace", "")
        return Child(f"{{{namespace}}}{node.get('name')}", needed, single, node)

    def _referred(self, kind: str, key: str, node: etree._Element) -> etree._Element | None:
        return self._named(kind, node, node.get(key, ""))

    def _named(self, kind: str, node: etree._Element, name: str) -> etree._Element | None:
        return self._global.get((kind, _name(node, name)))


def _or(found: etree._Element | None, node: etree._Element) -> etree._Element:
    return node if found is None else found


def _name(node: etree._Element, name: str) -> str:
    """A name with a prefix, as it is meant at a node."""
    prefix, _, local = name.rpartition(":")
    return f"{{{node.nsmap.get(prefix or None, '')}}}{local}"


def _files(path: Path, folder: Path) -> Iterator[etree._Element]:
    waiting, seen = [path.resolve()], set()
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        root = xml.installed(here, folder).getroot()
        yield root
        others = root.iterchildren(f"{_XS}include", f"{_XS}import")
        places = [place for each in others if (place := each.get("schemaLocation"))]
        waiting += [(here.parent / place).resolve() for place in places]


@cache
def content_model(path: Path, folder: Path) -> ContentModel:
    """The content model of a schema, read once in a process."""
    return ContentModel(path, folder)
