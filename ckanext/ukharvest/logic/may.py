"""What a person may do: each question is asked once in a request.

To answer one, CKAN reads the user, the package, its organisation and the roles in it: some six
statements. A page of a source asks whether the source may be updated for its frame, and again in
each action that it shows something of.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz, model
from flask import g, has_request_context

from ckanext.ukharvest.model import source_list

# Consumers and commands live in one application context for ever; a POST can change the answer.
_READING = ("GET", "HEAD")


def may(context: Any, action: str, **data: str | None) -> bool:
    """Tell whether who asks may do something, as the action's own authorisation says.

    Args:
        context: of the action that asks; code that acts for the portal itself (``ignore_auth``)
            may do everything.
        action: name of an action.
        data: what the action's authorisation wants to know, most often ``id``.

    Raises:
        ObjectNotFound: there is nothing of this name or id.
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


def may_if_there(context: Any, action: str, **data: str | None) -> bool:
    """The same where what there is not may be named: nobody may do anything with it."""
    try:
        return may(context, action, **data)
    except tk.ObjectNotFound:
        return False


def reads(context: Any) -> list[str] | None:
    """Return the ids of the organisations whose private datasets who asks may read; None: all."""
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
    # A context of its own: authorisation leaves what it read in the one it is given.
    own = {"user": context.get("user") or "", "model": model, "session": model.Session}
    if "auth_user_obj" in context:
        own["auth_user_obj"] = context["auth_user_obj"]
    try:
        tk.check_access(action, own, data)
    except tk.NotAuthorized:
        return False
    return True
