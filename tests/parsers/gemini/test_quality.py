"""Quality, conformity, resolution and pictures of GEMINI records."""

from __future__ import annotations

import json

import pytest

from tests.parsers.gemini.elements import document, parsed, text
from tests.parsers.gemini.part import codes


@pytest.mark.parametrize(
    ("quality", "lineage"),
    [
        ("", ""),
        ("<gmd:lineage gco:nilReason='missing'/>", ""),
        ("<gmd:lineage><gmd:LI_Lineage>{}</gmd:LI_Lineage></gmd:lineage>", "Drawn."),
    ],
)
def test_lineage_is_found_in_a_second_quality(quality: str, lineage: str) -> None:
    second = quality.format(text("statement", "Drawn."))
    first = "</gmd:DQ_DataQuality></gmd:dataQualityInfo><gmd:dataQualityInfo><gmd:DQ_DataQuality>"
    assert parsed(document(quality=first + second)).extras.get("lineage", "") == lineage


def test_process_steps_replace_a_missing_lineage() -> None:
    steps = "".join(
        f"<gmd:processStep><gmd:LI_ProcessStep>{text('description', each)}</gmd:LI_ProcessStep>"
        "</gmd:processStep>"
        for each in ("Walked.", "Drawn.")
    )
    lineage = f"<gmd:lineage><gmd:LI_Lineage>{steps}</gmd:LI_Lineage></gmd:lineage>"
    assert parsed(document(quality=lineage)).extras["lineage"] == "Walked.\n\nDrawn."


def test_conformity_not_evaluated_is_neither_true_nor_false() -> None:
    results = "".join(
        f"<gmd:result><gmd:DQ_ConformanceResult>{text('explanation', value)}{passed}"
        "</gmd:DQ_ConformanceResult></gmd:result>"
        for value, passed in [
            ("a", '<gmd:pass gco:nilReason="unknown"/>'),
            ("b", "<gmd:pass><gco:Boolean>0</gco:Boolean></gmd:pass>"),
        ]
    )
    report = (
        f"<gmd:report><gmd:DQ_DomainConsistency>{results}</gmd:DQ_DomainConsistency></gmd:report>"
    )
    found = json.loads(parsed(document(quality=report)).extras["conformity"])
    assert found == [{"explanation": "a"}, {"explanation": "b", "pass": False}]


def test_a_picture_without_a_url_is_reported_and_the_next_used() -> None:
    pictures = "".join(
        f"<gmd:graphicOverview><gmd:MD_BrowseGraphic>{text('fileName', each)}"
        "</gmd:MD_BrowseGraphic></gmd:graphicOverview>"
        for each in ("rivers_s.png", "https://council.example/rivers.png")
    )
    record = parsed(document(identification=pictures))
    assert record.extras["graphic-preview-file"] == "https://council.example/rivers.png"
    assert [(each.code, each.field) for each in record.problems] == [("bad-url", "gmd:fileName")]


@pytest.mark.parametrize("value", ["about ten", "0", "-1", "NaN"])
def test_a_resolution_that_is_no_number_is_reported(value: str) -> None:
    resolution = (
        "<gmd:spatialResolution><gmd:MD_Resolution><gmd:distance><gco:Distance uom='m'>"
        f"{value}</gco:Distance></gmd:distance></gmd:MD_Resolution></gmd:spatialResolution>"
    )
    record = parsed(document(identification=resolution))
    assert codes(record) == ["bad-number"]
    assert "spatial-resolution" not in record.extras
