"""One record of Dublin Core as its readers get it."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.xml_fields import Node


@dataclass(frozen=True, slots=True)
class Entry:
    """A record: its element, the same to be read with care, and what its header says."""

    root: etree._Element
    node: Node
    raw: RawRecord
