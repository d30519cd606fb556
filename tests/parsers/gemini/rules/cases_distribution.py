"""Records for the rules on dates, lineage, resolution, links and formats."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import dataset, service

GOOD = dataset()
_SCALE = el("gmd:denominator", el("gco:Integer", "5000"))
_SCALE = el("gmd:equivalentScale", el("gmd:MD_RepresentativeFraction", _SCALE))


def _series(**parts: str) -> str:
    """Return a record whose type and scope are series."""
    level = code("gmd:level", "MD_ScopeCode", "series")
    kind = code("gmd:hierarchyLevel", "MD_ScopeCode", "series")
    return dataset(type=kind, scope_level=level, **parts)


def _elsewhere(quality: str) -> str:
    """Return the lineage, in a part of the quality with another scope."""
    level = code("gmd:level", "MD_ScopeCode", quality)
    scope = el("gmd:scope", el("gmd:DQ_Scope", level))
    lineage = el("gmd:lineage", el("gmd:LI_Lineage", text("gmd:statement", "Drawn")))
    return el("gmd:dataQualityInfo", el("gmd:DQ_DataQuality", scope, lineage))


def _linkage(address: str) -> str:
    return el("gmd:linkage", el("gmd:URL", address))


CASES = {
    "gemini-08-type": (
        dataset(date_type=code("gmd:dateType", "CI_DateTypeCode", "")),
        GOOD,
    ),
    "gemini-10-needed": (dataset(statement=""), service()),
    "gemini-10-value": (
        dataset(statement=text("gmd:statement", "")),
        dataset(statement=nil("gmd:statement", "unknown")),
    ),
    "gemini-10-scope-d": (
        dataset(lineage="", extra=_elsewhere("attribute")),
        dataset(lineage="", extra=_elsewhere("dataset")),
    ),
    "gemini-10-scope-s": (
        _series(lineage="", extra=_elsewhere("dataset")),
        _series(extra=_elsewhere("dataset")),
    ),
    "gemini-18-value": (
        dataset(distance=el("gmd:distance")),
        dataset(distance=nil("gmd:distance", "unknown")),
    ),
    "gemini-w18-both": (
        dataset(
            resolution="{resolution}" + el("gmd:spatialResolution", el("gmd:MD_Resolution", _SCALE))
        ),
        dataset(distance=_SCALE),
    ),
    "gemini-21-needed": (dataset(format=""), service(format="")),
    "gemini-21-name": (
        dataset(format_name=text("gmd:name", " ")),
        dataset(format_name=nil("gmd:name", "withheld")),
    ),
    "gemini-21-version": (
        dataset(format_version=nil("gmd:version", "missing")),
        dataset(format_version=nil("gmd:version", "inapplicable")),
    ),
    "gemini-21-version-word": (
        dataset(format_version=text("gmd:version", "Not Applicable")),
        dataset(format_version=text("gmd:version", "1.3")),
    ),
    "gemini-19-value": (dataset(linkage=_linkage("")), GOOD),
    "gemini-19-url": (
        dataset(linkage=_linkage("maps.borchester.example/land-use.gpkg")),
        dataset(linkage=_linkage("HTTPS://maps.borchester.example/land-use.gpkg")),
    ),
    "gemini-w19-name": (dataset(link_name=""), GOOD),
    "gemini-w19-description": (dataset(link_description=""), GOOD),
    "gemini-w19-function": (dataset(link_function=""), GOOD),
}
