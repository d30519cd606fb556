"""Wrap the actions that CKAN gets: they refuse texts that the database cannot take."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic import action

Action = Callable[..., Any]

# CKAN's own, which check their texts themselves.
CORE = frozenset(
    {"organization_create", "organization_update", "package_create", "package_update"}
    | {"status_show"}
)
# NUL, and half of a surrogate pair, which a JSON escape brings in.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def actions() -> dict[str, Action]:
    """Return action name → wrapped action."""
    functions = {name: getattr(action, name) for name in action.__all__}
    return {
        name: function if name in CORE else _guarded(function)
        for name, function in functions.items()
    }


def _guarded(function: Action) -> Action:
    @functools.wraps(function)
    def guarded(*args: Any) -> Any:
        """Take context and data_dict; chained actions get the original action before these."""
        _refuse_unstorable(args[-1] or {})
        return function(*args)

    # CKAN wraps a chained action in an object with only the attributes in its __dict__, and
    # ``help_show`` shows the text of that object without this.
    guarded.__dict__["__doc__"] = function.__doc__
    return guarded


def _refuse_unstorable(data_dict: Mapping[str, Any]) -> None:
    """Refuse texts with characters that PostgreSQL cannot take, which would be a server error.

    Raises:
        ObjectNotFound: it is an id.
        ValidationError: it is another parameter.
    """
    for key, value in data_dict.items():
        if not (isinstance(value, str) and _UNSTORABLE.search(value)):
            continue
        if key.endswith("id") or key == "source":
            raise tk.ObjectNotFound(tk._("Nothing has this name or id."))
        raise tk.ValidationError({key: [tk._("Remove the characters that cannot be stored.")]})
