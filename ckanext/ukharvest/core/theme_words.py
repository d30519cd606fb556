"""What the words of a dataset say about its theme.

The list ``theme_words`` has words and phrases of up to three words with the theme that they speak
for. A phrase is found whole and takes its words with it: "car park" says nothing of parks. Words
are compared by their stems, as "libraries" is "library".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import snowballstemmer

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.vocabulary import Vocabulary

TITLE, TAGS, NOTES = "title", "tags", "notes"
# What a word counts by the place where it stands.
PLACES = {TITLE: 3, TAGS: 2, NOTES: 1}
# A word that is said again and again tells no more: addresses and legal text repeat themselves.
MOST_OFTEN = 3
# Characters of one place that are read. Of 2,000 real descriptions the longest has 15,000.
LONGEST = 20_000
_LONGEST_WORD = 40
_LONGEST_PHRASE = 3

# Words whose stem is that of another one: "parking" would be "park", "training" "train".
_WHOLE = frozenset(
    ("parking", "training", "building", "planning", "lighting", "national", "university")
    + ("universities", "mining", "accounting", "arms", "coordinates", "granted", "hospitality")
    + ("coaching", "shipping", "station", "stations", "marina", "organic", "general", "generate")
    + ("news", "trains", "grounds", "customs", "works", "plant", "plants", "planted")
)
_STEMMER = snowballstemmer.stemmer("english")
_LOCK = Lock()  # a stemmer keeps the word that it is at in itself

_MARKUP = re.compile(r"<[^<>]{0,500}>|https?://\S+|www\.\S+|\S+@\S+")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")  # PublicToilets
_APOSTROPHE = re.compile(r"['\u2019]s?(?![^\W_])")  # council's, councils'
_BREAK = re.compile(r"[^\w\s'\u2019&-]+|\n\s*\n")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Keyword:
    """An entry of the list.

    Attributes:
        words: as the list has them.
        theme: stored name; "" for a phrase that says nothing, and whose words say nothing either.
        weight: 1 is a word that needs another beside it, 2 one that is enough in a title.
        length: number of words.
    """

    words: str
    theme: str
    weight: float
    length: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A keyword that a dataset has.

    Attributes:
        places: where it stands, such as ("title", "notes").
        points: weight × words × what each place counts × how often it stands there.
    """

    keyword: Keyword
    places: tuple[str, ...]
    points: float


Listed = Mapping[tuple[str, ...], tuple[Keyword, ...]]  # stems → what they speak for


def hits(texts: Mapping[str, str]) -> list[Hit]:
    """Return what is found in the texts of TITLE, TAGS and NOTES, in their order.

    Time grows with the length of a text, of which LONGEST characters are read.
    """
    found: dict[Keyword, dict[str, int]] = {}
    for place in PLACES:
        for keyword in _keywords_in(texts.get(place, "")):
            often = found.setdefault(keyword, {})
            often[place] = min(often.get(place, 0) + 1, MOST_OFTEN)
    return [
        Hit(
            keyword,
            tuple(often),
            keyword.weight
            * keyword.length
            * sum(PLACES[place] * count for place, count in often.items()),
        )
        for keyword, often in found.items()
        if keyword.theme
    ]


def _keywords_in(text: str) -> Iterator[Keyword]:
    listed = _index()
    for stems in _sentences(text[:LONGEST]):
        at = 0
        while at < len(stems):
            length, keywords = _longest_at(stems, at, listed)
            yield from keywords
            at += length


def _longest_at(stems: list[str], at: int, listed: Listed) -> tuple[int, tuple[Keyword, ...]]:
    for length in range(_LONGEST_PHRASE, 0, -1):
        keywords = listed.get(tuple(stems[at : at + length]))
        if keywords:
            return keywords[0].length, keywords
    return 1, ()


def _sentences(text: str) -> Iterator[list[str]]:
    """Stems between punctuation: a phrase does not reach over a full stop."""
    plain = _JOINED.sub(" ", _MARKUP.sub(" . ", text)).replace("&", " and ")
    for part in _BREAK.split(_APOSTROPHE.sub("", plain)):
        stems = [_stem(word[:_LONGEST_WORD]) for word in _WORD.findall(part.casefold())]
        if stems:
            yield stems


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if word in _WHOLE:
        return word
    with _LOCK:
        return str(_STEMMER.stemWord(word))


_last: tuple[Vocabulary, Listed] | None = None


def _index() -> Listed:
    """The list by its stems, anew where it was replaced."""
    global _last
    found = vocabulary.load("theme_words")
    if _last is None or _last[0] is not found:
        _last = (found, _made(found))
    return _last[1]


def _made(given: Vocabulary) -> Listed:
    listed: dict[tuple[str, ...], tuple[Keyword, ...]] = {}
    for row in given.rows:
        stems = tuple(stem for part in _sentences(row["words"]) for stem in part)
        theme = row["theme"]
        keyword = Keyword(row["words"], theme, float(row["weight"] or 1), len(stems))
        listed[stems] = (*listed.get(stems, ()), keyword)
    return listed
