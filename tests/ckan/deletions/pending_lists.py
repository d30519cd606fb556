"""Pending deletions: list and decide them."""

from __future__ import annotations

from typing import Any

from ckan.tests import factories
from ckan.tests.helpers import call_action


def pending_titles(source_id: str) -> list[str]:
    answer = call_action("ukharvest_pending_list", source_id=source_id)
    return [each["title"] for each in answer["results"]]


def approve(source_id: str, decision: str = "approve") -> dict[str, Any]:
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": False}
    made = {"source_id": source_id, "decision": decision}
    return dict(call_action("ukharvest_pending_decide", context, **made))


PATH = "/data.json"
