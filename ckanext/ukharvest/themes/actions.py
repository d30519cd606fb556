"""Action: suggest a theme for a dataset; and a dataset's theme with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import themes as theming
from ckanext.ukharvest.core.values.multivalue import texts
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes import texts as theme_texts

MOST = 1_000  # tags or themes that are read


@tk.side_effect_free
def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Suggest a theme for a dataset from its description. For logged-in users.

    All parameters are optional. Uses no data from the database.

    :param title: title of the dataset
    :type title: string
    :param notes: its description
    :type notes: string
    :param tags: its tags: list of strings, or one comma-separated string
    :type tags: list
    :param la_function: URIs, numbers or labels of functions in the LGA's list
    :type la_function: string
    :param la_service: URIs, numbers or labels of services in the LGA's list
    :type la_service: string
    :param themes: themes that its source names: labels or URIs of any vocabulary
    :type themes: list

    :returns: ``theme`` and ``secondary`` (stored names; empty if there is too little evidence),
        ``title`` (label of the theme), ``origin`` (the evidence: ``source``, ``function``,
        ``service``, ``eu``, ``inspire``, ``topic`` or ``words``), ``suggested`` (true if
        ``origin`` is ``words``), ``why`` (list of sentences) and ``ranking``: all themes with any
        evidence, best first, dicts with ``theme``, ``title``, ``score``, ``why`` and ``reasons``
        (dicts with ``kind``, ``text``, ``where`` and ``points``)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_theme_suggest", context, data_dict)
    tags = data_dict.get("tags") or ()
    tags = tags.split(",") if isinstance(tags, str) else tags
    names = [
        tag["name"] if isinstance(tag, dict) and "name" in tag else tag
        for tag in (tags if isinstance(tags, (list, tuple)) else ())
    ]
    package = {
        "title": _text(data_dict.get("title")),
        "notes": _text(data_dict.get("notes")),
        "tags": [{"name": _text(name)} for name in names[:MOST]],
        "la_function": data_dict.get("la_function"),
        "la_service": data_dict.get("la_service"),
    }
    labels = list(texts(data_dict.get("themes")))[:MOST]
    choice = themes.choose(theming.collect_theme_facts(package, labels))
    return _shown((choice.primary, choice.secondary), choice.origin, choice.ranking)


def describe_theme(package: Mapping[str, Any], row: Any) -> dict[str, Any]:
    """Return the theme of a dataset with its origin and evidence.

    Args:
        package: the dataset as package_show returns it.
        row: what was stored with it, None for nothing.
    """
    if row is not None and (row.theme or row.themes):
        ranking = theming.ranking_of(row.themes)
        return _shown((row.theme, tuple(row.theme_secondary)), row.theme_origin, ranking)
    # It was not saved since this extension was installed, or there is no evidence for any theme.
    choice = themes.choose(theming.collect_theme_facts(package))
    now = theming.stored_themes(package)
    return _shown(now, themes.PERSON if now[0] else "", choice.ranking)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shown(now: theming.Themes, origin: str, ranking: tuple[themes.Ranked, ...]) -> dict[str, Any]:
    primary, secondary = now
    shown = [theme_texts.describe_suggestion(ranked) for ranked in ranking]
    return {
        "theme": primary,
        "title": theme_texts.title(primary),
        "secondary": list(secondary),
        "origin": origin,
        "suggested": origin == themes.WORDS,
        "why": next((row["why"] for row in shown if row["theme"] == primary), []),
        "ranking": shown,
    }
