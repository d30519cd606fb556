"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import Answer


def ukharvest_source_adopt(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow sysadmins only."""
    return {"success": False, "msg": tk._("Only sysadmins may adopt harvest sources")}
