"""The options that choose how a record is validated, and what becomes of a faulty one."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, NotValid
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.source_types import find
from tests.iso_spelling import code, el, text
from tests.parsers.gemini.rules.documents import dataset

GEMINI_21 = ("gemini2-1", "gemini2", "gemini2-1.3")
TABLE_A1 = ("table-a1", "constraints", "constraints-1.4")
SCHEMAS = ("iso19139", "iso19139eden", "iso19139ngdc")
OF_NO_PLACE = code("gmd:hierarchyLevel", "MD_ScopeCode", "nonGeographicDataset")
# Breaks a requirement of GEMINI 2.3, and none of table A.1. All records here break two of 2.1.
NO_ABSTRACT = dataset(abstract="")
# Breaks table A.1.
NO_FORMAT = dataset(format="")
UNPLACED = {"place": "", "box": ""}


def parsed(document: str, **chosen: Any) -> DatasetRecord:
    declared = find("gemini-single").options  # type: ignore[union-attr]
    return gemini.parse(RawRecord("g", document), options.validate(chosen, declared))


def problem_codes(document: str, **chosen: Any) -> set[str]:
    return {problem.code for problem in parsed(document, **chosen).problems}


@pytest.mark.parametrize("names", [GEMINI_21, (*TABLE_A1, *SCHEMAS)], ids=["gemini", "table-a1"])
@pytest.mark.parametrize("document", [NO_ABSTRACT, NO_FORMAT, dataset()])
def test_old_profile_checks_like_its_successor(document: str, names: tuple[str, ...]) -> None:
    ours = problem_codes(document, validation_profiles=[names[0]])
    for name in names[1:]:
        assert problem_codes(document, validation_profiles=[name]) == ours


@pytest.mark.parametrize("profile", GEMINI_21)
def test_reject_works_with_each_name_of_gemini(profile: str) -> None:
    with pytest.raises(NotValid) as caught:
        parsed(NO_ABSTRACT, validation="reject", validation_profiles=[profile])
    assert "gemini-25-restricted" in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("profile", [*TABLE_A1, *SCHEMAS])
def test_reject_works_with_each_name_of_table_a1(profile: str) -> None:
    with pytest.raises(NotValid) as caught:
        parsed(NO_FORMAT, validation="reject", validation_profiles=[profile])
    assert "iso-18-format" in {problem.code for problem in caught.value.problems}
    record = parsed(NO_ABSTRACT, validation="reject", validation_profiles=[profile])
    assert not any(problem.code.startswith("gemini-") for problem in record.problems)


@pytest.mark.parametrize("profile", ["gemini2", "gemini2-1.3"])
def test_old_gemini_profile_spares_data_without_place(profile: str) -> None:
    document = dataset(type=OF_NO_PLACE, abstract="")
    record = parsed(document, validation="reject", validation_profiles=[profile])
    assert not any(problem.code.startswith("gemini-") for problem in record.problems)


def test_profiles_together_apply_the_rules_of_each() -> None:
    both = problem_codes(NO_ABSTRACT, validation_profiles="iso19139eden, gemini2-3")
    assert both == problem_codes(NO_ABSTRACT, validation_profiles="gemini2-3")
    assert "gemini-04-text" in both


def test_off_finds_nothing() -> None:
    assert problem_codes(NO_ABSTRACT, validation="off") == set()


def test_message_of_rejected_record_fits_on_a_page() -> None:
    lost = ("abstract", "access", "use", "topic", "box", "quality", "keywords", "reference_system")
    broken = dataset(extra=el("gmd:w"), **dict.fromkeys(lost, ""))
    with pytest.raises(NotValid) as caught:
        parsed(broken, validation="reject", validation_profiles=["table-a1", "gemini2-3"])
    assert len(caught.value.problems) > 5
    assert len(caught.value.message) < 3000


# Configuration of sources that data.gov.uk's harvesters left.
OLD_CONFIGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"validator_profiles": ["gemini2-3"]}, {"validation_profiles": ("gemini2-3",)}),
    (
        {"validator_profiles": ["iso19139eden", "constraints-1.4", "gemini2-1.3"]},
        {"validation_profiles": ("iso19139eden", "constraints-1.4", "gemini2-1.3")},
    ),
    ({"continue_on_validation_errors": True}, {"validation": "report"}),
    ({"continue_on_validation_errors": "false"}, {"validation": "reject"}),
]


@pytest.mark.parametrize("type_name", ["gemini-single", "gemini-waf", "gemini-csw"])
@pytest.mark.parametrize(("old", "ours"), OLD_CONFIGS)
def test_configurations_of_earlier_harvesters_are_understood(
    type_name: str, old: dict[str, Any], ours: dict[str, Any]
) -> None:
    validated = options.validate(old, find(type_name).options)  # type: ignore[union-attr]
    assert ours.items() <= validated.items()


def test_unknown_profile_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ConfigError, match="values from: gemini2-3, gemini2-1, table-a1$"):
        options.validate({"validation_profiles": ["fgdc"]}, gemini.OPTIONS)


def test_short_abstract_is_a_problem_or_rejects_the_record() -> None:
    document = dataset(abstract=text("gmd:abstract", "Short."))
    assert "gemini-04-short" in problem_codes(document)
    with pytest.raises(NotValid) as caught:
        parsed(document, validation="reject")
    assert "(1) line " in caught.value.message


@pytest.mark.parametrize(
    ("parts", "profile", "codes", "is_refused"),
    [
        ({}, "gemini2-3", set(), False),
        (UNPLACED, "gemini2-3", {"gemini-44-needed"}, True),
        (UNPLACED, "table-a1", {"missing-field"}, True),
        ({**UNPLACED, "type": OF_NO_PLACE}, "table-a1", set(), False),
    ],
)
def test_record_without_a_location_is_a_problem_or_refused(
    parts: dict[str, str], profile: str, codes: set[str], is_refused: bool
) -> None:
    field = "gmd:EX_GeographicBoundingBox"
    problems = parsed(dataset(**parts), validation_profiles=[profile]).problems
    assert {problem.code for problem in problems if problem.field == field} == codes
    if is_refused:
        with pytest.raises(NotValid, match=f"{field}: missing; expected the box"):
            parsed(dataset(**parts), require_location=True)
    else:
        assert parsed(dataset(**parts), require_location=True).title
