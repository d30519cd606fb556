"""Runs in which something waited, after a person decided about it or nothing waits any more."""

from __future__ import annotations

from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.cli import ukharvest
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

PATH = "/data.json"
WAITS = "Waiting for a decision"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source that will have 6 of 10 datasets pending deletion."""
    publisher.serve(PATH, catalogue(10))
    source_id = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source_id)
    publisher.serve(PATH, catalogue(4))
    portal.run(source_id)
    return source_id


def decide(source_id: str, decision: str) -> None:
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": False}
    call_action("ukharvest_pending_decide", context, source_id=source_id, decision=decision)


def outcomes(source_id: str, run_id: str) -> set[str]:
    """Return a run's outcome as each action has it."""
    runs = call_action("ukharvest_run_list", source=source_id)["results"]
    return {
        *(each["outcome"] for each in runs if each["id"] == run_id),
        call_action("ukharvest_run_show", id=run_id)["outcome"],
        call_action("harvest_job_show", id=run_id)["ukharvest"]["outcome"],
    }


@pytest.mark.in_process
@pytest.mark.parametrize("choice", ["approve", "keep"])
def test_decided_run_waits_no_more_anywhere(
    app: CKANTestApp, portal: Portal, source: str, cli: Any, choice: str
) -> None:
    run = portal.run(source)["id"]
    assert outcomes(source, run) == {"held"}
    decide(source, choice)
    assert outcomes(source, run) == {"decided"}
    last = call_action("ukharvest_source_show", source_id=source)["last_run"]
    assert last["outcome"] == "decided"
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    page = app.get(f"/harvest/somewhere/job/{run}", headers=headers).body
    assert "Decided" in page
    assert "Deletion pending <strong>" in page  # how many the decision was about
    assert WAITS not in page
    for path in ("/harvest/somewhere", "/harvest/somewhere/job"):
        listed = app.get(path, headers=headers).body
        assert "Decided" in listed
        assert WAITS not in listed
    assert "Decided" in cli.invoke(ukharvest, ["runs", "--source", "somewhere"]).output


def test_run_whose_question_a_later_run_asks_is_settled(portal: Portal, source: str) -> None:
    first, last = portal.run(source)["id"], portal.run(source, force=True)["id"]
    assert outcomes(source, first) == {"settled"}
    assert outcomes(source, last) == {"held"}
    decide(source, "keep")
    assert outcomes(source, first) == {"settled"}
    assert outcomes(source, last) == {"decided"}


def test_run_whose_records_came_back_is_settled(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    run = portal.run(source)["id"]
    publisher.serve(PATH, catalogue(10))
    portal.run(source)
    assert outcomes(source, run) == {"settled"}


@pytest.mark.parametrize("choice", ["same", "different"])
def test_run_with_changed_identifiers_is_decided(
    portal: Portal, publisher: Publisher, choice: str
) -> None:
    old = [dataset(n, identifier=f"http://old.example/{n}") for n in range(8)]
    publisher.serve(PATH, {"dataset": old})
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    publisher.serve(PATH, catalogue(8))
    run = portal.run(source_id)["id"]
    assert outcomes(source_id, run) == {"held"}
    decide(source_id, choice)
    assert outcomes(source_id, run) == {"decided"}
