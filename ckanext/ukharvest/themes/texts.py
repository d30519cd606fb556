"""Reasons for a theme, as text for people; translated when rendered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.texts import gettext
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.choice import Ranked, Reason


def title(name: str) -> str:
    """Return the title of a theme's stored name."""
    return tk._(theme_names.title(name)) if name else ""


def why(reasons: Iterable[Reason]) -> list[str]:
    """Return sentences without a full stop, the strongest reason first; words are combined."""
    found: dict[str, None] = {}
    words: dict[str, list[str]] = {}
    for reason in reasons:
        if reason.kind == themes.WORDS:
            words.setdefault(reason.where, []).append(f"“{reason.text}”")
        else:
            found[_certain(reason)] = None
    return [*found, *_said(words)]


def as_dict(ranked: Ranked) -> dict[str, Any]:
    """Return a theme of a ranking in the form of the API's actions."""
    return {
        "theme": ranked.theme,
        "title": title(ranked.theme),
        "score": ranked.score,
        "why": why(ranked.reasons),
        "reasons": [
            {
                "kind": each.kind,
                "text": each.text,
                "where": each.where.split(),
                "points": each.points,
            }
            for each in ranked.reasons
        ],
    }


def _certain(reason: Reason) -> str:
    said = {
        themes.SOURCE: tk._("The source names the theme “{text}”"),
        themes.FUNCTION: tk._("Local authority function “{text}”"),
        themes.SERVICE: tk._("Local authority service “{text}”"),
        themes.EU: tk._("Data theme of the EU “{text}”"),
        themes.INSPIRE: tk._("INSPIRE theme “{text}”"),
        themes.TOPIC: tk._("Topic category “{text}”"),
    }
    return said[reason.kind].format(text=reason.text)


def _said(words: dict[str, list[str]]) -> Iterator[str]:
    places = {
        "title": tk._("title"),
        "tags": tk._("tags"),
        "notes": tk._("description"),
    }
    for where, found in words.items():
        said_in = [places[place] for place in where.split()]
        *first, last = said_in
        both = gettext("{first} and {last}", first=", ".join(first), last=last)
        yield gettext("{words} in {places}", words=", ".join(found), places=both if first else last)
