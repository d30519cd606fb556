"""Actions: list records under new identifiers, and decide whether they are the same datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.action.deletions import check_decision, deciders
from ckanext.ukharvest.logic.permissions import may, readable_organisations
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, changed_identifiers
from ckanext.ukharvest.presentation.messages.changed_identifiers import others_wait

Session = model.Session
Row = dict[str, Any]


@tk.side_effect_free
def ukharvest_identifier_change_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the datasets of a harvest source whose records seem to have new identifiers.

    For users who may update the source. A run found that they are missing, and new records with
    the same titles or files; neither changes anything until an administrator decides.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param limit: how many to return (optional, default: all)
    :type limit: integer
    :param offset: how many to skip, sorted by title (optional, default: 0)
    :type offset: integer

    :returns: ``source_id``, ``job_id`` of the run that found them, ``since`` (UTC), ``missing``
        (number of records that it missed for the first time), ``count``, ``version`` (of the list,
        to send with the decision), ``may_decide`` (whether the user may), ``deciders``: names of
        the organisation's administrators, and ``changes``: dicts with ``guid``, ``new_guid``,
        ``dataset_id``, ``dataset_name`` and ``title`` (both "" for another organisation's private
        dataset)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_identifier_change_list", context, data_dict)
    source_id = source_of(data_dict).id
    page = schema.validate(data_dict, schema.deletion_list_schema())
    state = Session.get(SourceState, source_id, populate_existing=True)
    stored: Row = (state.changed_identifiers if state else None) or {}
    waiting = changed_identifiers.waiting(source_id, changed_identifiers.load(state))
    readable = readable_organisations(context)
    start, end = page["offset"], page["offset"] + page["limit"]
    return {
        "source_id": source_id,
        "job_id": stored.get("job_id"),
        "since": stored.get("since"),
        "missing": stored.get("missing", 0),
        "count": len(waiting),
        "version": changed_identifiers.version_of(waiting),
        "may_decide": may(context, "ukharvest_identifier_change_accept", source_id=source_id),
        "deciders": deciders(source_id),
        "changes": [
            _row(each, readable is None or each.is_for(readable)) for each in waiting[start:end]
        ],
    }


def _row(each: changed_identifiers.Waiting, may_read: bool) -> Row:
    return {
        "guid": each.guid,
        "new_guid": each.new_guid,
        "dataset_id": each.package_id,
        "dataset_name": each.name if may_read else "",
        "title": each.title if may_read else "",
    }


def ukharvest_identifier_change_accept(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide that the new records are the same datasets: their pages and ids stay.

    For administrators of the source's organisation. Names, ids of resources and history stay too.
    The next run updates the datasets from the new records.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string

    :returns: ``datasets``: their number
    :rtype: dictionary
    """
    action = "ukharvest_identifier_change_accept"
    return _decide(context, data_dict, action, changed_identifiers.accept)


def ukharvest_identifier_change_refuse(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide that the new records are different datasets.

    For administrators of the source's organisation. The next run imports them as new datasets. The
    old datasets count as missing; later complete runs delete them by the usual rules.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string

    :returns: ``datasets``: number of the old datasets
    :rtype: dictionary
    """
    action = "ukharvest_identifier_change_refuse"
    return _decide(context, data_dict, action, changed_identifiers.refuse)


def _decide(
    context: Any, data_dict: dict[str, Any], action: str, decide: Callable[[str, str, str], int]
) -> dict[str, Any]:
    source_id = check_decision(context, data_dict, action)
    version = schema.validate(data_dict, schema.deletion_keep_schema())["version"]
    try:
        return {"datasets": decide(source_id, str(context.get("user") or ""), version)}
    except changed_identifiers.Changed as exc:
        raise tk.ValidationError({"version": [others_wait(exc.number)]}) from exc
