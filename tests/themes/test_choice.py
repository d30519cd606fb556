"""The theme of a dataset, and the reasons."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.choice import Choice, ThemeFacts, find_keywords

EU = "http://publications.europa.eu/resource/authority/data-theme/"
FUNCTION = "http://id.esd.org.uk/function/"
SERVICE = "http://id.esd.org.uk/service/"


def chosen(**facts: object) -> tuple[str, tuple[str, ...], str]:
    choice = themes.choose(ThemeFacts(**facts))  # type: ignore[arg-type]
    return choice.primary, choice.secondary, choice.origin


def test_the_words_of_the_list_are_found_and_have_themes() -> None:
    seen = set()
    for row in vocabulary.load("theme_words").rows:
        assert not row["theme"] or row["theme"] in theme_names.names(), row
        found = find_keywords({"title": row["words"]})
        assert bool(row["theme"]) == bool(found), row
        assert {reason.text for _theme, reason in found} <= {row["words"]} | {
            reason.text for theme, reason in found if theme != row["theme"]
        }
        assert (row["words"], row["theme"]) not in seen
        seen.add((row["words"], row["theme"]))


CATEGORIES = {
    "AGRI": "Environment",
    "ECON": "Economy",
    "EDUC": "Education",
    "ENER": "Environment",
    "ENVI": "Environment",
    "GOVE": "Government",
    "HEAL": "Health",
    "INTR": "Government",
    "JUST": "Crime",
    "REGI": "Towns",
    "SOCI": "Society",
    "TECH": "Education",
    "TRAN": "Transport",
}


def test_each_category_of_the_eu_has_a_theme() -> None:
    rows = vocabulary.load("eu_themes").rows
    labels = {row["uri"].removeprefix(EU): row["label"] for row in rows}
    assert labels.keys() == CATEGORIES.keys()
    for code, theme in CATEGORIES.items():
        for text in (EU + code, code, labels[code]):
            assert theme_names.find(text) == theme, text
        assert chosen(themes=(EU + code,)) == (theme, (), "eu")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"themes": ("health",)}, ("Health", (), "source")),
        # The first of several is the main one, whatever the text.
        (
            {"themes": ("Towns & Cities", "Environment"), "title": "Air quality and rivers"},
            ("Towns", ("Environment",), "source"),
        ),
        # A repeated theme counts once.
        ({"themes": ("Towns", "Health", "towns", "HEALTH")}, ("Towns", ("Health",), "source")),
        ({"themes": (EU + "TRAN",)}, ("Transport", (), "eu")),
        ({"themes": (EU + "TRAN", "Health")}, ("Health", (), "source")),
        ({"functions": (FUNCTION + "40",)}, ("Environment", (), "function")),
        ({"services": (SERVICE + "579",)}, ("Environment", (), "service")),
        ({"themes": ("https://id.esd.org.uk/service/579/",)}, ("Environment", (), "service")),
        # Three services are more than one function of another theme.
        (
            {
                "functions": (FUNCTION + "40",),
                "services": (SERVICE + "190", SERVICE + "328", SERVICE + "352"),
            },
            ("Society", ("Environment",), "service"),
        ),
        ({"functions": (FUNCTION + "40",), "themes": (EU + "TRAN",)}, "Environment"),
        ({"themes": (EU + "TRAN",), "inspire": ("Land use",)}, "Transport"),
        ({"inspire": ("Transport networks",)}, ("Transport", (), "inspire")),
        ({"themes": ("http://inspire.ec.europa.eu/theme/lu",)}, ("Towns", (), "inspire")),
        ({"themes": ("Land use",)}, ("Towns", (), "inspire")),
        ({"inspire": ("Land use",), "topics": ("oceans",)}, "Towns"),
        ({"topics": ("inlandWaters",)}, ("Environment", (), "topic")),
        ({"topics": ("disaster",)}, ("", (), "")),
        (
            {"themes": ("https://inspire.ec.europa.eu/metadata-codelist/TopicCategory/health",)},
            ("Health", (), "topic"),
        ),
        # Values in no list count for nothing.
        ({"functions": (FUNCTION + "999999",)}, ("", (), "")),
        # A theme of an unknown register counts as a tag.
        ({"title": "Survey", "themes": ("Bus stops", "Bus routes")}, ("Transport", (), "words")),
        ({}, ("", (), "")),
    ],
)
def test_the_surest_decides(facts: dict[str, object], expected: object) -> None:
    found = chosen(**facts)
    assert (found[0] if isinstance(expected, str) else found) == expected


@pytest.mark.parametrize(
    ("title", "theme"),
    [
        tuple(line.rsplit(" | ", 1))
        for line in (Path(__file__).parent / "theme_titles.txt").read_text("utf-8").splitlines()
    ],
)
def test_titles_of_datasets(title: str, theme: str) -> None:
    assert chosen(title=title)[0] == theme.strip(" -")


def test_word_in_two_fields_counts_once() -> None:
    facts = ThemeFacts(
        themes=("Land use", SERVICE + "579", "health", "HEALTH"),
        inspire=("Land use",),
        services=(SERVICE + "579",),
    )
    found = {each.theme: each.score for each in themes.choose(facts).ranking}
    assert found == {"Health": 200, "Towns": 40, "Environment": 40}


def test_words_count_by_place_length_and_how_often() -> None:
    choice = themes.choose(
        ThemeFacts(
            title="Potholes",
            notes="A pothole is reported. Potholes are filled. A pothole! A pothole?",
            tags=("pothole",),
        )
    )
    (transport,) = choice.ranking
    (reason,) = transport.reasons
    # Weight 2 × (title 3 + tags 2 + three times in the description, though it is there four times)
    assert (reason.points, transport.score) == (16, 16)
    assert (reason.text, reason.where, reason.kind) == ("pothole", "title tags notes", "words")
    (longer,) = themes.choose(ThemeFacts(title="Bus stop")).ranking
    assert longer.score == 2 * 2 * 3  # two words


@pytest.mark.parametrize(
    ("text", "theme"),
    [
        ("Car parks", "Transport"),  # nothing for parks
        ("CarParks", "Transport"),
        ("car_parks_2019", "Transport"),
        ("Councillors' expenses", "Government"),
        ("A library; the libraries; librarian", "Education"),
        ("Blue. Badge.", ""),  # a phrase does not cross a full stop
        ("https://example.org/air-quality/bus-stops", ""),
        ('<a href="/bus-stops">here</a>', ""),
        ("bus-stops@example.org", ""),
        ("Training data", ""),
        ("Published under the Open Government Licence", ""),
    ],
)
def test_theme_is_chosen_by_words_of_the_title(text: str, theme: str) -> None:
    assert chosen(title=text)[0] == theme


@pytest.mark.parametrize(
    "facts",
    [
        {"title": "Notes", "notes": "There is a park near the school."},
        {"title": "Station"},
        # Both themes have the same points.
        {"title": "Prisons and hospitals", "tags": ("library",)},
    ],
)
def test_little_evidence_is_no_theme_but_is_shown(facts: dict[str, object]) -> None:
    choice = themes.choose(ThemeFacts(**facts))  # type: ignore[arg-type]
    assert (choice.primary, choice.secondary, choice.origin) == ("", (), "")
    assert choice.ranking


def test_a_further_theme_comes_near_to_the_main_one() -> None:
    both = chosen(title="Bus stops at schools")
    assert both == ("Transport", ("Education",), "words")
    # 6 of 24 points are less than a third.
    assert chosen(title="Bus stops and car parks", tags=("school",))[1] == ()


def test_the_same_dataset_has_the_same_themes() -> None:
    facts = {"title": "Prisons, hospitals, rivers, schools", "tags": ("b", "a")}
    first = themes.choose(ThemeFacts(**facts))  # type: ignore[arg-type]
    assert {themes.choose(ThemeFacts(**facts)) for _ in range(5)} == {first}  # type: ignore[arg-type]
    scores = [(-each.score, each.theme) for each in first.ranking]
    assert scores == sorted(scores)
    assert themes.choose(ThemeFacts()) == Choice()


@pytest.mark.parametrize(
    "piece", ["bus ", "a" * 50, "<", "<a ", "http://a ", "'", "aB", "é\u2019s "]
)
def test_a_long_text_takes_no_time(piece: str) -> None:
    # Long enough that quadratic work would exceed the test's bound.
    themes.choose(
        ThemeFacts(title=piece * 1_000_000, notes=piece * 1_000_000, tags=(piece * 1000,))
    )


def test_a_newer_list_counts_at_once(tmp_path: Path) -> None:
    (tmp_path / "theme_words.csv").write_text("words,theme,weight\nsluice,Environment,2\n")
    (tmp_path / "services.csv").write_text(
        f"uri,label,parent,theme\n{SERVICE}9,Sluices,{FUNCTION}105,\n"
    )
    try:
        vocabulary.use(tmp_path)
        assert chosen(title="Sluices") == ("Environment", (), "words")
        # Without a theme of its own it has that of its function.
        assert chosen(services=(SERVICE + "9",)) == ("Transport", (), "service")
        (tmp_path / "theme_words.csv").write_text("words,theme,weight\nsluice,Environment,much\n")
        vocabulary.use(tmp_path)
        assert chosen(title="Bus stops")[0] == "Transport"  # the extension's own list
    finally:
        vocabulary.use(None)
