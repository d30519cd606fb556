"""Texts in several languages in one value: ``{"en": "Bins", "cy": "Biniau"}``.

JSON-LD's list of objects with ``@language`` and ``@value`` is the same, and so is either as text,
as multilingual CKAN sites write it into every export.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.values.languages import is_tag, language_code

_TEXT = re.compile(r'\s*\{\s*"[a-z]{2,3}(?:[-_]\w{1,8})*"\s*:', re.IGNORECASE)


def language_pairs(value: Any) -> list[tuple[str, Any]]:
    """Return language tag and text, or list of texts, of each language; [] for other values.

    Empty texts are left out.
    """
    if isinstance(value, str):
        if not _TEXT.match(value):
            return []
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, list):
        value = _by_language(value)
    # An object may have an id alone, which is Indonesian too.
    if not isinstance(value, Mapping) or not value.keys() - {"id"}:
        return []
    are_texts = all(item is None or isinstance(item, (str, list)) for item in value.values())
    if not are_texts or not all(map(is_tag, value)):
        return []
    return [(tag, item) for tag, item in value.items() if item]


def choose_language(value: Any) -> Any:
    """Return the English text of a language map, else its first; other values unchanged."""
    pairs = language_pairs(value)
    if not pairs:
        return value
    english = (item for tag, item in pairs if language_code(tag) == "en")
    return next(english, pairs[0][1])


def _by_language(items: list[Any]) -> dict[str, Any]:
    """Return JSON-LD's texts by language, {} if one of the items has none."""
    texts: dict[str, list[Any]] = {}
    for item in items:
        if not isinstance(item, Mapping) or "@value" not in item:
            return {}
        texts.setdefault(str(item.get("@language") or ""), []).append(item["@value"])
    return {tag: values[0] if len(values) == 1 else values for tag, values in texts.items()}
