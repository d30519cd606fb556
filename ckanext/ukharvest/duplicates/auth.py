"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.duplicates import model as duplicates
from ckanext.ukharvest.lib.auth import Answer, answer
from ckanext.ukharvest.lib.permissions import is_insider, may_harvest, may_if_exists


def ukharvest_duplicate_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow editors of any organisation: they get the pairs of their own."""
    return answer(context, may_harvest(context.get("user") or ""))


def ukharvest_duplicate_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow who may edit both datasets; of a record without one also who may update its source."""
    waiting, ids = duplicates.find_pair(data_dict.get("id"))
    is_record = len(ids) == 1
    may_update = is_insider(context, waiting.source_id) if is_record else True
    return answer(context, may_update and _may_edit(context, *ids))


def ukharvest_duplicate_undo(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow who may edit both datasets."""
    options = duplicates.find_join(data_dict.get("id")).options
    return answer(context, _may_edit(context, options["kept"], options["gone"]))


def _may_edit(context: Any, *ids: str | None) -> bool:
    return all(may_if_exists(context, "package_update", id=id_) for id_ in ids if id_)
