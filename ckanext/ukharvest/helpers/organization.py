"""Template helper of the form of organisations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import organization_types


def ukharvest_organization_type(extras: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return the type of an organisation for its form, and its other extras.

    Args:
        extras: of the organisation, or what the form sent.

    Returns:
        ``choices``: {"value", "text"} of each type in the list, of none, and of a type that is not
        in the list; ``chosen``: the value; ``others``: the extras without the type.
    """
    given = list(extras or ())
    own = [each for each in given if each.get("key") == organization_types.KEY]
    chosen = organization_types.find(str(own[0].get("value") or "")) if own else ""
    values = list(organization_types.values())
    if chosen and chosen not in values:
        values.append(chosen)
    choices = [{"value": each, "text": tk._(organization_types.label(each))} for each in values]
    return {
        "choices": [{"value": "", "text": tk._("Not specified")}, *choices],
        "chosen": chosen,
        "others": [each for each in given if each not in own],
    }
