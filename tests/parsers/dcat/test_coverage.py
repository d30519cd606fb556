"""Language-tagged literals: what is chosen stays, the other languages are kept."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import ResourceTranslation, Translation
from tests.parsers.dcat.turtle import parse


@pytest.mark.parametrize(
    ("turtle", "language", "expected"),
    [
        ('dct:title "T"', "", {}),
        ('dct:title "T"@cy', "cy", {}),
        (
            'dct:title "Colour"@en-GB, "Lliw"@cy, "Color"@en',
            "en",
            {"cy": Translation("Lliw"), "en": Translation("Color")},
        ),
        # Which language the untagged title is in is not known.
        (
            'dct:title "T", "Titre"@fr ; dct:description "D"@fr, "B"@de',
            "",
            {"de": Translation("", "B"), "fr": Translation("Titre", "D")},
        ),
        (
            'dct:title "T"@en ; dcat:keyword "air; water"@en, "aer"@cy, "plain"',
            "en",
            {"cy": Translation(tags=("aer",)), "en": Translation("T", tags=("air", "water"))},
        ),
        # Each language has both texts, as the description that is chosen has.
        (
            'dct:title "T"@en ; dct:description "D"@en, "<p>1</p><p>2</p>"@cy ;'
            ' rdfs:comment "C"@en, "S"@cy',
            "en",
            {"cy": Translation("", "1\n\n2\n\nS"), "en": Translation("T", "D\n\nC")},
        ),
        ('dct:title "T"@en, "Nonsense"@xx-nothing-1234', "en", {}),
    ],
)
def test_a_datasets_texts_are_kept_by_language(
    turtle: str, language: str, expected: dict[str, Translation]
) -> None:
    if "dct:description" not in turtle:
        turtle += ' ; dct:description "D"'
    record = parse(turtle)
    assert (record.text_language, dict(record.translations)) == (language, expected)


def test_the_preferred_language_is_that_of_the_record() -> None:
    record = parse('dct:title "T"@en, "Teitl"@cy', language="cy")
    assert (record.title, record.text_language) == ("Teitl", "cy")
    assert sorted(record.translations) == ["cy", "en"]


def test_a_distributions_texts_are_kept_by_language() -> None:
    record = parse(
        'dcat:distribution [ dct:title "Stops"@en, "Safleoedd"@cy ; dct:description "Rows"@en ;'
        " dcat:downloadURL <http://a.uk/f.csv> ]"
    )
    assert record.resources[0].translations == {
        "cy": ResourceTranslation("Safleoedd"),
        "en": ResourceTranslation("Stops", "Rows"),
    }
