"""Values with a text for each language."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.values.languages import choose_language, language_pairs


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
