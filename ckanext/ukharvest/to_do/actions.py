"""The action that lists what there is to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.lib.permissions import editable_organisations
from ckanext.ukharvest.lib.slots import Task, facts_of
from ckanext.ukharvest.lib.tasks import Row, load_rows
from ckanext.ukharvest.lib.texts import moment
from ckanext.ukharvest.to_do import schema as to_do_schema


@tk.side_effect_free
def ukharvest_to_do_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List what the user has to do at the sources that they may edit, and sysadmins at the portal.

    For users. Has what waits for a decision, sources that fail, are late, list no records or many
    fewer than before, or of which records fail (for sysadmins: most); and what features add, such
    as dead links.

    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``source`` (``name`` and ``title``; null if it
        is about the portal), ``text`` (a sentence), ``since`` (UTC in ISO 8601, or null), and the
        ``label`` and ``url`` of the page where it is done
    :rtype: dictionary
    """
    tk.check_access("ukharvest_to_do_list", context, data_dict)
    data = schema.validate(data_dict, to_do_schema.to_do_list_schema())
    tasks = _load(context)
    page = tasks[data["offset"] :][: data["limit"]]
    return {"count": len(tasks), "results": [_describe(task) for task in page]}


def _load(context: Any) -> Sequence[Row | Task]:
    """Return what there is to do, loaded once for a page; nothing for who may edit no source."""
    organisations = editable_organisations(context)
    if organisations is not None and not organisations:
        return ()

    def load() -> Sequence[Row | Task]:
        portal = facts_of("portal_to_do") if organisations is None else ()
        tasks = [task for of_feature in portal for task in of_feature]
        return [*tasks, *load_rows(facts_of("to_do"), organisations)]

    return once(("to do", None if organisations is None else tuple(organisations)), load)


def _describe(task: Row | Task) -> dict[str, Any]:
    source = None
    if isinstance(task, Row):
        source, task = {"name": task.name, "title": task.title}, task.task()
    return {"source": source, **task._asdict(), "since": iso(moment(task.since))}
