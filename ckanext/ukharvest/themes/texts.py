"""Reasons for a theme, as text for people; translated when rendered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.choice import Ranked, Reason


def title(name: str) -> str:
    """Return the title of a theme's stored name."""
    return tk._(theme_names.title(name)) if name else ""


def why(reasons: Iterable[Reason]) -> list[str]:
    """Return "label: values" for each reason, the strongest first; words are combined."""
    certain: dict[str, None] = {}
    words: dict[str, list[str]] = {}
    for reason in reasons:
        if reason.kind == themes.WORDS:
            words.setdefault(reason.where, []).append(f"“{reason.text}”")
        else:
            certain[_describe_certain(reason)] = None
    in_words = (f"{_places(where)}: {', '.join(texts)}" for where, texts in words.items())
    return [*certain, *in_words]


def describe_suggestion(ranked: Ranked) -> dict[str, Any]:
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
    labels = {
        themes.SOURCE: tk._("Source"),
        themes.FUNCTION: tk._("Local authority function"),
        themes.SERVICE: tk._("Local authority service"),
        themes.EU: tk._("EU data theme"),
        themes.INSPIRE: tk._("INSPIRE theme"),
        themes.TOPIC: tk._("Topic category"),
    }
    return f"{labels[reason.kind]}: “{reason.text}”"


def _places(where: str) -> str:
    labels = {"title": tk._("Title"), "tags": tk._("Tags"), "notes": tk._("Description")}
    return ", ".join(labels[place] for place in where.split())
