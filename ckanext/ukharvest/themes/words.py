"""Themes suggested by the words of a dataset.

The list ``theme_words`` maps words and phrases to themes. A phrase is matched as a whole and uses
up its words: "car park" does not count for parks, and a phrase without a theme, such as "open
government licence", counts for nothing. Words are compared by their stems: "libraries" is
"library".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import snowballstemmer

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.csv_file import Vocabulary

TITLE, TAGS, NOTES = "title", "tags", "notes"
# Points of a word by its place.
PLACES = {TITLE: 3, TAGS: 2, NOTES: 1}
# Repetitions beyond this count no more: addresses and legal text repeat themselves.
MOST_OFTEN = 3
# Characters of one place that are read. Of 2,000 real descriptions the longest has 15,000.
LONGEST = 20_000
_LONGEST_WORD = 40
_MOST_WORDS = 3  # words of a phrase that count

# Words whose stem is that of another one: "parking" would be "park", "populated" "population".
_WHOLE = frozenset(
    ("parking", "training", "building", "planning", "housing", "mining", "zoning", "commissioning")
    + ("university", "universities", "hospitality", "arms", "coordinates", "coaching", "customs")
    + ("important", "importance", "organic", "animated", "animation", "populated", "publication")
    + ("productivity", "conception", "equality", "equalities", "constitution", "consultation")
    + ("trainer", "granted", "addressing", "addressed")
)
_STEMMER = snowballstemmer.stemmer("english")
_LOCK = Lock()  # a stemmer holds its current word in itself

_MARKUP = re.compile(r"<[^<>]{0,500}>|https?://\S+|www\.\S+|[^\s@]{0,60}@\S+")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # PublicToilets
_APOSTROPHE = re.compile(r"['\u2019]s?(?![^\W_])")  # council's, councils'
_BREAK = re.compile(r"[^\w\s'\u2019&-]+|\n\s*\n")
_WORD = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True, slots=True)
class Keyword:
    """An entry of the list.

    Attributes:
        words: as the list has them.
        theme: stored name; "" for a phrase without a theme.
        weight: 2 is a word that is enough in a title, 1 one that needs another, 0.5 one that only
            adds to others.
        length: number of words.
    """

    words: str
    theme: str
    weight: float
    length: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A keyword found in a dataset.

    Attributes:
        places: where it was found, such as ("title", "notes").
        points: weight × words × points of each place × occurrences there.
    """

    keyword: Keyword
    places: tuple[str, ...]
    points: float


def find_keywords(texts: Mapping[str, str]) -> list[Hit]:
    """Return the keywords in the texts of TITLE, TAGS and NOTES, in their order.

    Time grows with the length of the texts; of each, LONGEST characters are read.
    """
    counts: dict[Keyword, dict[str, int]] = {}
    for place in PLACES:
        for keyword, count in Counter(_keywords_in(texts.get(place, ""))).items():
            counts.setdefault(keyword, {})[place] = min(count, MOST_OFTEN)
    return [
        Hit(
            keyword,
            tuple(places),
            keyword.weight
            * min(keyword.length, _MOST_WORDS)
            * sum(PLACES[place] * count for place, count in places.items()),
        )
        for keyword, places in counts.items()
        if keyword.theme
    ]


def _keywords_in(text: str) -> Iterator[Keyword]:
    listed = _listed()
    for stems in _sentences(text[:LONGEST]):
        at = 0
        while at < len(stems):
            phrases = (
                listed.by_stems.get(tuple(stems[at : at + length]))
                for length in range(min(listed.longest, len(stems) - at), 0, -1)
            )
            keywords = next(filter(None, phrases), ())  # of the longest phrase that begins here
            yield from keywords
            at += keywords[0].length if keywords else 1


def _sentences(text: str) -> Iterator[list[str]]:
    """Return the stems between punctuation: a phrase does not cross a full stop."""
    plain = _JOINED.sub(" ", _MARKUP.sub(" . ", text)).replace("&", " and ")
    for part in _BREAK.split(_APOSTROPHE.sub("", plain)):
        stems = [_stem(word[:_LONGEST_WORD]) for word in _WORD.findall(part.casefold())]
        if stems:
            yield stems


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    singular = word.removesuffix("s")
    if word in _WHOLE or singular in _WHOLE:
        return word if word in _WHOLE else singular
    with _LOCK:
        return str(_STEMMER.stemWord(word))


@dataclass(frozen=True, slots=True)
class _Listed:
    by_stems: Mapping[tuple[str, ...], tuple[Keyword, ...]]
    longest: int  # words in the longest phrase


@vocabulary.derived("theme_words")
def _listed(listed: Vocabulary) -> _Listed:
    """Return the list's keywords by their stems."""
    by_stems: dict[tuple[str, ...], tuple[Keyword, ...]] = {}
    for row in listed.rows:
        stems = tuple(stem for part in _sentences(row["words"]) for stem in part)
        theme = theme_names.of_uk(row["theme"])
        weight = float(row["weight"] or 0) if theme else 0
        keyword = Keyword(row["words"], theme, weight, len(stems))
        by_stems[stems] = (*by_stems.get(stems, ()), keyword)
    return _Listed(by_stems, max(map(len, by_stems)))
