"""Opendatasoft: the language of the texts, and texts in other languages that the reader added."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.translations import Translation
from tests.parsers.ods.test_parser import parse, parsed

DESCRIPTION = {"description": "<p>All parks</p>", "keyword": ["green"]}
WELSH = {"title": "Parciau", "description": "<p>Pob parc</p>", "keyword": ["gwyrdd"]}


@pytest.mark.parametrize(
    ("languages", "asked", "expected"),
    [
        pytest.param(["fr"], "", "fr", id="the-only-one"),
        pytest.param(["fr"], "en", "fr", id="not-in-the-language-asked-for"),
        pytest.param(["fr", "nl"], "nl", "nl", id="asked-for"),
        pytest.param(["fr", "nl-BE"], "nl", "nl", id="asked-for-without-region"),
        pytest.param(["fr", "nl"], "", "", id="the-portals-own-is-not-known"),
        pytest.param("fr", "", "fr", id="as-text"),
        pytest.param([None, 3], "en", "", id="odd"),
        pytest.param(None, "en", "", id="absent"),
    ],
)
def test_the_language_of_the_texts(languages: Any, asked: str, expected: str) -> None:
    record = parse({"metadata_languages": languages, "language": "de"}, {"language": asked})
    assert record.text_language == expected
    assert record.translations == {}
    assert record.problems == parse({"language": "de"}).problems


def test_texts_in_other_languages_are_translations() -> None:
    default = {**DESCRIPTION, "metadata_languages": ["en", "cy"]}
    main = Translation("Parks", "All parks", ("green",))
    welsh = Translation("Parciau", "Pob parc", ("gwyrdd",))
    given = {"language": "en"}
    assert parse(default, given, translations={"cy": WELSH}).translations == {
        "cy": welsh,
        "en": main,
    }
    # The language of the main texts is not known.
    assert parse(default, translations={"cy": WELSH}).translations == {"cy": welsh}
    old = {"datasetid": "parks", "metas": {"title": "Parks", **default, "keyword": "green"}}
    record = parsed({**old, "translations": {"cy": {**WELSH, "keyword": "gwyrdd"}}}, given)
    assert record.translations == {"cy": welsh, "en": main}


@pytest.mark.parametrize(
    ("languages", "texts"),
    [
        pytest.param(["en", "cy"], {"title": "Parks", **DESCRIPTION}, id="original-given-instead"),
        pytest.param(["en", "fr"], WELSH, id="not-a-language-of-the-dataset"),
        pytest.param(["en", "cy"], "odd", id="odd"),
        pytest.param(
            ["en", "cy"], {"title": [], "description": None, "keyword": {}}, id="odd-texts"
        ),
    ],
)
def test_wrong_ods_translations_are_ignored(languages: list[str], texts: Any) -> None:
    default = {**DESCRIPTION, "metadata_languages": languages}
    record = parse(default, {"language": "en"}, translations={"cy": texts})
    assert record.translations == {}
