"""Template helper of the form of organisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import gazetteer, organization_types


def ukharvest_organization_fields(extras: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return type and area of an organisation for its form, and its other extras.

    Args:
        extras: of the organisation, or what the form sent.

    Returns:
        ``types``: {"value", "text"} of each type in the list, of none, and of a type that is not
        in the list; ``type``: the chosen one; ``area``: the name of its area, None if the portal
        cannot search by place; ``others``: the other extras.
    """
    given = list(extras or ())
    stored = {str(extra.get("key")): str(extra.get("value") or "") for extra in given}
    chosen = organization_types.find(stored.get(organization_types.KEY, ""))
    values = list(organization_types.values())
    if chosen and chosen not in values:
        values.append(chosen)
    types = [{"value": value, "text": tk._(organization_types.label(value))} for value in values]
    own = {organization_types.KEY}
    area = None
    if p.plugin_loaded("spatial_query"):
        own.add(gazetteer.AREA)
        area = stored.get(gazetteer.AREA, "")
    return {
        "types": [{"value": "", "text": tk._("Not specified")}, *types],
        "type": chosen,
        "area": area,
        "others": [extra for extra in given if extra.get("key") not in own],
    }
