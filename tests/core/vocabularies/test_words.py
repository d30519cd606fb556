"""Each word of each bundled list, and other spellings of it: words.tsv has list, word, value.

A list that data makes (places, services, …) has one row: the number of its words and a digest of
their values. A new word needs its row, which the failing test prints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import (
    formats,
    frequencies,
    gazetteer,
    licences,
    organization_types,
    theme_names,
)
from ckanext.ukharvest.core.vocabularies import vocabulary

# Columns whose cells are looked up; a cell may have several words.
WORDS = (
    *("url", "uri", "value", "label", "id", "title", "name", "slug", "code", "place", "aliases"),
    *("extensions", "media_types", "names", "addresses", "text_url", "intervals", "words"),
)


def licence(word: str) -> str:
    known = licences.find(word)
    return " | ".join((known.id, known.title, known.url)) if known and known.id else ""


def file_type(word: str) -> str:
    is_extension = formats.of_url(f"http://a.b/c.{word}")
    return " | ".join(filter(None, (formats.label(word), is_extension)))


def frequency(word: str) -> str:
    try:
        value = frequencies.parse_frequency(word)
    except ValueError:
        return ""
    return f"{value} {frequencies.frequency_label(value)}"


def row(name: str) -> Callable[[str], str]:
    """Return a reader: all cells of the entry with a name, address or alias."""
    return lambda word: " | ".join((vocabulary.row(name, word) or {}).values())


READERS: dict[str, Callable[[str], object]] = {
    "codelists": row("codelists"),
    "eu_themes": theme_names.of_eu,
    "file_types": file_type,
    "frequencies": frequency,
    "inspire_themes": theme_names.of_inspire,
    "licences": licence,
    "open_licences": licence,
    "organization_types": organization_types.find,
    "schemas": row("schemas"),
    "themes": theme_names.find,
    "topic_categories": theme_names.of_topic,
}
MADE: dict[str, Callable[[str], object]] = {
    "councils": gazetteer.find,
    "functions": theme_names.of_esd,
    "places": gazetteer.find,
    "postcodes": gazetteer.find,
    "services": theme_names.of_esd,
    "theme_words": row("theme_words"),
}


LINES = Path(__file__).with_name("words.tsv").read_text(encoding="utf-8").split("\n")


def words(name: str) -> Iterator[str]:
    for entry in vocabulary.bundled(name).rows:
        for column in WORDS:
            yield from vocabulary.parts(entry.get(column, ""))


def values(name: str) -> dict[str, str]:
    """Return word → value for a list as it is, and for the other words of words.tsv."""
    listed = [line.split("\t")[1] for line in LINES if line.startswith(f"{name}\t")]
    read = (READERS | MADE)[name]
    found = {word: read(word) for word in (*words(name), *(listed if name in READERS else ()))}
    texts = {
        word: " | ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        for word, value in found.items()
    }
    return {word: text for word, text in texts.items() if text.strip(" |")}


def rows(name: str) -> set[str]:
    """Return the rows of words.tsv for a list as it is."""
    pairs = list(map("\t".join, values(name).items()))
    if name in READERS:
        return {f"{name}\t{pair}" for pair in pairs}
    digest = hashlib.sha256("\n".join(pairs).encode()).hexdigest()
    return {f"{name}\t{len(pairs)}\t{digest}"}


def test_each_list_is_read() -> None:
    assert {*READERS, *MADE} == set(vocabulary.names())


@pytest.mark.parametrize("name", [*READERS, *MADE])
def test_each_word_has_its_value(name: str) -> None:
    expected, now = {line for line in LINES if line.startswith(f"{name}\t")}, rows(name)
    assert (sorted(expected - now), sorted(now - expected)) == ([], [])
