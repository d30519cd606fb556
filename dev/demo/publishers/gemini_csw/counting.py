"""What a portal should show of a record: read plainly, with nothing of the extension."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from demo.publishers import Box, Served

ISO = "{http://www.isotc211.org/2005/%s}"
HREF = "{http://www.w3.org/1999/xlink}href"
LICENCES = {"https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/": "uk-ogl"}


def served(record: ElementTree.Element) -> Served:
    """Read one gmd:MD_Metadata."""
    title = _text(record, "title")
    addresses = [each.get(HREF, "") for each in record.iter(ISO % "gmx" + "Anchor")]
    (licence,) = [LICENCES[each] for each in addresses if each in LICENCES]
    return Served(
        guid=_text(record, "fileIdentifier"),
        title=title,
        urls=frozenset(each.text or "" for each in record.iter(ISO % "gmd" + "URL")),
        raw=ElementTree.tostring(record, encoding="unicode"),
        licence=licence,
        extras={
            "metadata-date": _text(record, "dateStamp"),
            "resource-type": "dataset",
            "harvest_source_reference": _text(record, "fileIdentifier"),
        },
        box=_box(record),
        is_readable=bool(title),
    )


def _box(record: ElementTree.Element) -> Box:
    sides = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
    west, south, east, north = (float(_text(record, side)) for side in sides)
    return west, south, east, north


def _text(record: ElementTree.Element, name: str) -> str:
    return next(_texts(record, name), "")


def _texts(record: ElementTree.Element, name: str) -> Iterator[str]:
    for element in record.iter(ISO % "gmd" + name):
        yield "".join(element.itertext()).strip()
