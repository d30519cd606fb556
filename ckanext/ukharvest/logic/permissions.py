"""Permission checks of the current user, and other values that a request needs again and again.

For one check CKAN reads the package, its organisation and the roles in it: some three statements.
A source's page checks whether the user may update the source for its frame, and again in each
action that it calls; each action begins with the id of the source or run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import ckan.plugins.toolkit as tk
from ckan import authz, model
from flask import has_request_context

from ckanext.ukharvest.model import source_list

T = TypeVar("T")
# Only these requests keep values: consumers and commands have one application context for their
# whole life, and a POST can change what was loaded.
_READING = ("GET", "HEAD")


def once(key: Hashable, load: Callable[[], T]) -> T:
    """Return ``load()``; in a request that only reads, the value of its first call.

    Values are kept with the session, which CKAN removes at the end of a request.
    """
    if not has_request_context() or tk.request.method not in _READING:
        return load()
    known: dict[Any, Any] = model.Session().info.setdefault("ukharvest_once", {})
    if key not in known:
        known[key] = load()
    return known[key]  # type: ignore[no-any-return]


def may(context: Any, action: str, **data: str | None) -> bool:
    """Tell whether the user may call an action, by the action's own auth function.

    Args:
        context: action context of the user; with ``ignore_auth`` everything is allowed.
        action: name of the action.
        data: data_dict for the auth function, most often ``id``.

    Raises:
        ObjectNotFound: there is no object of this name or id.
    """
    if context.get("ignore_auth"):
        return True
    question = ("may", action, context.get("user") or "", *sorted(data.items()))
    return once(question, lambda: _asked(action, context, data))


def may_if_exists(context: Any, action: str, **data: str | None) -> bool:
    """Do the same as ``may``, but return False if the object does not exist."""
    try:
        return may(context, action, **data)
    except tk.ObjectNotFound:
        return False


def readable_organisations(context: Any) -> list[str] | None:
    """Return ids of the organisations whose private datasets the user may read, None for all."""
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return None
    return sorted({id_ for id_, _role in roles_of(user)})


def may_harvest(user: str) -> bool:
    """Tell whether the user may add or edit sources of some organisation."""
    if authz.is_sysadmin(user):
        return True
    may_manage = authz.get_roles_with_permission("update_dataset")
    return any(role in may_manage for _id, role in roles_of(user))


def roles_of(user: str) -> set[tuple[str, str]]:
    """Return organisation id → role of a user."""
    return once(("roles", user), lambda: source_list.roles_of(user))


def _asked(action: str, context: Any, data: dict[str, Any]) -> bool:
    # A separate context: auth functions store what they load in the one that they get.
    own = {"user": context.get("user") or "", "model": model, "session": model.Session}
    if "auth_user_obj" in context:
        own["auth_user_obj"] = context["auth_user_obj"]
    try:
        tk.check_access(action, own, data)
    except tk.NotAuthorized:
        return False
    return True
