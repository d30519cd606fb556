"""One record of a source: where it stands, what is wrong with it, what its runs did."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.logic.records import shown
from ckanext.ukharvest.model import record_history
from ckanext.ukharvest.model.record_history import Found


@tk.side_effect_free
def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show one record of a harvest source. Times are UTC.

    :param id: the record's number, as the lists of records give it
    :type id: integer

    :returns: ``id``, ``source_id``, ``guid``, ``title`` ("" as long as none could be read),
        ``url`` (where it was read, "" if that is the source itself), ``outcome`` (``added``,
        ``updated``, ``unchanged``, ``deleted``, ``missing``, ``held``: it would be deleted,
        ``kept``: a person kept its dataset, ``lost``, ``skipped``, ``waiting``), ``missed_runs``,
        ``runs_left`` (that have to miss it before its dataset is deleted), ``first_seen``,
        ``last_seen``, ``dataset`` (``id``, ``name``, ``title``, ``state``; None if there is none
        or it is not to be seen), ``error`` (why the last import lost it: ``code``, ``title``,
        ``meaning``, ``message``, ``tip``, ``line``), ``problems`` (of the record as last brought
        in: the same with ``severity`` and ``field``), ``history`` (the latest first: ``date``,
        ``job_id``, ``outcome``, ``fields`` as in :py:func:`ukharvest_dataset_changes`, ``more``,
        ``message``), ``content_type`` and ``content_size`` (bytes) of its text, "" and 0 if it is
        not kept or not to be seen
    :rtype: dictionary
    """
    return shown(context, _found(context, data_dict, "ukharvest_record_show"))


def ukharvest_record_run(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Bring in one record again: start a run of its source that imports it, changed or not.

    The run is a normal one: other records are imported only if they changed.

    :param id: the record's number
    :type id: integer

    :returns: the job, as ``harvest_job_show`` does
    :rtype: dictionary
    """
    row = _found(context, data_dict, "ukharvest_record_run").row
    record_history.forget_stamp(row)
    source_id = row.source_id
    model.Session.flush()
    # Commits; where a run is going on, nothing is.
    try:
        asked = {"source_id": source_id}
        return dict(tk.get_action("ukharvest_run_create")({"user": context.get("user")}, asked))
    except tk.ValidationError:
        model.Session.rollback()
        raise


def _found(context: Any, data_dict: dict[str, Any], action: str) -> Found:
    given = tk.get_or_bust(data_dict, "id")
    try:
        found = record_history.find(int(given))
    except (TypeError, ValueError) as exc:
        raise tk.ValidationError({"id": [tk._("Expected a number.")]}) from exc
    if found is None:
        raise tk.ObjectNotFound(tk._("There is no record of this number."))
    tk.check_access(action, context, {"id": found.row.id})
    return found
