"""Groups and organisations of other portals: find ours, or create them; the source's own groups."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RemoteGroup
from ckanext.ukharvest.core.values.text import shorten

log = logging.getLogger(__name__)

CREATE, ONLY_LOCAL = "create", "only_local"


def map_organisation(remote: RemoteGroup | None, policy: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the id of this portal's organisation, "" to use the source's own; and problems.

    Args:
        policy: "", "only_local" or "create".
    """
    if remote is None or not policy:
        return "", ()
    group, why = _ours(remote, policy, is_organization=True)
    if group:
        return str(group.id), ()
    if not why:
        return "", ()
    message = (
        f"organization: '{shorten(remote.name)}' could not be created on this portal: {why}; the"
        " dataset went to the source's own organisation"
    )
    return "", (Problem("organisation-not-created", "organization", message),)


def map_publisher(
    record: DatasetRecord, table: Mapping[str, str]
) -> tuple[str, tuple[Problem, ...]]:
    """Return the id of the organisation that a table gives a record to, "" for none; and problems.

    Args:
        table: as in ``find_in_table``.
    """
    wanted = find_in_table(record, table)
    if not wanted:
        return "", ()
    group = _find(RemoteGroup(name=wanted), is_organization=True)
    if group:
        return str(group.id), ()
    message = (
        f"organisations: there is no organisation '{shorten(wanted)}' on this portal; the dataset"
        " went to the source's own organisation"
    )
    return "", (Problem("organisation-not-created", "organisations", message),)


def find_in_table(record: DatasetRecord, table: Mapping[str, str]) -> str:
    """Return the name or id that a table has for a record, "" for none.

    Args:
        table: name or URI of who publishes a record → name or id of an organisation here; case does
            not matter.
    """
    by_name = {name.casefold().strip(): ours for name, ours in table.items()}
    return next((by_name[name] for name in _publishers(record) if name in by_name), "")


def _publishers(record: DatasetRecord) -> Iterator[str]:
    """Yield names and URIs of who publishes a record, in lower case, the closest first."""
    remote = record.organisation
    for agent in filter(None, (record.publisher, remote, record.contact)):
        for key in ("url", "id", "name", "title"):
            if text := getattr(agent, key, ""):
                yield text.casefold().strip()


def map_groups(
    remote: Iterable[RemoteGroup], policy: str
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the names of this portal's groups, without those that are missing; and problems.

    Args:
        policy: "", "only_local" or "create".
    """
    names: dict[str, None] = {}
    problems = []
    for theirs in remote if policy else ():
        group, why = _ours(theirs, policy, is_organization=False)
        if group:
            names[str(group.name)] = None
        elif why:
            message = (
                f"groups: '{shorten(theirs.name)}' could not be created on this portal: {why}; the"
                " dataset is not in this group"
            )
            problems.append(Problem("group-not-created", "groups", message))
    return tuple(names), tuple(problems)


def check_groups(names: Iterable[str]) -> tuple[Problem, ...]:
    """Return a problem for each of these groups (option ``default_groups``) that is not here."""
    return tuple(
        Problem(
            "default-group-missing",
            "default_groups",
            f"default_groups: there is no group '{shorten(name)}' on this portal; the dataset is"
            " not in this group",
        )
        for name in names
        if _find(RemoteGroup(name=name), is_organization=False) is None
    )


def _ours(
    remote: RemoteGroup, policy: str, *, is_organization: bool
) -> tuple[model.Group | None, str]:
    """Return the group of this portal; or None, and why it was not created ("": not asked for)."""
    group, why = _find(remote, is_organization=is_organization), ""
    if group is None and policy == CREATE and remote.name:
        why = _create(remote, is_organization=is_organization)
        # Another consumer may have created it at the same time.
        group = _find(remote, is_organization=is_organization)
    return group, why


def _find(remote: RemoteGroup, *, is_organization: bool) -> model.Group | None:
    for reference in filter(None, (remote.id, remote.name)):
        group = model.Group.get(reference)
        if group and group.state == "active" and group.is_organization == is_organization:
            return group
    return None


def _create(remote: RemoteGroup, *, is_organization: bool) -> str:
    """Create an organisation or group with its remote id and name; commit.

    Returns:
        Why CKAN refused it, "" if it did not.
    """
    action = "organization_create" if is_organization else "group_create"
    fields = {"id": remote.id, "name": remote.name, "title": remote.title or remote.name}
    context = {"user": config.harvest_user(), "ignore_auth": True}
    try:
        tk.get_action(action)(context, {key: value for key, value in fields.items() if value})
    except (tk.ValidationError, sa.exc.IntegrityError) as exc:
        log.warning("%s of %s was refused: %s", action, remote, exc)
        compat.rollback()
        return _refusal(remote, exc)
    return ""


def _refusal(remote: RemoteGroup, exc: Exception) -> str:
    for reference in filter(None, (remote.id, remote.name)):
        if group := model.Group.get(reference):
            kind = "organisation" if group.is_organization else "group"
            state = "" if group.state == "active" else "deleted "
            return f"a {state}{kind} has this name or id"
    if isinstance(exc, tk.ValidationError):
        return shorten("; ".join(f"{key}: {text}" for key, text in exc.error_summary.items()))
    return "the database refused it"
