"""Template helpers of the forms of datasets and resources."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import fields, form_fields
from ckanext.ukharvest.logic import schema


def ukharvest_form_keys(of: str, dataset_type: str) -> list[str]:
    """Return the fields of forms of datasets or resources ("dataset", "resource").

    Only those that the type's schema has: a type of another extension would drop them.
    """
    known = schema.own_fields(of, dataset_type)
    return [field.key for field in fields.FIELDS if field.of == of and field.key in known]


def ukharvest_form_field(key: str, data: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return ``label``, ``help`` and ``part`` (``form_fields.Part``) of a field in a form.

    Args:
        key: of a field of ``fields.FIELDS``.
        data: a dataset or resource as it is shown, or what was sent.
        name: what the form's own schema calls the field.
    """
    field = next(each for each in fields.FIELDS if each.key == key)
    given = (data.get(each) for each in (name or key, *field.aliases))
    value = next((each for each in given if each), None)
    part = form_fields.part(field, value, tk._)
    return {"label": tk._(field.label), "help": tk._(field.help), "part": part}


def ukharvest_form_suggestion(data: dict[str, Any]) -> dict[str, Any]:
    """Return the theme that a form's data speaks for, as ``ukharvest_theme_suggest`` does.

    {} for who may not ask, where a portal lets anybody create datasets.
    """
    given = {key: data.get(key) for key in ("title", "notes", "la_function", "la_service")}
    given["tags"] = data.get("tag_string") or data.get("tags")
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_theme_suggest")(context, given))
    except tk.NotAuthorized:
        return {}


def ukharvest_form_kept(data: dict[str, Any], dataset_type: str) -> list[str]:
    """Return the names of what a resource has and its form does not show (``form_fields.keep``).

    Args:
        data: the resource, or what was sent; of a new one nothing is kept.
    """
    if not data.get("id"):
        return []
    shown = schema.own_fields(fields.RESOURCE, dataset_type)
    aliases = {name for field in fields.FIELDS if field.key in shown for name in field.aliases}
    known = {*form_fields.OF_RESOURCES, *shown, *aliases, form_fields.KEPT}
    # Flags of other extensions are theirs to set, and objects theirs to work out.
    found = [k for k, v in data.items() if k not in known and type(v) in (str, int) and v != ""]
    before = data.get(form_fields.KEPT, ())
    return list(dict.fromkeys([*found, *([before] if isinstance(before, str) else before)]))
