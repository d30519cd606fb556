"""The twelve themes of UK portals, and the choice among them for a dataset.

A theme that the source names decides, then local government's functions and services, themes of the
EU's portals, of INSPIRE, and topic categories of ISO 19115. Only without any of these are the
dataset's words weighed, and their result is a suggestion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock

import snowballstemmer

from ckanext.ukharvest.core.values import local_government_lists, theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary

# Origins of a theme, the surest first.
SOURCE, FUNCTION, SERVICE, EU, INSPIRE, TOPIC, WORDS, PERSON = (
    *("source", "function", "service", "eu", "inspire", "topic", "words"),
    "person",
)
# Points of each. The first of a source's own themes is its main one.
POINTS = {SOURCE: 200, FUNCTION: 100, SERVICE: 40, EU: 40, INSPIRE: 40, TOPIC: 20}
_FURTHER_OF_SOURCE = 100
# The first of these with any result decides; the others only add points.
_TIERS = ((SOURCE,), (FUNCTION, SERVICE), (EU,), (INSPIRE,), (TOPIC,), (WORDS,))
# Points from which words decide: one strong word in the title (weight 2 × 3), or a phrase.
LEAST = 6
# … and only with this lead over the next theme.
CLEAR = 1.25
# A further theme has more than this share of the best one's points.
_SHARE = 1 / 3
_MOST_FURTHER = 2


@dataclass(frozen=True, slots=True)
class ThemeFacts:
    """The facts that decide a theme.

    Attributes:
        themes: as the source names them: labels or URIs of any register.
        functions, services: URIs of the LGA's lists.
        inspire: labels of INSPIRE themes.
        topics: codes of topic categories (ISO 19115).
    """

    title: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    inspire: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a theme is likely: ``kind`` is "source", "function", … as above; points add up."""

    kind: str
    text: str  # the word, or the label of the function, service or theme
    where: str = ""  # "title", "tags", "notes", separated by blanks; only for words
    points: float = 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A theme with its score and the reasons, the weightiest first."""

    theme: str
    score: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """The themes of a dataset.

    Attributes:
        primary: stored name such as "Environment", "" for none.
        secondary: the next likely ones.
        origin: what decided: SOURCE … WORDS; a choice by WORDS is only a suggestion.
        ranking: all themes with any points, best first.
    """

    primary: str = ""
    secondary: tuple[str, ...] = ()
    origin: str = ""
    ranking: tuple[Ranked, ...] = ()


Evidence = tuple[str, Reason]  # a theme and the reason for it


def choose(about: ThemeFacts) -> Choice:
    """Return the themes of a dataset; the same input gives the same themes."""
    evidence: dict[str, list[Reason]] = {}
    for theme, reason in dict.fromkeys(_evidence(about)):  # INSPIRE themes are in two fields
        evidence.setdefault(theme, []).append(reason)
    ranked = [
        Ranked(
            theme,
            sum(reason.points for reason in reasons),
            tuple(sorted(reasons, key=lambda reason: (-reason.points, reason.text))),
        )
        for theme, reasons in evidence.items()
    ]
    ranking = tuple(sorted(ranked, key=lambda row: (-row.score, -len(row.reasons), row.theme)))
    primary, origin = _main_theme(ranking)
    return Choice(primary, _further(primary, ranking) if primary else (), origin, ranking)


def _main_theme(ranking: Iterable[Ranked]) -> tuple[str, str]:
    """Return the main theme and its origin, of the surest origin with any result."""
    for kinds in _TIERS:
        candidates = [
            (sum(reason.points for reason in reasons), -place, ranked.theme, reasons[0].kind)
            for place, ranked in enumerate(ranking)
            if (reasons := [reason for reason in ranked.reasons if reason.kind in kinds])
        ]
        if candidates:
            points, _place, theme, kind = max(candidates)
            next_best = max((row[0] for row in candidates if row[2] != theme), default=0)
            is_clear = points >= max(LEAST, next_best * CLEAR)
            return (theme, kind) if kind != WORDS or is_clear else ("", "")
    return "", ""


def _further(primary: str, ranking: Iterable[Ranked]) -> tuple[str, ...]:
    """Return all themes that the source names, and the best few that come near to the main one."""
    others = [ranked for ranked in ranking if ranked.theme != primary]
    best = next(ranked.score for ranked in ranking if ranked.theme == primary)
    named = [other for other in others if any(reason.kind == SOURCE for reason in other.reasons)]
    near = [
        other
        for other in others
        if other not in named and other.score > best * _SHARE and other.score >= LEAST
    ]
    return tuple(other.theme for other in (*named, *near[:_MOST_FURTHER]))


def _evidence(about: ThemeFacts) -> Iterator[Evidence]:
    esd = local_government_lists.find(about.themes)
    registered = [(text, _of_register(text)) for text in dict.fromkeys(esd.others)]
    yield from _of_list(FUNCTION, theme_names.of_esd, (*about.functions, *esd.functions))
    yield from _of_list(SERVICE, theme_names.of_esd, (*about.services, *esd.services))
    yield from _of_source([evidence for _text, evidence in registered if evidence])
    yield from _of_list(INSPIRE, theme_names.of_inspire, about.inspire)
    yield from _of_list(TOPIC, theme_names.of_topic, about.topics)
    # Themes of unknown registers count as tags.
    tags = (*about.tags, *(text for text, evidence in registered if not evidence))
    yield from find_keywords({TITLE: about.title, TAGS: "\n\n".join(tags), NOTES: about.notes})


def _of_list(
    kind: str, find: Callable[[str], tuple[str, str]], texts: Iterable[str]
) -> Iterator[Evidence]:
    for theme, label in map(find, dict.fromkeys(texts)):
        if theme:
            yield theme, Reason(kind, label, points=POINTS[kind])


def _of_register(text: str) -> Evidence | None:
    """Return the theme for a label or URI, if its register is known."""
    registers = (
        (SOURCE, theme_names.of_uk(text), text),
        (EU, *theme_names.of_eu(text)),
        (INSPIRE, *theme_names.of_inspire(text)),
        (TOPIC, *(theme_names.of_topic(text) if theme_names.is_topic_address(text) else ("", ""))),
    )
    evidence = (
        (theme, Reason(kind, label, points=POINTS[kind]))
        for kind, theme, label in registers
        if theme
    )
    return next(evidence, None)


def _of_source(registered: Iterable[Evidence]) -> Iterator[Evidence]:
    """Return points for the source's themes; its first one is the main one."""
    named: dict[str, Reason] = {}
    for theme, reason in registered:
        if reason.kind == SOURCE:
            named.setdefault(theme, reason)
        else:
            yield theme, reason
    for place, (theme, reason) in enumerate(named.items()):
        yield theme, replace(reason, points=_FURTHER_OF_SOURCE) if place else reason


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


def find_keywords(texts: Mapping[str, str]) -> list[Evidence]:
    """Return the themes of keywords in the texts of TITLE, TAGS and NOTES, in their order.

    Points are weight × words × points of each place × occurrences there. Time grows with the length
    of the texts; of each, LONGEST characters are read.
    """
    counts: dict[Keyword, dict[str, int]] = {}
    for place in PLACES:
        for keyword, count in Counter(_keywords_in(texts.get(place, ""))).items():
            counts.setdefault(keyword, {})[place] = min(count, MOST_OFTEN)
    evidence = []
    for keyword, places in counts.items():
        points = keyword.weight * min(keyword.length, _MOST_WORDS)
        points *= sum(PLACES[place] * count for place, count in places.items())
        if keyword.theme:
            reason = Reason(WORDS, keyword.words, " ".join(places), points)
            evidence.append((keyword.theme, reason))
    return evidence


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
