"""The twelve themes of UK portals, and which of them a dataset belongs to."""

from __future__ import annotations

from dataclasses import dataclass

# Where a theme came from, the surest first.
SOURCE, FUNCTION, SERVICE, EU, INSPIRE, WORDS, PERSON = (
    *("source", "function", "service", "eu", "inspire", "words"),
    "person",
)


@dataclass(frozen=True, slots=True)
class About:
    """What a theme is told from.

    Attributes:
        themes: as the source names them: labels or addresses of any register.
        functions, services: addresses of the LGA's lists.
        inspire: labels of INSPIRE themes.
    """

    title: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    inspire: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a theme is likely: ``kind`` is "source", "function", … as above; points add up."""

    kind: str
    text: str  # the word, or the label of the function, service or theme
    where: str = ""  # "title", "tags", "notes", with points for each; only of words
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
        primary: stored name such as "Environment", "" if nothing speaks for any.
        secondary: the next likely ones.
        origin: what decided: SOURCE … WORDS; a choice by WORDS is only a suggestion.
        ranking: all themes that anything speaks for, best first.
    """

    primary: str = ""
    secondary: tuple[str, ...] = ()
    origin: str = ""
    ranking: tuple[Ranked, ...] = ()


def choose(about: About) -> Choice:
    """Return the themes of a dataset."""
    del about
    return Choice()
