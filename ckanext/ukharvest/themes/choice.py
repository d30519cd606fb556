"""The twelve themes of UK portals, and the choice among them for a dataset.

A theme that the source names decides, then local government's functions and services, themes of the
EU's portals, of INSPIRE, and topic categories of ISO 19115. Only without any of these are the
dataset's words weighed, and their result is a suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.values import local_government_lists, theme_names
from ckanext.ukharvest.themes import words as theme_words

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
    yield from _of_words(about, [text for text, evidence in registered if not evidence])


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


def _of_words(about: ThemeFacts, labels: Iterable[str]) -> Iterator[Evidence]:
    """Return points for words; themes of unknown registers count as tags."""
    texts = {
        theme_words.TITLE: about.title,
        theme_words.TAGS: "\n\n".join((*about.tags, *labels)),
        theme_words.NOTES: about.notes,
    }
    for hit in theme_words.find_keywords(texts):
        yield (
            hit.keyword.theme,
            Reason(WORDS, hit.keyword.words, " ".join(hit.places), hit.points),
        )
