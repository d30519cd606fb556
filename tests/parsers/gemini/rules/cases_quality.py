"""Records for the rules on quality: dates, lineage, links, formats, scale and conformity."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import (
    NETWORK_REGULATION,
    REGULATION,
    dataset,
    date,
    service,
)

GOOD = dataset()
_SCALE = el("gmd:denominator/gco:Integer", "5000")
_SCALE = el("gmd:equivalentScale/gmd:MD_RepresentativeFraction", _SCALE)


def _series(**parts: str) -> str:
    """Return a record whose type and scope are series."""
    level = code("gmd:level", "MD_ScopeCode", "series")
    kind = code("gmd:hierarchyLevel", "MD_ScopeCode", "series")
    return dataset(type=kind, scope_level=level, **parts)


def _elsewhere(quality: str) -> str:
    """Return the lineage, in a part of the quality with another scope."""
    level = code("gmd:level", "MD_ScopeCode", quality)
    scope = el("gmd:scope/gmd:DQ_Scope", level)
    lineage = text("gmd:lineage/gmd:LI_Lineage/gmd:statement", "Drawn")
    return el("gmd:dataQualityInfo/gmd:DQ_DataQuality", scope, lineage)


def _linkage(address: str) -> str:
    return el("gmd:linkage/gmd:URL", address)


_MODEL = "INSPIRE Data Specifications - Base Models - Generic Network Model"
_EMPTY_SCALE = el("gmd:equivalentScale/gmd:MD_RepresentativeFraction/gmd:denominator/gco:Integer")
_SERVES = text("gmd:other", "Geographic web service")


def _topology(result: str) -> str:
    """Return another report, besides the one on conformity."""
    report = el("gmd:report/gmd:DQ_TopologicalConsistency/gmd:result", result)
    return dataset(report=report + "{report}")


def _joined(
    *,
    dated: str = "2013-04-05",
    kind: str = "publication",
    explanation: str = "Lines are not joined across the boundary",
    verdict: str = "false",
) -> str:
    citation = el("gmd:CI_Citation", text("gmd:title", _MODEL), date(dated, kind))
    says = text("gmd:explanation", explanation) if explanation else nil("gmd:explanation")
    return _topology(
        el(
            "gmd:DQ_ConformanceResult",
            el("gmd:specification", citation),
            says,
            el("gmd:pass/gco:Boolean", verdict),
        )
    )


def _measured(**attributes: str) -> str:
    value = el("gmd:value/gco:Record", "2.5", **attributes)
    return _topology(el("gmd:DQ_QuantitativeResult", el("gmd:valueUnit"), value))


def _title(words: str) -> str:
    return text("gmd:title", words)


_CAPITALS = REGULATION.replace("Commission Regulation", "COMMISSION REGULATION")
_OTHER = _title("Borchester's own profile")
_DATED = date("2011-02-03", "publication")
_CREATED = date("2010-12-08", "creation")
_NOT_TESTED = nil("gmd:pass", "unknown")
_BLANK = text("gmd:explanation", "")
_NO_DATE = el("gmd:date/gmd:CI_Date", el("gmd:date"), code("gmd:dateType", "CI_DateTypeCode", ""))

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
        dataset(resolution="{resolution}" + el("gmd:spatialResolution/gmd:MD_Resolution", _SCALE)),
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
    "gemini-43-value": (
        dataset(resolution=el("gmd:spatialResolution/gmd:MD_Resolution", _EMPTY_SCALE)),
        dataset(),
    ),
    "gemini-48-needed": (dataset(quality=""), dataset()),
    "gemini-48-one": (
        dataset(scope_level=code("gmd:level", "MD_ScopeCode", "feature")),
        dataset(
            quality="{quality}<gmd:dataQualityInfo><gmd:DQ_DataQuality/></gmd:dataQualityInfo>"
        ),
    ),
    "gemini-48-desc": (service(scope_description=""), service()),
    "gemini-48-desc-word": (
        service(scope_description=el("gmd:levelDescription/gmd:MD_ScopeDescription", _SERVES)),
        service(),
    ),
    "gemini-52-type": (_measured(), _measured(xsi__type="xs:double")),
    "gemini-52-date": (_joined(dated="2013-04-06"), _joined()),
    "gemini-52-datetype": (_joined(kind="creation"), _joined()),
    "gemini-52-expl": (_joined(explanation=""), _joined()),
    "gemini-52-pass": (_joined(verdict="true"), _joined()),
    "gemini-41-data-needed": (
        dataset(specification_title=_title(f"{REGULATION}.")),
        dataset(specification_title=_title(_CAPITALS.replace(" ", "\n ", 1))),
    ),
    "gemini-41-sv-needed": (
        service(specification_title=_OTHER),
        service(specification_title=_title(REGULATION)),
    ),
    "gemini-41-needed": (dataset(report=""), dataset(specification_title=_OTHER)),
    "gemini-41-sv-max": (service(report="{report}{report}"), service()),
    "gemini-41-1089-pass": (
        dataset(**{"pass": nil("gmd:pass")}),
        dataset(**{"pass": _NOT_TESTED}),
    ),
    "gemini-41-1089-date": (dataset(specification_date=_DATED), dataset()),
    "gemini-41-1089-type": (dataset(specification_date=_CREATED), dataset()),
    "gemini-41-976-pass": (service(**{"pass": ""}), service(**{"pass": _NOT_TESTED})),
    "gemini-41-976-date": (service(specification_date=""), service()),
    "gemini-41-976-type": (
        service(specification_date=_CREATED),
        service(specification_date=_CREATED, specification_title=_OTHER),
    ),
    "gemini-41-expl": (dataset(explanation=_BLANK), dataset(explanation=nil("gmd:explanation"))),
    "gemini-42-title": (dataset(specification_title=_title("")), dataset()),
    "gemini-42-date": (dataset(specification_date=_NO_DATE), dataset()),
    "gemini-42-type": (dataset(specification_date=_NO_DATE), dataset()),
    "gemini-w41-capitals": (
        dataset(specification_title=_title(_CAPITALS)),
        service(specification_title=_title(NETWORK_REGULATION)),
    ),
}
