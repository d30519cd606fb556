"""Actions: list records under new identifiers, and decide whether they are the same datasets."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.action.deletions import check_decision, deciders
from ckanext.ukharvest.logic.permissions import may, readable_organisations
from ckanext.ukharvest.logic.schema import invalid
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
        "may_decide": may(context, "ukharvest_identifier_change_decide", source_id=source_id),
        "deciders": deciders(source_id),
        "changes": [_row(change, readable) for change in waiting[start:end]],
    }


def _row(change: changed_identifiers.Waiting, readable: list[str] | None) -> Row:
    may_read = readable is None or change.is_for(readable)
    return {
        "guid": change.guid,
        "new_guid": change.new_guid,
        "dataset_id": change.package_id,
        "dataset_name": change.name if may_read else "",
        "title": change.title if may_read else "",
    }


def ukharvest_identifier_change_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Decide whether the new records are the same datasets.

    For administrators of the source's organisation.

    ``same``: pages, ids, names, ids of resources and history of the datasets stay. The next run
    updates them from the new records. ``different``: the next run imports the new records as new
    datasets. The old ones count as missing; later complete runs delete them by the usual rules.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param decision: ``same`` or ``different``
    :type decision: string
    :param version: version of the list that the user decided on; if the list has changed since,
        nothing changes (optional, default: do not check)
    :type version: string

    :returns: ``datasets``: their number
    :rtype: dictionary
    """
    source_id = check_decision(context, data_dict, "ukharvest_identifier_change_decide")
    data = schema.validate(data_dict, schema.decision_schema("same", "different"))
    is_same = data["decision"] == "same"
    decide = changed_identifiers.accept if is_same else changed_identifiers.refuse
    try:
        return {"datasets": decide(source_id, str(context.get("user") or ""), data["version"])}
    except changed_identifiers.Changed as exc:
        raise invalid("version", others_wait(exc.number)) from exc
