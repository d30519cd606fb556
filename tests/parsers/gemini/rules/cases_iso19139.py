"""Records for the rules of ISO 19139's table A.1."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import dataset, service


def _inside(name: str, *parts: str, property_name: str = "gmd:extra") -> str:
    """Return a dataset with one more class, which holds these parts."""
    return dataset(extra=el(property_name, el(name, *parts)))


def _added(*parts: str, kind: str = "codelist") -> str:
    """Return a dataset whose profile adds an element."""
    return _inside(
        "gmd:MD_ExtendedElementInformation",
        text("gmd:name", "landUseAge"),
        code("gmd:dataType", "MD_DatatypeCode", kind),
        *parts,
    )


_OBLIGATION = el("gmd:obligation/gmd:MD_ObligationCode", "conditional")
_STEP = text("gmd:processStep/gmd:LI_ProcessStep/gmd:description", "Checked")

CASES = {
    "iso-04-extent": (dataset(box="", place=""), dataset(box="")),
    "iso-05-topic": (dataset(topic="", type=""), service()),
    "iso-06-aggregate": (
        _inside("gmd:MD_AggregateInformation"),
        _inside("gmd:MD_AggregateInformation", nil("gmd:aggregateDataSetName", "unknown")),
    ),
    "iso-07-access-other": (dataset(access_text=""), dataset(access_code="", access_text="")),
    "iso-07-use-other": (dataset(use_text=""), dataset(use_code="", use_text="")),
    "iso-07-value": (
        dataset(use_text=text("gmd:otherConstraints", " ")),
        dataset(use_text=nil("gmd:otherConstraints", "missing")),
    ),
    "iso-08-report": (dataset(report="", lineage=""), dataset(report="")),
    "iso-09-description": (service(scope_description=""), dataset()),
    "iso-10-statement": (dataset(statement=""), dataset(statement=_STEP)),
    "iso-13-source": (
        _inside("gmd:LI_Source", text("gmd:scaleDenominator", "5000")),
        _inside("gmd:LI_Source", text("gmd:description", "Air photographs")),
    ),
    "iso-15-checkpoints": (
        _inside("gmd:MD_Georectified", el("gmd:checkPointAvailability/gco:Boolean", "1")),
        _inside("gmd:MD_Georectified", el("gmd:checkPointAvailability/gco:Boolean", "0")),
    ),
    "iso-16-units": (
        _inside("gmd:MD_Band", el("gmd:maxValue/gco:Real", "7")),
        _inside("gmd:MD_Band", el("gmd:units", xlink__href="urn:ogc:def:uom:EPSG::9001")),
    ),
    "iso-17-density": (
        _inside("gmd:MD_Medium", el("gmd:density/gco:Real", "7")),
        _inside("gmd:MD_Medium"),
    ),
    "iso-18-format": (
        dataset(format=""),
        dataset(
            format=el("gmd:distributor/gmd:MD_Distributor/gmd:distributorFormat/gmd:MD_Format")
        ),
    ),
    "iso-19-obligation": (_added(kind="integer"), _added()),
    "iso-19-occurrence": (_added(kind="integer"), _added()),
    "iso-19-domain": (
        _added(text("gmd:domainValue", ""), kind="integer"),
        _added(nil("gmd:domainValue", "unknown"), kind="integer"),
    ),
    "iso-20-condition": (
        _added(code("gmd:obligation", "MD_ObligationCode", "conditional")),
        _added(_OBLIGATION, text("gmd:condition", "if it is a service")),
    ),
    "iso-21-code": (_added(kind="codelistElement"), _added()),
    "iso-22-short": (_added(), _added(kind="codelistElement")),
    "iso-23-extent": (
        _inside("gmd:EX_Extent"),
        _inside("gmd:EX_Extent", text("gmd:description", "Borchester")),
    ),
    "iso-24-party": (
        _inside("gmd:CI_ResponsibleParty", code("gmd:role", "CI_RoleCode", "owner")),
        _inside("gmd:CI_ResponsibleParty", text("gmd:positionName", "Head of maps")),
    ),
    "iso-25-uom": (
        dataset(distance=el("gmd:distance/gco:Distance", "5")),
        dataset(),
    ),
    "iso-30-empty": (
        dataset(extra="<gmd:purpose/><gmd:credit>The council</gmd:credit>"),
        dataset(extra=nil("gmd:purpose", "other:none")),
    ),
}
