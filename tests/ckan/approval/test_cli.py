"""Decide about sources by commands."""

from __future__ import annotations

from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestSource

from tests.ckan.commands import invoke
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]


def test_commands_decide(app: CKANTestApp, changed: str, other: Publisher) -> None:
    def run(*words: str, **more: Any) -> Any:
        return invoke(app, "ukharvest", "source", *words, **more)

    url = other.url("/data.json")
    assert url in run("refuse", "parking", "No agreement").output
    shown = call_action("ukharvest_source_show", source_id=changed)
    assert shown["approval"]["reason"] == "No agreement"
    assert "Aborted" in run("approve", "parking", input="n\n").output
    assert HarvestSource.get(changed).url != url
    assert run("approve", "parking", "--yes").exit_code == 0
    assert HarvestSource.get(changed).url == url
    assert run("approve", "parking").exit_code == 2


@pytest.mark.ckan_config("ckanext.harvest.user_name", "harvester")
def test_a_command_accepts_whoever_harvests(
    app: CKANTestApp, changed: str, other: Publisher
) -> None:
    factories.User(name="harvester")
    done = invoke(app, "ukharvest", "source", "approve", "parking", "--yes")
    assert (done.exit_code, HarvestSource.get(changed).url) == (0, other.url("/data.json"))
