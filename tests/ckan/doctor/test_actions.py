"""The notice to editors, and checks of every dataset."""

from __future__ import annotations

from unittest.mock import Mock, call

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.doctor import dashboard as snapshot
from tests.ckan.doctor.dashboards import PAGE, dashboard

pytestmark = pytest.mark.in_process


def test_every_dataset_is_checked_only_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = {each["code"] for each in dashboard()["checks"]}
    assert not codes & set(snapshot.check_codes(is_quick=False))
    found = dashboard(thorough=True)
    assert {each["code"] for each in found["checks"]} >= {"records", "index"}
    assert found["checks_as_of"]
    monkeypatch.setattr(snapshot.doctor, "examine", quickly := Mock(return_value=[]))
    again = dashboard(thorough=True)  # not twice in a minute
    assert quickly.call_args_list == [call(snapshot.check_codes(is_quick=True))]
    assert again["checks_as_of"] == found["checks_as_of"]


def test_the_notice(app: CKANTestApp, sysadmin: dict[str, str]) -> None:
    text = "<b>No harvest</b> on Sunday"
    answer = app.post(f"{PAGE}/notice", data={"text": text}, headers=sysadmin)
    assert "The notice is shown to publishers now." in answer.body
    assert call_action("ukharvest_notice_show")["text"] == text
    assert "&lt;b&gt;No harvest" in app.get(PAGE, headers=sysadmin).body
    answer = app.post(f"{PAGE}/notice", data={"text": "x" * 1001}, headers=sysadmin)
    assert "Write at most 1000 characters." in answer.body
    assert call_action("ukharvest_notice_show")["text"] == text
    answer = app.post(f"{PAGE}/notice", data={"text": " "}, headers=sysadmin)
    assert "The notice was removed." in answer.body
    assert call_action("ukharvest_notice_show")["text"] == ""
    with pytest.raises(tk.NotAuthorized):
        tk.check_access("ukharvest_notice_show", {"user": factories.User()["name"]})
