"""People of the tests: users with a token, most of them members of an organisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.tests import factories

from tests.ckan.harvesting import act

Person = dict[str, Any]


def person(**fields: Any) -> Person:
    """Make a user; return what CKAN does, and under "headers" those of the user's requests."""
    return with_headers(factories.UserWithToken(**{"image_url": "", **fields}))


def with_headers(user: Mapping[str, Any]) -> Person:
    """Return a user with the headers of the user's requests."""
    return {**user, "headers": {"Authorization": user["token"]}}


def member(organization: Mapping[str, str], role: str = "editor", **fields: Any) -> Person:
    """Make a user with a role in an organisation."""
    made = person(**fields)
    act("organization_member_create", id=organization["id"], username=made["name"], role=role)
    return made
