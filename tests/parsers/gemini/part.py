"""A small GEMINI record around the part under test."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini

GML = "http://www.opengis.net/gml/3.2"
GMD = "http://www.isotc211.org/2005/gmd"


def parsed(
    *extents: str, references: str = "", service: bool = False, gml: str = GML, gmd: str = GMD
) -> DatasetRecord:
    """Parse a record with the content of each of its EX_Extent, and reference systems."""
    kind = "srv:SV_ServiceIdentification" if service else "gmd:MD_DataIdentification"
    owner = kind[:3]
    inside = "".join(
        f"<{owner}:extent><gmd:EX_Extent>{extent}</gmd:EX_Extent></{owner}:extent>"
        for extent in extents
    )
    document = f"""
<gmd:MD_Metadata xmlns:gmd="{gmd}" xmlns:gml="{gml}"
  xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:gmx="http://www.isotc211.org/2005/gmx"
  xmlns:srv="http://www.isotc211.org/2005/srv" xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier><gco:CharacterString>rivers</gco:CharacterString></gmd:fileIdentifier>
  {references}
  <gmd:identificationInfo><{kind}>
    <gmd:citation><gmd:CI_Citation>
      <gmd:title><gco:CharacterString>Rivers</gco:CharacterString></gmd:title>
    </gmd:CI_Citation></gmd:citation>
    {inside}
  </{kind}></gmd:identificationInfo>
</gmd:MD_Metadata>"""
    return gemini.parse(RawRecord("rivers", document.strip()), {})


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
    inside = before + "".join(
        f"<gmd:{name}><gco:Decimal>{value}</gco:Decimal></gmd:{name}>"
        for name, value in sides
        if value is not None
    )
    return (
        "<gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        f"{inside}</gmd:EX_GeographicBoundingBox></gmd:geographicElement>"
    )


def outline(gml: str) -> str:
    """Return a geographicElement with a bounding polygon."""
    return (
        "<gmd:geographicElement><gmd:EX_BoundingPolygon><gmd:polygon>"
        f"{gml}</gmd:polygon></gmd:EX_BoundingPolygon></gmd:geographicElement>"
    )


def system(code: str, rest: str = "", kind: str = "RS_Identifier") -> str:
    """Return a referenceSystemInfo; ``code`` is the content of gmd:code."""
    return (
        "<gmd:referenceSystemInfo><gmd:MD_ReferenceSystem><gmd:referenceSystemIdentifier>"
        f"<gmd:{kind}><gmd:code>{code}</gmd:code>{rest}</gmd:{kind}>"
        "</gmd:referenceSystemIdentifier></gmd:MD_ReferenceSystem></gmd:referenceSystemInfo>"
    )


def codes(record: DatasetRecord) -> list[str]:
    """Return the codes of a record's problems."""
    return [problem.code for problem in record.problems]
