"""Permission checks of the current user, each made once per request.

For one check CKAN reads the user, the package, its organisation and the roles in it: some six
statements. A source's page checks whether the user may update the source for its frame, and again
in each action that it calls.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model

from ckanext.ukharvest.logic.per_request import once
from ckanext.ukharvest.model import source_list


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
    return once(("reads", user), lambda: sorted({id_ for id_, _role in source_list.roles_of(user)}))


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
