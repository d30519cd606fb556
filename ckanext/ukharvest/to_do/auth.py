"""Who may call the actions of this feature."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.lib.auth import Answer, answer
from ckanext.ukharvest.lib.permissions import LOG_IN


def ukharvest_to_do_list(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow users who are logged in: each gets what they may do."""
    return answer(context, bool(context.get("user")), LOG_IN)
