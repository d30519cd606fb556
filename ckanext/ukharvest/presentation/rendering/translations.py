"""Render the extras ``title_translated`` and its kin: a text, or a list of tags, by language.

Every text is untrusted: it is escaped.
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ckanext.ukharvest.core.translations import OF_DATASET
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.presentation.rendering.facts import MOST, parse_json, render_list
from ckanext.ukharvest.presentation.rendering.portal_values import Portal

KEYS = frozenset(OF_DATASET)
LABELS_OF_RESOURCES = {
    "name_translated": _("Name in other languages"),
    "description_translated": _("Description in other languages"),
}
_SHORT = 200  # characters of a text that is shown at once


def parse_translations(value: Any) -> dict[str, str | list[str]]:
    """Return language code → text or tags; {} for what has another form."""
    try:
        found = parse_json(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {code: each for code, each in found.items() if language_code(code) and _is_value(each)}


def _is_value(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(each, str) and each for each in texts)


def render_translations(value: Any, portal: Portal) -> Markup:
    """Return the texts, each with the name of its language."""
    found = list(parse_translations(value).items())
    items = [_item(code, each, portal) for code, each in found[:MOST]]
    return render_list(items, len(found) - MOST)


def _item(code: str, value: str | list[str], portal: Portal) -> Markup:
    text = value if isinstance(value, str) else ", ".join(value)
    name = language_name(code, portal)
    if len(text) <= _SHORT:
        return Markup('{}: <span lang="{}">{}</span>').format(name, code, text)
    return Markup('<details><summary>{}</summary><div lang="{}">{}</div></details>').format(
        name, code, _paragraphs(text)
    )


def _paragraphs(text: str) -> Markup:
    parts = (Markup("<p>{}</p>").format(each) for each in text.split("\n\n"))
    return Markup("").join(parts)


def language_name(code: str, portal: Portal) -> str:
    """Return a language's name in the reader's language; the code if it has none."""
    name = str(portal.locale.languages.get(code.partition("-")[0]) or code)
    return name[:1].upper() + name[1:]
