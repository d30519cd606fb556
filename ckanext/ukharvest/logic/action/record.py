"""Actions: show a record of a source with its problems and history, and import it again."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.records import describe_record
from ckanext.ukharvest.model import record_history
from ckanext.ukharvest.model.record_history import Found


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
    return describe_record(context, _found(context, data_dict, "ukharvest_record_show"))


def ukharvest_record_import(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Import one record again, changed or not, by starting a run of its source.

    The run is a normal one: it imports other records only if they changed. For users who may
    start runs of the source.

    :param id: number of the record
    :type id: integer

    :returns: the job, as ``harvest_job_show`` returns it
    :rtype: dictionary
    """
    row = _found(context, data_dict, "ukharvest_record_import").row
    record_history.forget_stamp(row)
    source_id = row.source_id
    model.Session.flush()
    # This commits; if a run is under way it raises, and nothing is committed.
    try:
        asked = {"source_id": source_id}
        return dict(tk.get_action("ukharvest_run_create")({"user": context.get("user")}, asked))
    except tk.ValidationError:
        model.Session.rollback()
        raise


def _found(context: Any, data_dict: dict[str, Any], action: str) -> Found:
    found = record_history.find(schema.validate(data_dict, schema.record_show_schema())["id"])
    if found is None:
        raise tk.ObjectNotFound(tk._("No record has this number."))
    tk.check_access(action, context, {"id": found.row.id})
    return found
