"""Tags and names that CKAN accepts."""

from __future__ import annotations

import re

import pytest

from ckanext.ukharvest.core.values.tags import clean_tags, slug

# CKAN 2.11's and 2.12's rules for a whole tag.
CKAN_TAG = re.compile(r"[\w \-.]{2,100}")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([], (), id="none"),
        pytest.param(["roads"], ("roads",), id="one"),
        pytest.param(
            "roads, parks; rivers\nlakes", ("roads", "parks", "rivers", "lakes"), id="text"
        ),
        pytest.param(["a1; b1", "c1,d1"], ("a1", "b1", "c1", "d1"), id="lists-in-a-list"),
        pytest.param(["Roads", "roads", "ROADS"], ("Roads",), id="first-spelling"),
        pytest.param(["Health & safety"], ("Health and safety",), id="ampersand"),
        pytest.param(["Health &amp; safety"], ("Health and safety",), id="entity"),
        pytest.param(["children's", "children’s"], ("children s",), id="apostrophe"),
        pytest.param(["roads (public)/paths: all"], ("roads public paths all",), id="punctuation"),
        pytest.param([" -roads- ", "a  b"], ("roads", "a b"), id="edges"),
        pytest.param([".NET", "v1.0", "a_b-c"], (".NET", "v1.0", "a_b-c"), id="allowed-signs"),
        pytest.param(["ysgol gynradd ŵ", "日本"], ("ysgol gynradd ŵ", "日本"), id="unicode"),
        pytest.param(["cafe\u0301"], ("café",), id="decomposed"),
        pytest.param([2019, None, ""], ("2019",), id="numbers-and-nothing"),
        pytest.param(["[[REDACTED-EX B6]]"], (), id="redacted"),
    ],
)
def test_tags_are_cleaned_without_a_problem(given: list[object], expected: tuple[str, ...]) -> None:
    assert clean_tags(given, "keyword") == (expected, ())


@pytest.mark.parametrize(
    ("given", "expected", "message"),
    [
        pytest.param(["C", "ok"], ("ok",), "'C' was left out", id="too-short"),
        pytest.param(["..", "!?"], (), "'..', '!?' were left out", id="signs-only"),
        pytest.param(["http://example.org/x"], (), "was left out", id="uri"),
        pytest.param([{"name": "x"}], (), '\'{"name": "x"}\' was left out', id="object"),
        pytest.param(["a" * 120], ("a" * 100,), "was cut at 100 characters", id="too-long"),
        pytest.param(list("abcdefg"), (), "'e' and 2 more were left out", id="many"),
    ],
)
def test_an_omitted_tag_is_reported_once(
    given: list[object], expected: tuple[str, ...], message: str
) -> None:
    tags, problems = clean_tags(given, "keyword")
    assert tags == expected
    assert [(p.code, p.field) for p in problems] == [("bad-tag", "keyword")]
    assert problems[0].message.startswith("keyword: ")
    assert message in problems[0].message


@pytest.mark.parametrize("size", [99, 100, 101])
def test_every_tag_is_one_that_ckan_takes(size: int) -> None:
    wild = ["x" * (size - 2) + " y", *map(chr, range(32, 0x250)), "a\tb", "a\u2028b", "-" * size]
    tags, _ = clean_tags([*wild, *(char + "ab" + char for char in wild)], "keyword")
    assert [tag for tag in tags if not CKAN_TAG.fullmatch(tag)] == []
    assert clean_tags(tags, "keyword") == (tags, ())


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("Road closures 2019", "road-closures-2019", id="plain"),
        pytest.param(
            "Café & Straße: the “new” thing", "cafe-and-strasse-the-new-thing", id="signs"
        ),
        pytest.param("Children's services", "childrens-services", id="apostrophe"),
        pytest.param("Łódź Ærø Ŵyl", "lodz-aero-wyl", id="letters"),
        pytest.param("2019", "2019", id="number"),
        pytest.param("", "dataset", id="empty"),
        pytest.param("A", "dataset", id="one-letter"),
        pytest.param("日本", "dataset", id="no-ascii"),
        pytest.param("New", "new-dataset", id="reserved-new"),
        pytest.param("edit", "edit-dataset", id="reserved-edit"),
        pytest.param("Search!", "search-dataset", id="reserved-search"),
        pytest.param("word " * 40, "-".join(["word"] * 18), id="cut-at-a-word"),
        pytest.param("x" * 200, "x" * 90, id="one-long-word"),
        pytest.param("a " + "x" * 200, "a-" + "x" * 88, id="long-second-word"),
    ],
)
def test_a_slug_is_made_of_a_title(title: str, expected: str) -> None:
    assert slug(title) == expected
    assert re.fullmatch(r"[a-z0-9_-]{2,90}", expected)
