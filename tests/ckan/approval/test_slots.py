"""What there is to do about sources that wait for approval."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action

from tests.ckan.harvesting import act
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]
User = dict[str, Any]


def tasks(user: User) -> list[tuple[str, str, str]]:
    model.Session.remove()
    context = {"user": user["name"], "ignore_auth": False}
    listed = call_action("ukharvest_to_do_list", context)["results"]
    return [(task["text"], task["label"], task["url"]) for task in listed]


def test_sysadmins_decide_and_editors_correct(
    changed: str, other: Publisher, editor: User, sysadmin: User
) -> None:
    seen = {"url": other.url("/data.json"), "source_type": "data_json"}
    asked = f"Waits for approval: {seen['url']}"
    assert tasks(sysadmin) == [(asked, "Decide", "/harvest/parking/approval")]
    assert tasks(editor) == []
    act("ukharvest_source_refuse", source_id=changed, **seen, reason="No agreement")
    refused = "Not accepted: No agreement"
    assert tasks(editor) == [(refused, "Correct the URL", "/harvest/edit/parking")]
    assert tasks(sysadmin) == []
    act("ukharvest_source_approve", source_id=changed, **seen)
    assert tasks(editor) == []
