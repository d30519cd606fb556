"""Rows of tables of values: what a field takes, and whom it lets an editor give datasets to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import sqlalchemy as sa
from ckan import authz, model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values import licences, theme_names
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.lib.schema import Errors
from ckanext.ukharvest.lib.texts import gettext, labelled
from ckanext.ukharvest.mapping import record_values
from ckanext.ukharvest.mapping.package_mapper import OUR_FIELDS
from ckanext.ukharvest.mapping.record_values import LONGEST, fold
from ckanext.ukharvest.value_tables.model import Key

MOST_FIELDS = 100  # other than ours; a run asks for each of them
_MOST_ERRORS = 10
_FIELD = re.compile(r"[\w:.-]{1,100}")


class Row(NamedTuple):
    """A row as it was sent."""

    field: str
    value: str
    ours: str


def check(
    rows: Iterable[Row],
    stored: Mapping[Key, str],
    user: str,
    *,
    others: Mapping[Key, str],
    is_free: bool,
) -> tuple[dict[Key, tuple[str, str]], Errors]:
    """Return field and folded value → the value as written and ours; and errors.

    Args:
        stored: field and folded value → ours, of the rows that the table has.
        user: name of who saves the rows.
        others: the same of rows that apply where the table has none.
        is_free: they may name any organisation and group.
    """
    checked: dict[Key, tuple[str, str]] = {}
    errors: list[str] = []
    for number, row in enumerate(rows, 1):
        try:
            _check_field(row)
            ours = _ours(row, user, is_free=is_free) if row.ours else ""
            key = row.field, fold(row.value)
            if row.field in record_values.OF_PORTAL and not is_free:
                other = others.get(key, "")
                _check_given_up(row.field, stored.get(key, other), ours or other, user)
        except tk.Invalid as exc:
            place = gettext("Row {n}, {value}", n=number, value=shorten(row.value))
            errors.append(labelled(place, exc.error))
        else:
            checked[key] = row.value, ours
    after = {**stored, **{key: ours for key, (_value, ours) in checked.items()}}
    names = {name for (name, _value), ours in after.items() if ours}
    if len(record_values.other_fields(names)) > MOST_FIELDS:
        errors.append(gettext("At most {n} extra fields in a table.", n=MOST_FIELDS))
    return checked, {"values": errors[:_MOST_ERRORS]} if errors else {}


def _check_field(row: Row) -> None:
    is_ours = row.field in OUR_FIELDS or row.field.startswith("harvest")
    if not _FIELD.fullmatch(row.field) or is_ours:
        known = ", ".join(record_values.FIELDS)
        raise tk.Invalid(
            gettext("Expected a field of {names}, or the name of an extra field.", names=known)
        )
    if not row.value or max(len(row.value), len(row.ours)) > LONGEST:
        raise tk.Invalid(gettext("Expected a value of 1 to {n} characters.", n=LONGEST))


def _ours(row: Row, user: str, *, is_free: bool) -> str:
    """Return the value of a row as it is stored: of an organisation or group the id.

    Raises:
        Invalid: the field does not take it, or the user may not use it.
    """
    if row.field in record_values.OF_PORTAL:
        return _group_id(row, user, is_free=is_free)
    try:
        ours = _READERS[row.field](row.ours) if row.field in _READERS else row.ours
    except ValueError:
        ours = ""
    if not ours:
        raise _not_here(row)
    return ours


def _not_here(row: Row) -> tk.Invalid:
    text = gettext("This portal has no {field} {name}.", field=row.field, name=shorten(row.ours))
    return tk.Invalid(text)


def _group_id(row: Row, user: str, *, is_free: bool) -> str:
    is_organisation = row.field == record_values.ORGANISATION
    group = model.Group.get(row.ours)
    if group is None or group.state != "active" or group.is_organization != is_organisation:
        raise _not_here(row)
    if not is_free and not _may_use(row.field, group.id, user):
        raise tk.Invalid(gettext("You do not administer {name}.", name=row.ours))
    return str(group.id)


def _check_given_up(field: str, before: str, after: str, user: str) -> None:
    """Check that a user may take datasets from the organisation or group that they went to before.

    Args:
        before, after: id or name, "" for none.

    Raises:
        Invalid: they may not.
    """
    if before == after:
        return
    group = model.Group.get(before)
    is_left = group and group.state == "active" and group != model.Group.get(after)
    if is_left and not _may_use(field, group.id, user):
        raise tk.Invalid(gettext("You do not administer {name}.", name=group.name))


def _licence(text: str) -> str:
    found = licences.find(text)
    register = model.Package.get_license_register()
    return text if (found and found.id) or text in register else ""


_READERS: Mapping[str, Callable[[str], str]] = {
    record_values.LICENCE: _licence,
    record_values.THEME: theme_names.find,
    record_values.FREQUENCY: parse_frequency,
    record_values.LANGUAGE: parse_language,
}


def choices(user: str, *, is_free: bool) -> dict[str, list[tuple[str, str]]]:
    """Return field → value and label of what it takes, for the fields with a list of their own."""
    register = model.Package.get_license_register()
    return {
        **{field: _groups(field, user, is_free=is_free) for field in record_values.OF_PORTAL},
        record_values.LICENCE: [(licence.id, licence.title) for licence in register.values()],
        record_values.THEME: [
            (name, str(tk._(theme_names.title(name)))) for name in theme_names.names()
        ],
    }


def _groups(field: str, user: str, *, is_free: bool) -> list[tuple[str, str]]:
    query = sa.select(model.Group.id, model.Group.name, model.Group.title).where(
        model.Group.is_organization.is_(field == record_values.ORGANISATION),
        model.Group.state == "active",
    )
    return [
        (name, title or name)
        for id_, name, title in model.Session.execute(query.order_by(model.Group.name))
        if is_free or _may_use(field, id_, user)
    ]


def _may_use(field: str, group_id: str, user: str) -> bool:
    # No role below "admin" has the permission of this name.
    permission = "admin" if field == record_values.ORGANISATION else "manage_group"
    return bool(authz.has_user_permission_for_group_or_org(group_id, user, permission))
