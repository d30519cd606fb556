"""Records for the rules on scale, quality scope and topological consistency."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import dataset, date, service

_MODEL = "INSPIRE Data Specifications - Base Models - Generic Network Model"
_SCALE = el(
    "gmd:equivalentScale",
    el("gmd:MD_RepresentativeFraction", el("gmd:denominator", el("gco:Integer"))),
)
_SERVES = text("gmd:other", "Geographic web service")


def _topology(result: str) -> str:
    """Return another report, besides the one on conformity."""
    report = el("gmd:report", el("gmd:DQ_TopologicalConsistency", el("gmd:result", result)))
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
            el("gmd:pass", el("gco:Boolean", verdict)),
        )
    )


def _measured(**attributes: str) -> str:
    value = el("gmd:value", el("gco:Record", "2.5", **attributes))
    return _topology(el("gmd:DQ_QuantitativeResult", el("gmd:valueUnit"), value))


CASES = {
    "gemini-43-value": (
        dataset(resolution=el("gmd:spatialResolution", el("gmd:MD_Resolution", _SCALE))),
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
        service(
            scope_description=el("gmd:levelDescription", el("gmd:MD_ScopeDescription", _SERVES))
        ),
        service(),
    ),
    "gemini-52-type": (_measured(), _measured(xsi__type="xs:double")),
    "gemini-52-date": (_joined(dated="2013-04-06"), _joined()),
    "gemini-52-datetype": (_joined(kind="creation"), _joined()),
    "gemini-52-expl": (_joined(explanation=""), _joined()),
    "gemini-52-pass": (_joined(verdict="true"), _joined()),
}
