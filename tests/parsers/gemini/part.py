"""A small GEMINI record around the part under test."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord
from tests.iso_spelling import el
from tests.parsers.gemini import elements

GML = "http://www.opengis.net/gml/3.2"
GMD = "http://www.isotc211.org/2005/gmd"


def parsed(
    *extents: str, references: str = "", service: bool = False, gml: str = GML, gmd: str = GMD
) -> DatasetRecord:
    """Parse a record with the content of each of its EX_Extent, and reference systems."""
    kind = "srv:SV_ServiceIdentification" if service else "gmd:MD_DataIdentification"
    name = f"{kind[:3]}:extent"
    inside = "".join(f"<{name}><gmd:EX_Extent>{each}</gmd:EX_Extent></{name}>" for each in extents)
    text = elements.document(root=references, identification=inside, kind=kind)
    return elements.parsed(text.replace(GML, gml).replace(GMD, gmd))


def text(words: str) -> str:
    """Return a property's content."""
    return f"<gco:CharacterString>{words}</gco:CharacterString>"


def anchor(words: str, href: str) -> str:
    return f'<gmx:Anchor xlink:href="{href}">{words}</gmx:Anchor>'


def box(west: object, south: object, east: object, north: object, before: str = "") -> str:
    """Return a geographicElement with a bounding box."""
    sides = (
        ("westBoundLongitude", west),
        ("eastBoundLongitude", east),
        ("southBoundLatitude", south),
        ("northBoundLatitude", north),
    )
    inside = (el(f"gmd:{name}/gco:Decimal", f"{side}") for name, side in sides if side is not None)
    return el("gmd:geographicElement/gmd:EX_GeographicBoundingBox", before, *inside)


def outline(gml: str) -> str:
    """Return a geographicElement with a bounding polygon."""
    return el("gmd:geographicElement/gmd:EX_BoundingPolygon/gmd:polygon", gml)


def system(code: str, rest: str = "", kind: str = "RS_Identifier") -> str:
    """Return a referenceSystemInfo; ``code`` is the content of gmd:code."""
    around = "gmd:referenceSystemInfo/gmd:MD_ReferenceSystem/gmd:referenceSystemIdentifier"
    return el(f"{around}/gmd:{kind}", el("gmd:code", code), rest)


def codes(record: DatasetRecord) -> list[str]:
    """Return the codes of a record's problems."""
    return [problem.code for problem in record.problems]
