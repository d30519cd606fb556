"""Lists of links, by action and by command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan.tests.helpers import call_action

from ckanext.ukharvest.cli import ukharvest
from tests.ckan.links.place import Place, work

pytestmark = pytest.mark.in_process

TABLE = "/rivers.csv"


def test_lists_by_state(place: Place, cli: Any) -> None:
    place.publisher.serve(TABLE, "a,b\n1,2\n")
    place.publish(TABLE, "/nothing.csv")
    place.harvest()
    work()
    for state, paths in (("works", [TABLE]), ("failing", ["/nothing.csv"]), ("dead", [])):
        urls = [place.publisher.url(path) for path in paths]
        found = call_action("ukharvest_link_list", state=state)
        assert [row["url"] for row in found["results"]] == urls
        listed = cli.invoke(ukharvest, ["links", "--state", state, "--format", "json"])
        assert [row["url"] for row in json.loads(listed.output)] == urls
    assert call_action("ukharvest_link_list")["count"] == 2
    table = cli.invoke(ukharvest, ["links", "--state", "failing"]).output
    assert "Not reachable" in table
