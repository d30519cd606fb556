"""The organisation of a source: how many datasets go with it to another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model

from ckanext.ukharvest.logic.source_rules import parse_options
from ckanext.ukharvest.model.record_organizations import (
    count_moving_datasets,
    stored_organization,
)
from ckanext.ukharvest.texts import ngettext


def count_moving(source: Mapping[str, Any], organization_id: str) -> int:
    """Return how many datasets the next run moves if the source belongs to this organisation.

    Args:
        source: as stored, with ``config``.
        organization_id: id or name, "" for no organisation.
    """
    group = model.Group.get(organization_id) if organization_id else None
    return _count(source, stored_organization(group.id if group else ""))


def count_with_any_other(source: Mapping[str, Any]) -> int:
    """Return how many datasets the next run would move if another organisation were chosen."""
    return _count(source, None)


def _count(source: Mapping[str, Any], chosen: str | None) -> int:
    options = parse_options(source["config"])
    # With it, datasets of the remote site's organisations stay with these.
    own = stored_organization(source["owner_org"]) if options.get("remote_orgs") else ""
    return count_moving_datasets(source["id"], chosen, only_from=own)


def moving_text(number: int, organization_id: str) -> str:
    """Return a sentence for the page after saving, "" if no dataset moves."""
    if not number:
        return ""
    group = model.Group.get(organization_id) if organization_id else None
    return (
        ngettext(
            "{n} dataset will belong to no organisation after the next run.",
            "{n} datasets will belong to no organisation after the next run.",
            number,
            n=f"{number:,}",
        )
        if group is None
        else ngettext(
            "{n} dataset moves to {organisation} with the next run.",
            "{n} datasets move to {organisation} with the next run.",
            number,
            n=f"{number:,}",
            organisation=group.title or group.name,
        )
    )
