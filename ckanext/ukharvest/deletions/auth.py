"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import Answer, answer, is_administrator, update_source


def ukharvest_deletion_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the source's organisation."""
    refusal = tk._("Only an administrator of the source's organisation may approve deletions")
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(is_administrator(context, package), refusal)


def ukharvest_identifier_change_decide(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow administrators of the source's organisation."""
    refusal = tk._("Only an administrator of the source's organisation may decide this")
    package = model.Package.get(data_dict.get("source_id") or "-")
    return answer(is_administrator(context, package), refusal)


ukharvest_deletion_list = update_source
ukharvest_identifier_change_list = update_source
