"""A record names its edition of GEMINI, and is checked by the rules of that one."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import RULES, report
from ckanext.ukharvest.parsers.gemini.rules.report import NOT_STATED, OTHER_ISO, PLAIN_ISO
from ckanext.ukharvest.parsers.gemini.rules.rule import V21, V23, Metadata
from tests.iso_spelling import code, text
from tests.parsers.gemini.rules.documents import dataset

_MDB = '<MD_Metadata xmlns="http://standards.iso.org/iso/19115/-3/mdb/2.0"/>'
_LIMITED = text("gmd:resourceConstraints/gmd:MD_Constraints/gmd:useLimitation", "Free for all")


def _named(name: str, version: str, href: str = "") -> str:
    return text("gmd:metadataStandardName", name, href) + text(
        "gmd:metadataStandardVersion", version
    )


def _bare(**parts: str) -> str:
    """Return a record without any mark of an edition, except for these parts."""
    plain = {"constraints": "", "standard": "", "representation": ""}
    return dataset(**(plain | parts))


def metadata(document: str) -> Metadata:
    return Metadata(IsoNode(xml.parse(document), []))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(_bare(), NOT_STATED, id="no mark"),
        pytest.param(_MDB, OTHER_ISO, id="19115-3"),
        pytest.param(
            dataset(type=code("gmd:hierarchyLevel", "MD_ScopeCode", "nonGeographicDataset")),
            PLAIN_ISO,
            id="not about a place",
        ),
        pytest.param(
            _bare(constraints="{access}", standard=_named("UK GEMINI", "2.1")),
            V23,
            id="INSPIRE's limitation counts before the name",
        ),
        pytest.param(_bare(standard=_named("UK GEMINI", "2.3")), V23, id="named 2.3"),
        pytest.param(_bare(standard=_named("Gemini", "2.2")), V21, id="named 2.2"),
        pytest.param(
            _bare(
                standard=_named(
                    "N", "2.3", "http://vocab.nerc.ac.uk/collection/M25/current/GEMINI/"
                )
            ),
            V23,
            id="named by its address",
        ),
        pytest.param(_bare(standard=_named("ISO19115", "GEMINI:2")), NOT_STATED, id="half a name"),
        pytest.param(_bare(standard=_named("INSPIRE", "2.3")), NOT_STATED, id="another 2.3"),
        pytest.param(_bare(constraints=_LIMITED + "{use}"), V21, id="useLimitation"),
        pytest.param(_bare(constraints="{use}"), V23, id="a licence beside useConstraints"),
        pytest.param(
            dataset(constraints="", standard=""), V23, id="representation, scope and conformity"
        ),
    ],
)
def test_gemini_edition_is_read_from_the_record(document: str, expected: str) -> None:
    assert report.detect_edition(metadata(document)) == expected


def test_a_record_is_judged_by_its_edition_and_table_a1() -> None:
    for document, version in ((_bare(), V23), (_bare(constraints=_LIMITED), V21)):
        for rule in report.rules_for(RULES, metadata(document)):
            assert not rule.versions or version in rule.versions


def test_a_record_about_no_place_is_judged_by_table_a1_alone() -> None:
    kind = code("gmd:hierarchyLevel", "MD_ScopeCode", "nonGeographicDataset")
    found = report.rules_for(RULES, metadata(dataset(type=kind)))
    assert found == tuple(rule for rule in RULES if rule.code.startswith("iso-"))


def test_the_source_can_choose_the_edition_for_its_records() -> None:
    of_23 = metadata(dataset())
    assert report.rules_for(RULES, of_23, ["gemini2-3"]) == report.rules_for(RULES, of_23)
    assert {rule.versions for rule in report.rules_for(RULES, of_23, ["table-a1"])} == {frozenset()}
    both = report.rules_for(RULES, of_23, ["gemini2-1", "gemini2-3"])
    assert set(both) > set(report.rules_for(RULES, of_23))


def test_iso_19115_3_record_gets_one_general_problem() -> None:
    for profiles in ((), ("gemini2-3", "table-a1")):
        [rule] = report.rules_for(RULES, metadata(_MDB), profiles)
        assert rule.code == "gemini-o-root"
