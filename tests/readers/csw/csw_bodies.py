"""Bodies of CSW requests as nested lists."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.filters import ISO, Wanted
from ckanext.ukharvest.readers.csw.request import Way
from tests.publishing.csw import NAMES

BEST = Way("POST", ISO)


def body(way: Way = BEST, start: int = 1, size: int = 50, **wanted: Any) -> etree._Element:
    return etree.fromstring(
        requests.get_records(way, Wanted(**wanted), start=start, size=size).body
    )


def shape(element: etree._Element) -> Any:
    """Return an element as nested lists of local names and texts."""
    name = etree.QName(element).localname
    return [name, *map(shape, element)] if len(element) else (name, element.text)


def condition(root: etree._Element) -> Any:
    (found,) = root.findall(".//csw:Constraint/ogc:Filter", NAMES)
    return shape(found)
