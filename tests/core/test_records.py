"""Texts by language."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Translation, collect_translations
from ckanext.ukharvest.core.values.languages import language_code


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
