"""Action: list the stored versions of a record."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import versions


@tk.side_effect_free
def ukharvest_record_version_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the stored versions of a record, the oldest first.

    For users who may update the source.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param guid: the source's identifier of the record
    :type guid: string

    :returns: dicts with ``version`` (number), ``created`` (UTC), ``job_id`` (None if the job's
        history was cleared) and ``size`` in bytes
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_record_version_list", context, data_dict)
    source = source_of(data_dict)
    guid = str(tk.get_or_bust(data_dict, "guid"))
    return [
        {
            "version": each.number,
            "created": iso(each.created),
            "job_id": each.job_id,
            "size": len(each.content.encode("utf-8")),
        }
        for each in versions.versions_of(source.id, guid)
    ]
