"""Action: show a record of a source with its problems and history."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.records import describe_record
from ckanext.ukharvest.logic.sources import find_record


@tk.side_effect_free
def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show one record of a harvest source. For users who may update the source. Times are UTC.

    :param id: number of the record: ``record_id`` in :py:func:`ukharvest_record_list`
    :type id: integer

    :returns: ``id``, ``source_id``, ``guid``, ``title`` ("" if none could be read yet), ``url``
        (where it was read, "" if that is the source itself), ``outcome`` (``added``, ``updated``,
        ``unchanged``, ``deleted``, ``missing``, ``held``: its deletion is pending, ``kept``: a
        person kept its dataset, ``lost``: failed, ``skipped``, ``waiting``), ``missed_runs``,
        ``runs_left`` (runs that have to miss it before its dataset is deleted), ``first_seen``,
        ``last_seen``, ``dataset`` (``id``, ``name``, ``title``, ``state``, ``languages``: codes of
        those of its translations; None if there is none or the user may not read it), ``same_as``
        (``id``, ``name`` and ``title`` of the dataset that a skipped record would be once more,
        because it comes back from another portal or by way of two; else None), ``came_back``
        (skipped because it comes back from another portal, also if its dataset was purged),
        ``error``
        (why the last import failed: ``code``, ``title``, ``meaning``, ``message``, ``tip``,
        ``line``), ``problems`` (of the record as last imported: the same with ``severity`` and
        ``field``), ``history`` (the latest first: ``date``, ``job_id``, ``outcome``, ``fields`` as
        in :py:func:`ukharvest_dataset_change_list`, ``more``, ``message``), ``content_type`` and
        ``content_size`` (bytes) of its text, "" and 0 if it is not stored or the user may not read
        it
    :rtype: dictionary
    """
    record = find_record(schema.validate(data_dict, schema.record_show_schema())["id"])
    tk.check_access("ukharvest_record_show", context, {"id": record.row.id})
    return describe_record(context, record)
