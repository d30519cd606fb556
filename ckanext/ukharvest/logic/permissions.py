"""Permission checks of the current user, each made once per request.

For one check CKAN reads the user, the package, its organisation and the roles in it: some six
statements. A source's page checks whether the user may update the source for its frame, and again
in each action that it calls.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model
from flask import g, has_request_context

from ckanext.ukharvest.model import source_list

# Only these requests cache: consumers and commands keep one application context for their whole
# life, and a POST can change permissions.
_READING = ("GET", "HEAD")


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
    user = context.get("user") or ""
    if not has_request_context() or tk.request.method not in _READING:
        return _asked(action, context, data)
    known: dict[Any, bool] = g.setdefault("ukharvest_may", {})
    question = (action, user, *sorted(data.items()))
    if question not in known:
        known[question] = _asked(action, context, data)
    return known[question]


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
    if not has_request_context():
        return _organisations(user)
    known: dict[str, list[str]] = g.setdefault("ukharvest_reads", {})
    if user not in known:
        known[user] = _organisations(user)
    return known[user]


def _organisations(user: str) -> list[str]:
    return sorted({id_ for id_, _role in source_list.roles_of(user)})


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
