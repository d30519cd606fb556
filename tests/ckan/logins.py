"""Headers of requests: of an organisation’s members and of sysadmins."""

from __future__ import annotations

from ckan.tests import factories

from tests.ckan.harvesting import act


def member(
    organization: dict[str, str], capacity: str, user: dict[str, str] | None = None
) -> dict[str, str]:
    user = user or factories.UserWithToken()
    act("organization_member_create", id=organization["id"], username=user["name"], role=capacity)
    return {"Authorization": user.get("token", "")}


def sysadmin() -> dict[str, str]:
    return {"Authorization": factories.SysadminWithToken()["token"]}
