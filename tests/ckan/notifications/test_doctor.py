"""The doctor names mails that were refused."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest import doctor
from tests.ckan.harvesting import act, tick
from tests.ckan.inbox import Inbox, choose

pytestmark = pytest.mark.in_process


def test_the_doctor_knows_of_a_mail_that_was_refused(
    source: str, inbox: Inbox, ckan_config: Any
) -> None:
    choose(source)
    server = ckan_config["smtp.server"]
    ckan_config["smtp.server"] = "127.0.0.1:1"  # where nothing listens
    act("ukharvest_mail_update", source_id=source, test=True)
    tick()
    [finding] = doctor.examine(["mail"])
    assert (finding.level, finding.code) == ("warning", "mail")
    assert "could not be sent" in finding.message
    ckan_config["smtp.server"] = server
    act("ukharvest_mail_update", source_id=source, test=True)
    tick()
    assert inbox.new_mails()
    assert [each.level for each in doctor.examine(["mail"])] == ["ok"]
