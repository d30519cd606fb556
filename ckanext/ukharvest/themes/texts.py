"""Reasons for a theme, as text for people; translated when rendered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.choice import Ranked, Reason


def title(name: str) -> str:
    """Return the title of a theme's stored name."""
    return tk._(theme_names.title(name)) if name else ""


def why(reasons: Iterable[Reason]) -> list[str]:
    """Return sentences without a full stop, the strongest reason first; words are combined."""
    certain: dict[str, None] = {}
    words: dict[str, list[str]] = {}
    for reason in reasons:
        if reason.kind == themes.WORDS:
            words.setdefault(reason.where, []).append(f"“{reason.text}”")
        else:
            certain[_describe_certain(reason)] = None
    return [*certain, *_describe_words(words)]


def as_dict(ranked: Ranked) -> dict[str, Any]:
    """Return a theme of a ranking in the form of the API's actions."""
    return {
        "theme": ranked.theme,
        "title": title(ranked.theme),
        "score": ranked.score,
        "why": why(ranked.reasons),
        "reasons": [
            {
                "kind": reason.kind,
                "text": reason.text,
                "where": reason.where.split(),
                "points": reason.points,
            }
            for reason in ranked.reasons
        ],
    }


def _describe_certain(reason: Reason) -> str:
    texts = {
        themes.SOURCE: tk._("The source names the theme “{text}”"),
        themes.FUNCTION: tk._("Local authority function “{text}”"),
        themes.SERVICE: tk._("Local authority service “{text}”"),
        themes.EU: tk._("Data theme of the EU “{text}”"),
        themes.INSPIRE: tk._("INSPIRE theme “{text}”"),
        themes.TOPIC: tk._("Topic category “{text}”"),
    }
    return texts[reason.kind].format(text=reason.text)


def _describe_words(words: dict[str, list[str]]) -> Iterator[str]:
    places = {
        "title": tk._("title"),
        "tags": tk._("tags"),
        "notes": tk._("description"),
    }
    for where, quoted in words.items():
        *first, last = [places[place] for place in where.split()]
        both = gettext("{first} and {last}", first=", ".join(first), last=last)
        where = both if first else last
        yield gettext("{words} in {places}", words=", ".join(quoted), places=where)
