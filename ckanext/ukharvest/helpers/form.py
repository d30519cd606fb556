"""Template helpers of the forms of datasets, resources and organisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import dataset_schema, fields
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.presentation.rendering import form_fields
from ckanext.ukharvest.search import place


def ukharvest_form_keys(of: str, dataset_type: str) -> list[str]:
    """Return the keys of our fields for a form of datasets or resources.

    Only those in the type's schema: the type of another extension would drop others.

    Args:
        of: "dataset" or "resource".
        dataset_type: the dataset type of the form.
    """
    known = dataset_schema.own_fields(of, dataset_type)
    return [field.key for field in fields.FIELDS if field.of == of and field.key in known]


def ukharvest_form_field(key: str, data: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return ``label``, ``help`` and ``part`` (``form_fields.Part``) of a field in a form.

    Args:
        key: key of a field in ``fields.FIELDS``.
        data: a dataset or resource from the API, or the data that the form sent.
        name: name of the field in the form's own schema, if it has another one.
    """
    field = next(field for field in fields.FIELDS if field.key == key)
    value = next(filter(None, map(data.get, (name or key, *field.aliases))), None)
    part = form_fields.build_part(field, value, tk._)
    return {"label": tk._(field.label), "help": tk._(field.help), "part": part}


def ukharvest_form_suggestion(data: dict[str, Any]) -> dict[str, Any]:
    """Return the suggested theme for a form's data, as ``ukharvest_theme_suggest`` does.

    {} for anonymous users, if the portal lets them create datasets.
    """
    texts = {key: data.get(key) for key in ("title", "notes", "la_function", "la_service")}
    texts["tags"] = data.get("tag_string") or data.get("tags")
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_theme_suggest")(context, texts))
    except tk.NotAuthorized:
        return {}


def ukharvest_form_hidden_fields(data: dict[str, Any], dataset_type: str) -> list[str]:
    """Return the fields that a resource has and its form does not show; [] for a new one.

    Args:
        data: the resource, or the data that the form sent.
        dataset_type: the dataset type of the form.
    """
    if not data.get("id"):
        return []
    shown = dataset_schema.own_fields(fields.RESOURCE, dataset_type)
    aliases = {name for field in fields.FIELDS if field.key in shown for name in field.aliases}
    known = {*form_fields.OF_RESOURCES, *shown, *aliases, form_fields.KEPT}
    # Flags and objects are left to the extensions that set them.
    others = [k for k, v in data.items() if k not in known and type(v) in (str, int) and v != ""]
    before = data.get(form_fields.KEPT, ())
    return list(dict.fromkeys([*others, *([before] if isinstance(before, str) else before)]))


def ukharvest_organization_fields(extras: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return type and area of an organisation for its form, and its other extras.

    Args:
        extras: of the organisation, or what the form sent.

    Returns:
        ``types``: {"value", "text"} of each type in the list, of none, and of a type that is not
        in the list; ``type``: the chosen one; ``area``: the name of its area, None if the portal
        cannot search by place; ``others``: the other extras.
    """
    stored = {str(extra.get("key")): str(extra.get("value") or "") for extra in extras or ()}
    chosen = organization_types.find(stored.get(organization_types.KEY, ""))
    values = list(organization_types.values())
    if chosen and chosen not in values:
        values.append(chosen)
    types = [{"value": value, "text": tk._(organization_types.label(value))} for value in values]
    area = stored.get(gazetteer.AREA, "") if place.is_offered() else None
    own = {organization_types.KEY} if area is None else {organization_types.KEY, gazetteer.AREA}
    return {
        "types": [{"value": "", "text": tk._("Not specified")}, *types],
        "type": chosen,
        "area": area,
        "others": [extra for extra in extras or () if extra.get("key") not in own],
    }
