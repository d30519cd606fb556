"""Places by their names: the bundled lists of councils, postcodes and places."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values import gazetteer


def names(places: list[gazetteer.Place]) -> list[str]:
    return [place.name for place in places]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Leeds", "Leeds"),
        ("  lEEDS ", "Leeds"),
        ("Leeds City Council", "Leeds"),
        ("Kent County Council", "Kent"),
        ("Bristol, City of", "Bristol"),
        ("Hull", "Kingston upon Hull"),
        ("Caerdydd", "Cardiff"),
        ("Cymru", "Wales"),
        ("Saint Albans", "St Albans"),
        ("kings lynn", "King’s Lynn"),
        ("LS", "LS"),
        ("ls1", "LS1"),
        ("LS1 4AP", "LS1"),
        ("ls14ap", "LS1"),
        ("SW1A 2AA", "SW1A"),
        ("Newport, Isle of Wight", "Newport, Isle of Wight"),
        ("Newport Council", "Newport Council"),
    ],
)
def test_place_is_found_by_each_of_its_names(text: str, name: str) -> None:
    assert [place.name.replace("'", "’") for place in gazetteer.find(text)] == [name]


def test_name_of_several_places_returns_them_all() -> None:
    found = names(gazetteer.find("Newport"))
    assert found[:2] == ["Newport Council", "Newport, Isle of Wight"]
    assert len(found) == len(set(found)) == 6


def test_every_place_has_a_name_of_its_own() -> None:
    places = gazetteer.suggest("n", limit=1000)
    assert len(places) > 300
    assert [found for place in places if (found := gazetteer.find(place.name)) != [place]] == []


@pytest.mark.parametrize("text", ["", " ", "Atlantis", "ZZ1", "x" * 10_000])
def test_unknown_names_find_nothing(text: str) -> None:
    assert gazetteer.find(text) == []


def test_spelling_mistakes_find_similar_names() -> None:
    assert names(gazetteer.similar("Brsitol")) == ["Bristol"]
    assert names(gazetteer.similar("Edinborough")) == ["Edinburgh"]
    assert names(gazetteer.similar("Caerdyd")) == ["Cardiff"]


@pytest.mark.parametrize("name", ["Atlantis", "Berlin", "Amsterdam", "", "?"])
def test_far_fetched_names_are_not_offered(name: str) -> None:
    assert gazetteer.similar(name) == []


def test_council_is_its_box_and_settlement_its_surroundings() -> None:
    (leeds,) = gazetteer.find("Leeds")
    assert leeds.box == (-1.779, 53.701, -1.304, 53.945)
    (otley,) = gazetteer.find("Otley, Leeds")
    west, south, east, north = otley.box
    # 20 km: 0.18 degrees of latitude, more of longitude.
    assert north - south == pytest.approx(0.18, abs=0.001)
    assert east - west == pytest.approx(0.304, abs=0.003)
    assert south < 53.905 < north
    assert west < -1.693 < east


def test_suggestions_begin_with_the_text() -> None:
    assert names(gazetteer.suggest("ls1", limit=3)) == ["LS1", "LS10", "LS11"]
    assert "Newcastle upon Tyne" in names(gazetteer.suggest("newc"))
    assert "Milton Keynes" in names(gazetteer.suggest("keynes"))
    assert gazetteer.suggest("  ") == []


def test_nearest_settlement() -> None:
    assert gazetteer.nearest(-1.55, 53.80) == "Leeds"
