"""Find the fields that an import changed in a dataset, as text for storage (decision 0016)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core import dataset_changes
from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.presentation.rendering import facts, values
from ckanext.ukharvest.presentation.rendering.dataset_fields import TECHNICAL, find_field
from ckanext.ukharvest.presentation.rendering.extent import svg_map

_ENGLISH = values.Portal()


def find_changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
    """Return a dataset's changed fields, from its package_show dicts before and after an import.

    Leaves out technical fields, and fields that another changed field describes better.
    """
    changed = dataset_changes.list_changes(before, after, format_field)
    keys = {field.field for field in changed}
    return [
        field
        for field in changed
        if field.field not in TECHNICAL and find_field(field.field).unless not in keys
    ]


def format_field(key: str, text: str) -> str:
    """Return a field's stored text for people: no JSON, labels instead of URIs."""
    if key == "spatial":
        return svg_map.describe_extent(text) or text
    if not text or (key not in values.KEYS and text[:1] not in ("[", "{")):
        return text
    markup = (
        values.render_value(key, text, _ENGLISH) if key in values.KEYS else facts.render_extra(text)
    )
    return str(markup.replace("</li>", "; </li>").striptags()).strip("; ") or text
