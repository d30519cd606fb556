"""What there is to do at a thousand sources is read in one statement."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from tests.ckan import reads
from tests.ckan.harvesting import Portal, end_runs, statements
from tests.ckan.sources.many_sources import many

pytestmark = pytest.mark.in_process

PAGE = "/harvest/to-do"


@pytest.fixture
def thousand(portal: Portal) -> None:
    """A thousand sources that run daily, of which each fiftieth fails."""
    many(1000, portal.organization_id)
    model.Session.execute(sa.text("UPDATE harvest_source SET next_run = now() + interval '1 h'"))
    for _ in range(4):
        end_runs()


@pytest.mark.usefixtures("thousand")
def test_a_thousand_sources_take_one_statement(app: CKANTestApp) -> None:
    with statements("ukharvest") as sent:
        listed = call_action("ukharvest_to_do_list")
    assert len(sent) == 1
    of_list = call_action("ukharvest_source_list", health="failing", limit=1000)
    assert sorted(task["source"]["name"] for task in listed["results"]) == sorted(
        source["name"] for source in of_list["results"]
    )
    assert listed["count"] == 20
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    # Each row of sources once, and some fifty pages for each of those that fail.
    reads.check(app, ["/about"], headers, most=2_500)
