"""What themes add to the page of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.datasets.facts import load_assessment
from ckanext.ukharvest.datasets.provenance import facts_of, search_url
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.lib.texts import labelled
from ckanext.ukharvest.rendering.values import INDEXED
from ckanext.ukharvest.themes import PRIMARY, choice
from ckanext.ukharvest.themes import texts as theme_texts
from ckanext.ukharvest.themes.actions import describe_theme


def dataset(_context: Any, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the theme of a dataset with its origin and evidence."""
    return {"theme": describe_theme(package, load_assessment(package))}


def dataset_badges(page: Mapping[str, Any], package: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``title`` and ``url`` of a dataset's theme; {} for one that is only suggested."""
    name = theme_names.find(facts_of(package).get(PRIMARY, ""))
    if not name or (page["theme"]["suggested"] and page["theme"]["theme"] == name):
        return {}
    return {"title": theme_texts.title(name), "url": search_url(INDEXED["theme"], name)}


def field(key: str, package: Mapping[str, Any]) -> str:
    """Return that a theme is only suggested, and why; "" for other fields."""
    row = load_assessment(package) if key == PRIMARY else None
    if row is None or row.theme_origin != choice.WORDS:
        return ""
    why = "; ".join(describe_theme(package, row)["why"])
    return labelled(tk._("suggested"), why) if why else str(tk._("suggested"))


def form_field(key: str, data: Mapping[str, Any], select: str) -> dict[str, Any]:
    """Return the suggested theme for a form's data, as ``ukharvest_theme_suggest`` does.

    Also returns ``select``, the id of the input. {} for other fields, and for anonymous users, if
    the portal lets them create datasets.
    """
    if key != PRIMARY:
        return {}
    texts = {name: data.get(name) for name in ("title", "notes", "la_function", "la_service")}
    texts["tags"] = data.get("tag_string") or data.get("tags")
    try:
        context = {"user": tk.current_user.name}
        return {**tk.get_action("ukharvest_theme_suggest")(context, texts), "select": select}
    except tk.NotAuthorized:
        return {}


SLOTS = (
    Slot("dataset", "", dataset),
    Slot("dataset_badges", "ukharvest/snippets/theme.html", dataset_badges),
    Slot("field", "", field),
    Slot("form_field", "ukharvest/form/theme.html", form_field),
)
