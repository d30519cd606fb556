"""Values with a text for each language."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.values.languages import (
    choose_language,
    language_pairs,
    parse_language,
    read_languages,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"en": "Bins", "cy": "Biniau"}, [("en", "Bins"), ("cy", "Biniau")]),
        ({"eng": "Bins", "cy_GB": "Biniau"}, [("eng", "Bins"), ("cy_GB", "Biniau")]),
        ({"en": "Bins", "cy": "", "fr": None}, [("en", "Bins")]),
        ({"en": ["a", "b"]}, [("en", ["a", "b"])]),
        ('{"en": "Bins"}', [("en", "Bins")]),
        (
            [
                {"@language": "en", "@value": "a"},
                {"@language": "en", "@value": "b"},
                {"@language": "cy", "@value": "c"},
            ],
            [("en", ["a", "b"]), ("cy", "c")],
        ),
        *(
            (other, [])
            for other in (
                *({"id": "x"}, {"id": "x", "name": "Bins"}, {"url": "x"}, {"en": {"a": 1}}, {}),
                *([], ["en"], [{"@value": "a"}], "Bins", '{"en": ', '{"type": "Point"}', None, 7),
            )
        ),
    ],
)
def test_language_map_is_told_from_other_values(
    value: Any, expected: list[tuple[str, Any]]
) -> None:
    assert language_pairs(value) == expected
    assert choose_language(value) == (expected[0][1] if expected else value)


def test_english_wins_over_the_first_language() -> None:
    assert choose_language({"cy": "Biniau", "en-GB": "Bins"}) == "Bins"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("en", "en", id="two-letters"),
        pytest.param("EN-gb", "en-GB", id="region"),
        pytest.param("en_GB", "en-GB", id="underscore"),
        pytest.param("zh-hans-cn", "zh-Hans-CN", id="script"),
        pytest.param("eng", "en", id="three-letters"),
        pytest.param("wel", "cy", id="bibliographic"),
        pytest.param("sco", "sco", id="three-letters-only"),
        pytest.param("English", "en", id="name"),
        pytest.param("Cymraeg", "cy", id="own-name"),
        pytest.param(
            "http://publications.europa.eu/resource/authority/language/ENG", "en", id="eu"
        ),
        pytest.param("http://id.loc.gov/vocabulary/iso639-1/cy", "cy", id="loc"),
        pytest.param("http://lexvo.org/id/iso639-3/gla", "gd", id="lexvo"),
    ],
)
def test_parse_language(given: str, expected: str) -> None:
    assert parse_language(given) == expected


@pytest.mark.parametrize(
    ("given", "tags", "codes"),
    [
        ("UK English", ("en",), []),
        ("English (UK)", ("en",), []),
        ("English or Welsh", ("en", "cy"), []),
        ("Welsh/English; Scottish Gaelic", ("cy", "en", "gd"), []),
        ("en cy", ("en", "cy"), []),
        ("eng; USA", ("en",), []),
        ("not applicable", (), ["bad-language"]),
        ("x" * 2_000, (), ["bad-language"]),
    ],
)
def test_languages_in_words_are_read(given: str, tags: tuple[str, ...], codes: list[str]) -> None:
    reported: list[str] = []
    assert read_languages([given], lambda code, *_words: reported.append(code)) == tags
    assert reported == codes


@pytest.mark.parametrize("given", ["", "zz", "en,cy", "Klingonian", "1", "e", "en-"])
def test_other_texts_are_no_language(given: str) -> None:
    with pytest.raises(ValueError, match="is not a language"):
        parse_language(given)
