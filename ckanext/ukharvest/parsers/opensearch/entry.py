"""One entry of an Atom feed as its readers get it."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.xml_fields import Node


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its element, the same to be read with care, and its raw record."""

    root: etree._Element
    node: Node
    raw: RawRecord
