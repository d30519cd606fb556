"""The neutral record that every module of this package writes in its own format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ckanext.ukharvest.testing.contract import Item, items

__all__ = ["Box", "File", "Item", "Record", "items", "record_of"]

Box = tuple[float, float, float, float]  # west, south, east, north in degrees


@dataclass(frozen=True)
class File:
    """A file or service of a record.

    Attributes:
        format: as people write it, such as "CSV".
        schema: the URL of the schema that its data follow.
    """

    url: str
    title: str = ""
    format: str = ""
    schema: str = ""

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES.get(self.format, "")


OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
MEDIA_TYPES = {
    "CSV": "text/csv",
    "GeoJSON": "application/geo+json",
    "HTML": "text/html",
    "JSON": "application/json",
    "PDF": "application/pdf",
    "Turtle": "text/turtle",
    "WMS": "application/xml",
    "XLSX": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "XML": "application/xml",
}


@dataclass(frozen=True)
class Record(Item):
    """A record with more than a number, a title and a description; "" and () are left out.

    Attributes:
        guid: its identity; "" for one made from the number, as each protocol's are.
        name: of its page and files.
        page: URL of its page.
        publisher: name of the organisation.
        email: of the contact.
        licence: URL.
        modified: a date, such as "2026-03-04".
        period: first and last day of what the data are about.
        service: number of a service of the Local Government Service List.
        details: more elements of a GEMINI record, so that a check finds no problem in it.
        relation: URL of data that the data refer to.
        shows: identities of the datasets that a map service shows; () for a dataset.
        files: None for one, which is named after the number.
    """

    guid: str = ""
    name: str = ""
    page: str = ""
    tags: tuple[str, ...] = ()
    publisher: str = ""
    email: str = ""
    licence: str = ""
    modified: str = ""
    box: Box | None = None
    period: tuple[str, str] | None = None
    service: str = ""
    details: bool = False
    relation: str = ""
    shows: tuple[str, ...] = ()
    files: Sequence[File] | None = None

    @property
    def distributions(self) -> Sequence[File]:
        if self.files is None:
            return (File(f"https://data.example/{self.number}.csv"),)
        return self.files

    @property
    def identity(self) -> str:
        """Return the identity of protocols that take any text."""
        return self.guid or f"id-{self.number}"


def record_of(item: Item) -> Record:
    """Return an item of the contract as a record."""
    if isinstance(item, Record):
        return item
    return Record(**{each.name: getattr(item, each.name) for each in fields(Item)})


def present(**values: Any) -> dict[str, Any]:
    """Return the values that are neither None nor empty."""
    return {name: value for name, value in values.items() if value or value is False}


def ring(box: Box) -> list[list[float]]:
    """Return the corners of a box, as GeoJSON has them."""
    west, south, east, north = box
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def polygon(box: Box) -> dict[str, Any]:
    """Return a box as GeoJSON."""
    return {"type": "Polygon", "coordinates": [ring(box)]}


def wkt(box: Box) -> str:
    """Return a box as WKT."""
    return f"POLYGON(({', '.join(f'{x} {y}' for x, y in ring(box))}))"


def service_url(number: str) -> str:
    """Return the URL of a service of the Local Government Service List."""
    return f"http://id.esd.org.uk/service/{number}"
