"""Small GEMINI records for tests of imported datasets."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

_RECORD = """<?xml version="1.0" encoding="UTF-8"?>
<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"
    xmlns:gco="http://www.isotc211.org/2005/gco" xmlns:srv="http://www.isotc211.org/2005/srv"
    xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier><gco:CharacterString>{guid}</gco:CharacterString></gmd:fileIdentifier>
  <gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="{level}"/></gmd:hierarchyLevel>
  {date}
  <gmd:identificationInfo><{identification}>
    <gmd:citation><gmd:CI_Citation>
      <gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title>
    </gmd:CI_Citation></gmd:citation>
    <gmd:abstract><gco:CharacterString>{abstract}</gco:CharacterString></gmd:abstract>
    {more}
  </{identification}></gmd:identificationInfo>
</gmd:MD_Metadata>
"""
_DATE = "<gmd:dateStamp><gco:Date>{}</gco:Date></gmd:dateStamp>"
_BOX = """<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>
  <gmd:westBoundLongitude><gco:Decimal>{}</gco:Decimal></gmd:westBoundLongitude>
  <gmd:eastBoundLongitude><gco:Decimal>{}</gco:Decimal></gmd:eastBoundLongitude>
  <gmd:southBoundLatitude><gco:Decimal>{}</gco:Decimal></gmd:southBoundLatitude>
  <gmd:northBoundLatitude><gco:Decimal>{}</gco:Decimal></gmd:northBoundLatitude>
</gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent></gmd:extent>"""


def uuid(number: int) -> str:
    return f"3f2a7c10-5d11-4e6b-9a00-{number:012}"


def dataset(
    guid: str,
    title: str = "Rivers",
    *,
    date: str = "2026-05-01",
    abstract: str = "All rivers of the county.",
    box: tuple[object, object, object, object] | None = None,
    more: str = "",
) -> str:
    """Return a dataset's record; ``date`` "" omits it; box: west, east, south, north."""
    return _RECORD.format(
        guid=escape(guid),
        level="dataset",
        date=_DATE.format(escape(date)) if date else "",
        identification="gmd:MD_DataIdentification",
        title=escape(title),
        abstract=escape(abstract),
        more=more + (_BOX.format(*box) if box else ""),
    )


def service(guid: str, operates_on: Iterable[str], title: str = "Rivers as a service") -> str:
    """Return a service's record that names its datasets by these URLs."""
    return _RECORD.format(
        guid=escape(guid),
        level="service",
        date=_DATE.format("2026-05-01"),
        identification="srv:SV_ServiceIdentification",
        title=escape(title),
        abstract="Rivers, to look at.",
        more="".join(f"<srv:operatesOn xlink:href={quoteattr(each)}/>" for each in operates_on),
    )
