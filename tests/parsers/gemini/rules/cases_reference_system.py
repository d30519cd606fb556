"""Records for the rules on the spatial reference system."""

from __future__ import annotations

from tests.iso_spelling import el, nil, text
from tests.parsers.gemini.rules.documents import dataset

GOOD = dataset()
_GRID = text("gmd:code", "OSGB36", "http://www.opengis.net/def/crs/EPSG/0/27700")
_NOT_SAID = el("gmd:pass", gco__nilReason="unknown")

CASES = {
    "gemini-17-needed": (
        dataset(crs_identifier=el("gmd:MD_Identifier", "{crs}")),
        GOOD,
    ),
    "gemini-17-value": (dataset(crs=nil("gmd:code")), GOOD),
    "gemini-17-space": (
        dataset(crs="{crs}" + text("gmd:codeSpace", "EPSG")),
        dataset(crs=_GRID + text("gmd:codeSpace", "EPSG")),
    ),
    "gemini-w17-urn": (
        dataset(crs=text("gmd:code", "urn:ogc:def:crs:EPSG::4258")),
        dataset(crs=text("gmd:code", "urn:ogc:def:crs:EPSG::27700")),
    ),
    "gemini-w17-default": (dataset(crs=_GRID), dataset(**{"crs": _GRID, "pass": _NOT_SAID})),
}
