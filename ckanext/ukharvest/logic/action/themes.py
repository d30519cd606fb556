"""Themes of datasets: which one is likely, which one a dataset has, and why."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import theming
from ckanext.ukharvest.core import themes
from ckanext.ukharvest.core.listed import texts
from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import assessments
from ckanext.ukharvest.theming import texts as theme_texts

MOST = 1_000  # tags or themes that are read


@tk.side_effect_free
def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Tell which theme a dataset that is being described is likely to have. Users.

    Nothing is asked of the database. Everything is optional; what is missing says nothing.

    :param title: title of the dataset
    :type title: string
    :param notes: its description
    :type notes: string
    :param tags: its tags: list of strings, or one string with commas
    :type tags: list
    :param la_function: identifiers of functions of the LGA's list, numbers or labels
    :type la_function: string
    :param la_service: the same of services
    :type la_service: string
    :param themes: themes that its source names: labels or addresses of any register
    :type themes: list

    :returns: ``theme`` and ``secondary`` (stored names; empty if too little speaks for any),
        ``title`` (of the theme, for people), ``origin`` (``source``, ``function``, ``service``,
        ``eu``, ``inspire``, ``topic`` or ``words``), ``suggested`` (only words speak for it),
        ``why`` (list of sentences) and ``ranking``: all themes that anything speaks for, best
        first, dicts with ``theme``, ``title``, ``score``, ``why`` and ``reasons`` (dicts with
        ``kind``, ``text``, ``where`` and ``points``)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_theme_suggest", context, data_dict)
    tags = data_dict.get("tags") or ()
    if isinstance(tags, str):
        tags = tags.split(",")
    elif not isinstance(tags, (list, tuple)):
        tags = ()
    named = [each["name"] if isinstance(each, dict) and "name" in each else each for each in tags]
    package = {
        "title": _text(data_dict.get("title")),
        "notes": _text(data_dict.get("notes")),
        "tags": [{"name": _text(each)} for each in named[:MOST]],
        "la_function": data_dict.get("la_function"),
        "la_service": data_dict.get("la_service"),
    }
    given = list(texts(data_dict.get("themes")))[:MOST]
    choice = themes.choose(theming.about(package, given))
    return _shown((choice.primary, choice.secondary), choice.origin, choice.ranking)


@tk.side_effect_free
def ukharvest_theme_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show the theme of a dataset, where it comes from, and what speaks for it. Who may read it.

    :param id: id or name of the dataset
    :type id: string

    :returns: as ``ukharvest_theme_suggest``; ``theme`` and ``secondary`` are those that the
        dataset has, and ``origin`` can be ``person`` too: somebody chose it here
    :rtype: dictionary
    """
    id_ = tk.get_or_bust(data_dict, "id")
    tk.check_access("ukharvest_theme_show", context, data_dict)
    found = assessments.of(dataset_of(id_).id)
    if found is not None and (found.theme or found.themes):
        ranking = theming.ranking_of(found.themes)
        return _shown((found.theme, tuple(found.theme_secondary)), found.theme_origin, ranking)
    # It was not written since this extension is there, or nothing spoke for any theme.
    package = tk.get_action("package_show")({"ignore_auth": True}, {"id": id_})
    choice = themes.choose(theming.about(package))
    now = theming.stored(package)
    return _shown(now, themes.PERSON if now[0] else "", choice.ranking)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shown(now: theming.Themes, origin: str, ranking: tuple[themes.Ranked, ...]) -> dict[str, Any]:
    primary, secondary = now
    shown = [theme_texts.as_dict(each) for each in ranking]
    return {
        "theme": primary,
        "title": theme_texts.title(primary),
        "secondary": list(secondary),
        "origin": origin,
        "suggested": origin == themes.WORDS,
        "why": next((each["why"] for each in shown if each["theme"] == primary), []),
        "ranking": shown,
    }
