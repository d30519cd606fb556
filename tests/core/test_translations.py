"""Texts by language, and the detection of a language."""

from __future__ import annotations

import sys

import pytest

from ckanext.ukharvest.core.translations import Translation, collect_translations
from ckanext.ukharvest.core.values import language_detection
from ckanext.ukharvest.core.values.language_detection import SHORTEST, detect_language
from ckanext.ukharvest.core.values.languages import language_code

WELSH = (
    "Pob safle bws yn y sir gyda lleoliad, cysgod a gwybodaeth hygyrchedd, wedi'u diweddaru bob"
    " mis gan y cyngor."
)
ENGLISH = (
    "All bus stops in the county with their location, shelter and access, updated every month by"
    " the council."
)


@pytest.mark.parametrize(
    ("given", "code"),
    [("en-GB", "en"), ("cym", "cy"), ("wel", "cy"), ("zh-Hans", "zh"), ("English", "en")]
    + [("sco", "sco"), ("", ""), ("no language", ""), ("uk-UK", "uk")],
)
def test_a_code_is_that_of_ckans_locales(given: str, code: str) -> None:
    assert language_code(given) == code


def test_texts_are_collected_by_language() -> None:
    pairs = [("en-GB", "Colour"), ("cym", "Lliw"), ("en", "Color"), ("", "?"), ("cy", "")]
    found = collect_translations(Translation, {"title": pairs, "tags": [("fr", ("a",))]})
    assert found == {
        "cy": Translation("Lliw"),
        "en": Translation("Color"),
        "fr": Translation(tags=("a",)),
    }


def test_one_language_is_no_translation() -> None:
    assert collect_translations(Translation, {"title": [("en", "A"), ("en-GB", "B")]}) == {}


@pytest.mark.parametrize(("text", "code"), [(WELSH, "cy"), (ENGLISH, "en")])
def test_the_language_of_a_description_is_detected(text: str, code: str) -> None:
    found = detect_language(text)
    assert found is not None
    assert found[0] == code
    assert 0.9 <= found[1] <= 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bus stops",
        WELSH[: SHORTEST - 1],
        "ONS_LSOA_2011_EW_BGC_V3 WFS 2021-11 E01000001 E01000002 E01000003 E01000004",
        "1234567890 " * 20,
    ],
)
def test_short_texts_and_codes_are_not_guessed(text: str) -> None:
    assert detect_language(text) is None


def test_without_the_package_nothing_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    language_detection._identifier.cache_clear()
    try:
        assert detect_language(WELSH) is None
    finally:
        language_detection._identifier.cache_clear()


def test_a_fault_of_the_package_detects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_detection, "_identifier", object)
    assert detect_language(WELSH) is None
