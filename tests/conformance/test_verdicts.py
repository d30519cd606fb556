"""Validation agrees with the validators that publishers know, except for listed differences.

The manifest has the verdicts of ISO 19139's table A.1 (Schematron 1.4) and of GEMINI 2.1
(Schematron 1.2): the number of faults, and the first. The test compares whether a record passes,
and that fault; verdicts.toml lists each difference, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import RULES, report
from ckanext.ukharvest.parsers.gemini.rules.rule import V21, Metadata
from tests.conformance.manifest import Sample, load_toml

# Fact → the profile with its rules.
PROFILES = {"iso_tableA1_schematron14": "table-a1", "gemini21_schematron12": "gemini2-1"}
DIFFERENT = {
    (each["sample"], profile): each["reason"]
    for each in load_toml("verdicts.toml")["different"]
    for profile in each["profiles"]
}
FEWEST_AGREE = 0.9

# Beginning of the manifest's first fault → the rule that has to be broken too.
FAULTS = {
    "DQ_Scope": "iso-09-description",
    "Descriptive keywords": "gemini-06-needed",
    "LI_Source": "iso-13-source",
    "Language": "gemini-33-lang",
    "Limitations on public access": "gemini-25-restricted",
    "Lineage": "gemini-10-needed",
    "MD_DataIdentification": "iso-04-extent",
    "MD_Distribution": "iso-18-format",
    "One email address": "gemini-35-party",
    "Resource type": "gemini-39-one",
    "Service type": "gemini-37-list",
    "Temporal extent": "gemini-07-shape",
    "The 'gmd:": "iso-30-empty",
}


def broken(document: Path, profile: str) -> list[str]:
    """Return the codes of the rules that a record breaks; of GEMINI only requirements."""
    metadata = Metadata(IsoNode(xml.parse(document.read_bytes()), []))
    rules = report.rules_for(RULES, metadata, [profile])
    if profile == "gemini2-1":
        rules = tuple(rule for rule in rules if V21 in rule.versions and rule.is_error)
    return [rule.code for rule, _ in report.failing(rules, metadata)]


@pytest.fixture(scope="module")
def judged(real_folder: Path, real_samples: list[Sample]) -> dict[tuple[str, str], str]:
    """Return the difference, "" for none, by sample and profile."""
    found = {}
    for sample, fact, profile in _asked(real_samples, PROFILES):
        codes = broken(real_folder / sample.name, profile)
        is_same = _agrees(sample.facts[fact], codes)
        words = "" if is_same else f"{sample.facts[fact]!r}, found {codes or 'nothing'}"
        found[(sample.name, profile)] = words
    return found


def _asked(samples: list[Sample], profiles: Mapping[str, str]) -> Iterator[tuple[Sample, str, str]]:
    for sample in samples:
        for fact, profile in profiles.items():
            if fact in sample.facts:
                yield sample, fact, profile


def _agrees(said: str, codes: list[str]) -> bool:
    """Tell whether both pass a record, or both fail it and ours report the first fault as well."""
    if said == "pass":
        return not codes
    fault = said.partition(" failed: ")[2]
    return any(code in codes for begin, code in FAULTS.items() if fault.startswith(begin))


def test_verdicts_agree_but_for_those_listed(judged: dict[tuple[str, str], str]) -> None:
    differs = {which: words for which, words in judged.items() if words}
    assert {which: words for which, words in differs.items() if which not in DIFFERENT} == {}
    assert DIFFERENT.keys() - differs.keys() == set(), "agrees: take it out of verdicts.toml"


def test_most_verdicts_agree(judged: dict[tuple[str, str], str]) -> None:
    agree = sum(not words for words in judged.values())
    assert len(judged) >= 50
    assert agree >= FEWEST_AGREE * len(judged), f"{agree} of {len(judged)}"


def test_each_difference_has_a_reason() -> None:
    assert all(reason.strip() for reason in DIFFERENT.values())
