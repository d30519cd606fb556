"""Chained actions: add our figures to ckanext-harvest's actions, and index all fields of sources.

They repeat ``side_effect_free`` where the stock action has it: CKAN reads it from the outermost
function, and without it the API refuses GET.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan.logic import auth_audit_exempt

from ckanext.ukharvest import compat
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.sources import is_insider
from ckanext.ukharvest.model import runs


@tk.side_effect_free
@tk.chained_action
def harvest_job_show(original: Any, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a harvest job, with the figures of unchanged and missing records.

    Like ckanext-harvest's action; in addition ``stats["not modified"]`` counts unchanged records
    (which have no harvest object), ``stats["missing"]`` counts records that the source no longer
    lists, and ``ukharvest`` has ``mode``, ``outcome``, ``reason``, ``complete`` and ``counts``.

    :param id: the id of the job
    :type id: string
    """
    job: dict[str, Any] = original(context, data_dict)
    runs.add_to_stock([job])
    return job


@tk.side_effect_free
@tk.chained_action
def harvest_job_list(original: Any, context: Any, data_dict: dict[str, Any]) -> list[Any]:
    """List harvest jobs, each with the figures of :py:func:`harvest_job_show`.

    :param source_id: only jobs of this source (optional)
    :type source_id: string
    :param status: only jobs with this status, such as ``Running`` (optional)
    :type status: string
    """
    jobs: list[Any] = original(context, data_dict)
    runs.add_to_stock(jobs)
    return jobs


@tk.side_effect_free
@tk.chained_action
def harvest_source_show_status(
    original: Any, context: Any, data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Show a source's status; ``last_job`` has the figures of :py:func:`harvest_job_show`.

    Users who may not update the source only get the numbers of datasets and runs and, in
    ``last_job``, when the last run that did not fail ended: no figures, no errors.

    :param id: the id of the harvest source
    :type id: string
    """
    tk.check_access("harvest_source_show_status", context, data_dict)
    source_id = tk.get_or_bust(data_dict, "id")
    if not is_insider(context, source_id):
        return runs.short_status(source_id)
    status: dict[str, Any] = original(context, data_dict)
    runs.add_to_stock([status.get("last_job") or {}])
    return status


# No auth audit: CKAN expects check_access, which would leave its package in others' contexts.
@auth_audit_exempt
@tk.side_effect_free
@tk.chained_action
def harvest_source_reindex(original: Any, context: Any, data_dict: dict[str, Any]) -> bool:
    """Index a harvest source for the search, with all its fields on every CKAN version.

    For users who may update it. ckanext-harvest's action is for everybody, though each call makes
    Solr commit; its other actions call it in contexts without a user.

    :param id: the id of the harvest source
    :type id: string
    """
    id_ = tk.get_or_bust(data_dict, "id")
    if "user" in context and not may(context, "harvest_source_update", id=id_):
        raise tk.NotAuthorized(tk._("Not authorised to index this harvest source"))
    if not compat.INDEXES_IN_ACTIONS:
        return bool(original(context, data_dict))
    compat.index_harvest_source(id_, defer_commit=context.get("defer_commit", False))
    return True
