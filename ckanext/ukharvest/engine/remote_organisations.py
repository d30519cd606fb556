"""Map a remote CKAN's organisations and groups to those of this portal.

Options remote_orgs and remote_groups work as in ckanext-harvest's CKAN harvester: match by id or
name; "create" makes missing ones. They affect more than the source's organisation, so only a
sysadmin may set them, and each run checks that (``setting_of``).
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


def map_organisation(remote: RemoteGroup | None, policy: str) -> str:
    """Return the id of this portal's organisation, "" to use the source's own.

    Args:
        policy: "", "only_local" or "create".
    """
    found = _ours(remote, policy, is_organization=True) if remote and policy else None
    return str(found.id) if found else ""


def map_groups(remote: Iterable[RemoteGroup], policy: str) -> tuple[str, ...]:
    """Return the names of this portal's groups, without those that are missing and not created.

    Args:
        policy: "", "only_local" or "create".
    """
    if not policy:
        return ()
    found = (_ours(each, policy, is_organization=False) for each in remote)
    return tuple(dict.fromkeys(str(each.name) for each in found if each))


def _ours(remote: RemoteGroup, policy: str, *, is_organization: bool) -> model.Group | None:
    found = _find(remote, is_organization=is_organization)
    if found is None and policy == CREATE and remote.name:
        _create(remote, is_organization=is_organization)
        # Another consumer may have created it at the same time.
        found = _find(remote, is_organization=is_organization)
    return found


def _find(remote: RemoteGroup, *, is_organization: bool) -> model.Group | None:
    for reference in filter(None, (remote.id, remote.name)):
        group = model.Group.get(reference)
        if group and group.state == "active" and group.is_organization == is_organization:
            return group
    return None


def _create(remote: RemoteGroup, *, is_organization: bool) -> None:
    """Create an organisation or group with its remote id and name; commit.

    If CKAN refuses it (a deleted one has the name), the record is imported without it.
    """
    action = "organization_create" if is_organization else "group_create"
    fields = {"id": remote.id, "name": remote.name, "title": remote.title or remote.name}
    context = {"user": config.harvest_user(), "ignore_auth": True}
    try:
        tk.get_action(action)(context, {key: value for key, value in fields.items() if value})
    except (tk.ValidationError, sa.exc.IntegrityError) as exc:
        log.warning("%s of %s was refused: %s", action, remote, exc)
        compat.rollback()
