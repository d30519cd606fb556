"""Actions: list likely duplicates, decide about a pair, and part what was joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.duplicates import model as duplicates
from ckanext.ukharvest.duplicates import schema as duplicate_schema
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.actions import roll_back
from ckanext.ukharvest.lib.permissions import editable_organisations, may
from ckanext.ukharvest.lib.schema import invalid

Session = model.Session

JOINS = 100  # of them are listed


@tk.side_effect_free
def ukharvest_duplicate_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List datasets that are likely to be one, the longest known first, and those that are joined.

    For sysadmins all, for editors those of which one dataset is of an organisation of theirs. Times
    are UTC.

    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``id``, ``since``, ``source`` and
        ``source_title`` of the record, ``title`` of the record, ``datasets`` (``id``, ``name``,
        ``title``, ``organization``, ``created``; one of a record that was refused, because the
        dataset has its identifier and another title), ``keep`` (id of the dataset that stays by
        default: one that was made by hand, else the older) and ``may_decide`` (the user may edit
        all of them); ``joined``: the latest joins that the user may undo, dicts with ``id``,
        ``created``, ``user``, ``title``, ``kept`` and ``gone`` (ids, ``gone`` null of a record
        without a dataset)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_duplicate_list", context, data_dict)
    data = schema.validate(data_dict, duplicate_schema.duplicate_list_schema())
    organisations = editable_organisations(context)
    count, rows = duplicates.load_pairs(organisations, limit=data["limit"], offset=data["offset"])
    ids = {id_ for row in rows for id_ in (row.own_id, row.other_id) if id_}
    of_pairs = Session.query(model.Package).filter(model.Package.id.in_(ids))
    packages = {package.id: package for package in of_pairs} if ids else {}
    return {
        "count": count,
        "results": [_pair(context, row, packages) for row in rows],
        "joined": [
            {
                "id": joined.id,
                "created": iso(joined.created),
                "user": joined.user_name,
                **{key: joined.options[key] for key in ("title", "kept", "gone")},
            }
            for joined in duplicates.load_joins(organisations, JOINS)
            if may(context, "ukharvest_duplicate_undo", id=joined.id)
        ],
    }


def _pair(context: Any, row: Any, packages: Mapping[str, model.Package]) -> dict[str, Any]:
    return {
        "id": row.id,
        "since": iso(row.since),
        "source": row.source,
        "source_title": row.source_title or row.source,
        "title": row.title,
        "datasets": [_dataset(packages[id_]) for id_ in (row.own_id, row.other_id) if id_],
        "keep": row.other_id if row.keeps_other else row.own_id,
        "may_decide": may(context, "ukharvest_duplicate_decide", id=row.id),
    }


def _dataset(package: model.Package) -> dict[str, Any]:
    organisation = model.Group.get(package.owner_org) if package.owner_org else None
    return {
        "id": package.id,
        "name": package.name,
        "title": package.title or package.name,
        "organization": (organisation.title or organisation.name) if organisation else "",
        "created": iso(package.metadata_created),
    }


def ukharvest_duplicate_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide about two datasets that are likely to be one. For users who may edit both.

    ``same``: one is deleted, and its page leads to the other one. Its record is skipped from then
    on, and named on that page. ``different``: they are not listed again.

    :param id: of the pair, in :py:func:`ukharvest_duplicate_list`
    :type id: integer
    :param decision: ``same`` or ``different``
    :type decision: string
    :param keep: with ``same``: id of the dataset that stays
    :type keep: string

    :returns: ``kept`` and ``gone``: ids of the datasets, null for none
    :rtype: dictionary
    """
    tk.check_access("ukharvest_duplicate_decide", context, data_dict)
    data = schema.validate(data_dict, duplicate_schema.duplicate_decide_schema())
    user = str(context.get("user") or "")
    waiting, _ids = duplicates.find_pair(data["id"])
    record = duplicates.lock_pair(waiting)
    if data["decision"] == "different":
        duplicates.keep_apart(waiting, record, user)
        Session.commit()
        return {"kept": None, "gone": None}
    try:
        gone = duplicates.join(waiting, record, data["keep"], user)
    except LookupError:
        roll_back()
        raise invalid("keep", tk._("Choose which of the two datasets stays.")) from None
    _change("package_delete", context, gone)
    return {"kept": data["keep"], "gone": gone}


def ukharvest_duplicate_undo(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Part two datasets that were joined. For users who may edit both.

    The deleted one is back under its name and ids, and the next run of its source updates it.

    :param id: of the join, in :py:func:`ukharvest_duplicate_list`
    :type id: integer

    :returns: ``id`` of the dataset that is back, null for none
    :rtype: dictionary
    """
    tk.check_access("ukharvest_duplicate_undo", context, data_dict)
    data = schema.validate(data_dict, duplicate_schema.duplicate_undo_schema())
    joined = duplicates.find_join(data["id"], lock=True)
    try:
        back = duplicates.part(joined, str(context.get("user") or ""))
    except LookupError:
        roll_back()
        raise invalid("id", tk._("The dataset changed hands since, so it stays one.")) from None
    _change("package_patch", context, back, state="active")
    return {"id": back}


def _change(action: str, context: Any, package_id: str | None, **values: str) -> None:
    """Delete or restore a dataset, whose commit stores what is decided too."""
    if package_id is None:
        Session.commit()
        return
    own = {"user": context.get("user"), "ignore_auth": True}
    try:
        tk.get_action(action)(own, {"id": package_id, **values})
    except BaseException:
        roll_back()
        raise
