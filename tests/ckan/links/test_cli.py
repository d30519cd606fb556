"""The command ``ckan ukharvest links``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.cli import ukharvest
from tests.ckan.links.place import RIVERS, Place

pytestmark = pytest.mark.in_process


def test_command_lists_and_checks_links(place: Place, cli: Any) -> None:
    place.harvest()
    waiting = cli.invoke(ukharvest, ["links", "--state", "unchecked", "--format", "json"])
    assert [row["state"] for row in json.loads(waiting.output)] == ["unchecked"]
    assert "Not checked yet" in cli.invoke(ukharvest, ["links"]).output
    done = cli.invoke(ukharvest, ["links", "rivers", "--check"])
    assert "WMS 1.3.0, 2 layers" in done.output
    assert "Checked 1 link; identified 1." in done.output
    assert place.formats == ["WMS"]
    assert "Checked 0 links" in cli.invoke(ukharvest, ["links", "--check"]).output
    (row,) = json.loads(cli.invoke(ukharvest, ["links", "--format", "json"]).output)
    assert (row["format"], row["url"]) == ("WMS", place.publisher.url(RIVERS))
    for none in (["--unknown"], ["--state", "unchecked"]):
        assert json.loads(cli.invoke(ukharvest, ["links", *none, "--format", "json"]).output) == []
    assert "WMS" in cli.invoke(ukharvest, ["links", "rivers"]).output
    assert cli.invoke(ukharvest, ["links", "nobody"]).exit_code == 2
