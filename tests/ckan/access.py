"""Roles that ask for something, and what a refused request must leave as it was."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.lib import api_token
from ckan.lib.redis import connect_to_redis
from ckan.tests import factories

from tests.ckan.harvesting import act

# Each role with the headers of its requests. A token that is not valid counts as none.
NOBODY = ("anonymous", "garbage token", "revoked token", "expired token", "deleted user")
# "former editor" has left the organisation; the admin "above" is of the organisation that it is
# part of, whose rights CKAN hands down, the one "below" of a part of it.
USERS = ("outsider", "former editor", "member", "editor", "admin", "admin above", "admin below") + (
    *("other admin", "sysadmin"),
)
ROLES = (*NOBODY, *USERS)
Headers = dict[str, str]

ALL = frozenset(ROLES)
LOGGED_IN = frozenset(USERS)
MEMBERS = LOGGED_IN - {"outsider", "former editor", "admin below", "other admin"}
EDITORS = MEMBERS - {"member"}
ANY_EDITOR = EDITORS | {"admin below", "other admin"}  # editors of any organisation
ADMINS = EDITORS - {"editor"}
SYSADMINS = frozenset({"sysadmin"})

# Roles in organisations of their own.
_OTHERS = ("admin above", "admin below", "other admin")

# Written by CKAN at each request of a logged-in user.
_STAMPED = {"api_token": "last_access", "user": "last_active"}


def headers_of_roles(organization_id: str) -> dict[str, Headers]:
    """Create a user for each role and return role → headers; invalid tokens are a sysadmin's."""
    others = {name: factories.Organization(image_url="")["id"] for name in _OTHERS}
    act("organization_patch", id=organization_id, groups=[{"name": others["admin above"]}])
    act("organization_patch", id=others["admin below"], groups=[{"name": organization_id}])
    found: dict[str, Headers] = {"anonymous": {}, "garbage token": _sent("0123456789")}
    for role in USERS:
        user = factories.User(
            image_url="", sysadmin=role == "sysadmin", name=role.replace(" ", "-")
        )
        if role not in ("outsider", "sysadmin"):
            organization = others.get(role, organization_id)
            capacity = next(each for each in ("admin", "editor", "member") if each in role)
            _join(organization, user["name"], capacity)
        found[role] = _sent(factories.APIToken(user=user["name"])["token"])
    act("organization_member_delete", id=organization_id, username="former-editor")
    found["revoked token"] = _sent(_token("sysadmin"))
    act("api_token_revoke", token=found["revoked token"]["Authorization"])
    found["expired token"] = _sent(_expired(_token("sysadmin")))
    gone = factories.Sysadmin(image_url="")
    found["deleted user"] = _sent(_token(gone["name"]))
    act("user_delete", id=gone["id"])
    return {role: found[role] for role in ROLES}


def _join(organization_id: str, user: str, role: str) -> None:
    act("organization_member_create", id=organization_id, username=user, role=role)


def _sent(token: str) -> Headers:
    return {"Authorization": token}


def _token(user: str) -> str:
    return str(factories.APIToken(user=user)["token"])


def _expired(token: str) -> str:
    """Return the token as CKAN's plugin for tokens that expire makes it, an hour after its end."""
    data = dict(api_token.decode(token) or {})
    ended = datetime.now(timezone.utc) - timedelta(hours=1)
    return str(api_token.encode({**data, "exp": api_token.into_seconds(ended)}))


def stored_state() -> dict[str, Any]:
    """Return a checksum of each table, and the length of each queue in Redis."""
    model.Session.remove()
    inspector = sa.inspect(model.meta.engine)
    parts = []
    for table in sorted(inspector.get_table_names()):
        row = f"to_jsonb(t) - '{_STAMPED.get(table, '')}'"
        parts.append(
            f"SELECT '{table}', md5(string_agg(md5(({row})::text), '' ORDER BY "
            f'md5(({row})::text))) FROM "{table}" t'
        )
    with model.meta.engine.connect() as connection:
        state: dict[str, Any] = dict(
            map(tuple, connection.execute(sa.text(" UNION ALL ".join(parts))))
        )
    redis = connect_to_redis()
    lists = (key for key in redis.scan_iter() if redis.type(key) == b"list")
    return state | {key.decode(): redis.llen(key) for key in lists}
