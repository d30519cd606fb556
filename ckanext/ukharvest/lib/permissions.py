"""Permissions of the current user, and the source or dataset that a request names."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from ckan import authz, model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib.lookups import once

# Who may do what: the words of every refusal, English.
LOG_IN = _("Log in to do this.")
MEMBERS = _("Only members of the organisation may see this.")
EDITORS = _("Only editors of the organisation may do this.")
ADMINISTRATORS = _("Only administrators of the organisation may do this.")
SYSADMINS = _("Only sysadmins may do this.")


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
    organisations = editable_organisations({"user": user})
    return organisations is None or bool(organisations)


def editable_organisations(context: Any) -> list[str] | None:
    """Return ids of the organisations whose datasets the user may edit, None for all."""
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return None
    may_edit = authz.get_roles_with_permission("update_dataset")
    return sorted({id_ for id_, role in roles_of(user) if role in may_edit})


def roles_of(user: str) -> set[tuple[str, str]]:
    """Return organisation id → role of a user."""
    return once(("roles", user), lambda: _load_roles(user))


def _load_roles(user: str) -> set[tuple[str, str]]:
    """Return active organisation id → role of a user; two statements.

    Roles that cascade on this portal also count in the organisations below.
    """
    query = (
        sa.select(model.Member.group_id, model.Member.capacity)
        .join(model.Group, model.Group.id == model.Member.group_id)
        .join(model.User, model.User.id == model.Member.table_id)
        .where(
            model.Member.table_name == "user",
            model.Member.state == "active",
            model.Group.is_organization,
            model.Group.state == "active",
            model.User.name == user,
        )
    )
    roles = {(row[0], row[1]) for row in model.Session.execute(query)}
    cascading = authz.check_config_permission("roles_that_cascade_to_sub_groups")
    tops = {role: [id_ for id_, own in roles if own == role] for role in cascading or ()}
    for role, ids in tops.items():
        if ids:
            roles |= {(row[0], role) for row in model.Session.execute(_BELOW, {"ids": ids})}
    return roles


# A member row of type organisation names the organisation below (ckanext-hierarchy).
_BELOW = sa.text(
    """
    WITH RECURSIVE below(id) AS (
        SELECT group_id FROM member
         WHERE table_id = ANY (CAST(:ids AS text[])) AND table_name = 'group' AND state = 'active'
         UNION
        SELECT member.group_id FROM member
          JOIN below ON member.table_id = below.id
         WHERE member.table_name = 'group' AND member.state = 'active'
    )
    SELECT id FROM below
    """
)


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


def load_visible_source(context: Any, source_id: str) -> model.Package | None:
    """Return the source as a dataset if the user may see its page, else None."""
    package = model.Package.get(source_id)
    if package is None:
        return None
    may = may_see_source(context, source_id, is_private=package.private, state=package.state)
    return package if may else None


def may_see_source(context: Any, source_id: str, *, is_private: bool, state: str) -> bool:
    """Tell whether the user may see the page of a source; public, active ones need no query."""
    is_open = state == "active" and not is_private
    return is_open or may_if_exists(context, "package_show", id=source_id)


def is_insider(context: Any, source_id: str) -> bool:
    """Tell whether the user may see a source's runs and errors, because they may update it.

    True with ``ignore_auth`` in the context.
    """
    return may_if_exists(context, "harvest_source_update", id=source_id)
