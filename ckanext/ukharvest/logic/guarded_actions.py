"""Wrap the actions that CKAN gets: they fail early while a migration is pending.

They also refuse texts that the database cannot take.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic import action
from ckanext.ukharvest.model import schema_version

Action = Callable[..., Any]

# Actions of ours that use none of our tables.
NEED_NO_TABLE = frozenset(
    {"ukharvest_doctor_show", "ukharvest_type_list"}
    | {"ukharvest_vocabulary_list", "ukharvest_vocabulary_show"}
)
# ckanext-harvest's actions that start, stop or clear. The others only leave out our part.
REFUSED = frozenset(
    {"harvest_jobs_run", "harvest_job_create", "harvest_job_abort", "harvest_source_clear"}
    | {"harvest_source_job_history_clear", "harvest_sources_job_history_clear"}
)
# CKAN's own, which check their texts themselves.
CORE = frozenset(
    {"organization_create", "organization_update", "package_create", "package_update"}
    | {"status_show"}
)
# NUL, and half of a surrogate pair, which a JSON escape brings in.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def actions() -> dict[str, Action]:
    """Return action name → wrapped action."""
    found = {name: getattr(action, name) for name in action.__all__}
    return {name: each if name in CORE else _guarded(name, each) for name, each in found.items()}


def _guarded(name: str, function: Action) -> Action:
    is_ours = name.startswith("ukharvest_")
    needs_tables = name in REFUSED or (is_ours and name not in NEED_NO_TABLE)

    @functools.wraps(function)
    def guarded(*args: Any) -> Any:
        """Take context and data_dict; chained actions get the original action before these."""
        if needs_tables:
            schema_version.require()
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


def are_tables_behind() -> bool:
    """Tell whether a migration is pending."""
    return schema_version.is_behind()


def migration_hint() -> str:
    """Return how a sysadmin runs the pending migration, in the user's language."""
    return schema_version.translated()
