"""Update frequencies as publishers write them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.frequencies import frequency_label, parse_frequency


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("R/P1Y", "R/P1Y", id="interval"),
        pytest.param("r/p1y", "R/P1Y", id="lower-case"),
        pytest.param("P1Y", "R/P1Y", id="duration"),
        pytest.param("R/P12M", "R/P1Y", id="twelve-months"),
        pytest.param("R/P7D", "R/P1W", id="seven-days"),
        pytest.param("R5/2019-01-01/P1M", "R/P1M", id="count-and-start"),
        pytest.param("R/P0,5M", "R/P0.5M", id="decimal-comma"),
        pytest.param("R/PT1H", "R/PT1H", id="hour"),
        pytest.param("R/P5M", "R/P5M", id="uncommon"),
        pytest.param("unknown", "", id="unknown"),
        pytest.param("http://purl.org/cld/freq/UNKNOWN", "", id="unknown-uri"),
    ],
)
def test_parse_frequency(given: str, expected: str) -> None:
    assert parse_frequency(given) == expected


@pytest.mark.parametrize("given", ["", "R/P", "P", "PT", "whenever", "2019", "R/2019-01-01", "1"])
def test_an_unknown_frequency_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is not a frequency we know"):
        parse_frequency(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("R/P1Y", "Annually"),
        ("R/P5M", "Every 5 months"),
        ("irregular", "Irregular"),
        ("as it comes", "as it comes"),
    ],
)
def test_frequency_label(given: str, expected: str) -> None:
    assert frequency_label(given) == expected


def test_labels_with_a_number_share_a_translation() -> None:
    welsh = {"Every {n} months": "Bob {n} mis", "Annually": "Yn flynyddol"}
    labels = [frequency_label(code, lambda text: welsh[text]) for code in ("R/P6M", "R/P1Y")]
    assert labels == ["Bob 6 mis", "Yn flynyddol"]
