"""Records for GEMINI's requirements on a resource's description that no Schematron tests."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import INSPIRE, dataset, date, service

_PLACE_NAMES = text("gmd:descriptiveKeywords/gmd:MD_Keywords/gmd:keyword", "Borchester")
_INSTANT = el("gmd:temporalElement/gmd:EX_TemporalExtent/gmd:extent", "{in_period}")

CASES = {
    "gemini-o06-theme": (
        dataset(keyword=text("gmd:keyword", "Land usage")),
        dataset(keyword=text("gmd:keyword", "land use")),
    ),
    "gemini-o06-needed": (
        dataset(keywords=_PLACE_NAMES),
        dataset(keywords=_PLACE_NAMES, specification_title=text("gmd:title", "ISO 19157")),
    ),
    "gemini-o06-category": (
        service(keyword=text("gmd:keyword", "web map")),
        service(keyword=text("gmd:keyword", "infoMapAccessService")),
    ),
    "gemini-o07-needed": (dataset(period=""), dataset(period=_INSTANT)),
    "gemini-o08-needed": (
        dataset(reference_date=date("2025-11-20", "released")),
        dataset(reference_date=date("2025-11-20", "creation") + date("2026", "released")),
    ),
    "gemini-o18-uom": (
        dataset(distance=el("gmd:distance/gco:Distance", "5", uom="km")),
        dataset(distance=el("gmd:distance/gco:Distance", "5", uom="metres")),
    ),
    "gemini-o19-needed": (dataset(link=""), dataset()),
    "gemini-o21-version": (
        dataset(format_version=""),
        dataset(format_version=nil("gmd:version", "unknown")),
    ),
    "gemini-o23-distributor": (
        dataset(role=code("gmd:role", "CI_RoleCode", "owner")),
        dataset(),
    ),
    "gemini-o25-code": (
        dataset(
            access_text=text(
                "gmd:otherConstraints",
                "limited",
                f"{INSPIRE}/metadata-codelist/LimitationsOnPublicAccess/Article13_1z",
            )
        ),
        dataset(),
    ),
    "gemini-o26-licence": (
        dataset(use_text=text("gmd:otherConstraints", "Ask us")),
        dataset(
            use_text=text("gmd:otherConstraints", "Ask us", "https://borchester.example/terms")
        ),
    ),
    "gemini-o38-needed": (
        service(operates_on=""),
        service(operates_on="", service_type=text("srv:serviceType", "other")),
    ),
    "gemini-o44-service": (service(box=""), service()),
    "gemini-o44-area": (
        dataset(east=el("gmd:eastBoundLongitude/gco:Decimal", "-2.110")),
        dataset(east=el("gmd:eastBoundLongitude/gco:Decimal", "no number")),
    ),
}
