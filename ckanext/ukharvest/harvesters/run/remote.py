"""Organisations and groups of the CKAN that a record came from: which of ours they are.

The options remote_orgs and remote_groups, as ckanext-harvest's CKAN harvester has them: by id or
name, "create" makes what is not here. They reach outside the source's organisation, so only a
sysadmin sets them, and ``setting`` looks at each run whether one did.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.records import RemoteGroup

log = logging.getLogger(__name__)

CREATE = "create"


def organisation(remote: RemoteGroup | None, policy: str) -> str:
    """Return the id of the organisation here, "" where the source's own has the dataset.

    Args:
        policy: "", "only_local" or "create".
    """
    found = _ours(remote, policy, is_organization=True) if remote and policy else None
    return str(found.id) if found else ""


def groups(remote: Iterable[RemoteGroup], policy: str) -> tuple[str, ...]:
    """Return the names of the groups here; those that are neither here nor made are left out."""
    if not policy:
        return ()
    found = (_ours(each, policy, is_organization=False) for each in remote)
    return tuple(dict.fromkeys(str(each.name) for each in found if each))


def _ours(remote: RemoteGroup, policy: str, *, is_organization: bool) -> model.Group | None:
    found = _find(remote, is_organization=is_organization)
    if found is None and policy == CREATE and remote.name:
        _create(remote, is_organization=is_organization)
        # Another consumer may have made it at the same moment.
        found = _find(remote, is_organization=is_organization)
    return found


def _find(remote: RemoteGroup, *, is_organization: bool) -> model.Group | None:
    for reference in filter(None, (remote.id, remote.name)):
        group = model.Group.get(reference)
        if group and group.state == "active" and group.is_organization == is_organization:
            return group
    return None


def _create(remote: RemoteGroup, *, is_organization: bool) -> None:
    """Make one, under its remote id and name; commits.

    What CKAN refuses (a name that a deleted one has) costs no record: it goes without.
    """
    action = "organization_create" if is_organization else "group_create"
    fields = {"id": remote.id, "name": remote.name, "title": remote.title or remote.name}
    context = {"user": config.harvest_user(), "ignore_auth": True}
    try:
        tk.get_action(action)(context, {key: value for key, value in fields.items() if value})
    except (tk.ValidationError, sa.exc.IntegrityError) as exc:
        log.warning("%s of %s was refused: %s", action, remote, exc)
        compat.rollback()
