"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.lib.auth import Answer, answer
from ckanext.ukharvest.lib.permissions import LOG_IN


def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user.

    Over the API CKAN does not refuse anonymous ones by itself: it takes its object for them, which
    is in the context, for a user.
    """
    return answer(context, bool(context.get("user")), LOG_IN)
