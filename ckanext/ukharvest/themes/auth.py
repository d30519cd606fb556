"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.auth import Answer, answer


def ukharvest_theme_suggest(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user.

    Over the API CKAN does not refuse anonymous ones by itself: it takes its object for them, which
    is in the context, for a user.
    """
    return answer(bool(context.get("user")), tk._("Log in to have a theme suggested"))
