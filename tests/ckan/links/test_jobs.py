"""The background job of link checks: when it runs, its pauses and its faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import redis
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest import background, database
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.links import jobs as link_jobs
from tests.ckan.harvesting import statements, tick
from tests.ckan.links.place import RIVERS, Place, queued, work

pytestmark = pytest.mark.in_process


def test_links_are_checked_by_a_worker_not_by_the_import(place: Place) -> None:
    assert place.harvest() == {"added": 1}
    assert place.formats == [""]
    assert place.link() == {}
    assert place.new_requests() == []
    tick()
    assert queued() == ["Check links of harvested resources"]  # the run's own tick asked
    jobs.Worker().work(burst=True)
    assert place.formats == ["WMS"]
    assert RIVERS in place.new_requests()[0]
    found = call_action("package_search", fq="res_format:WMS")
    assert found["count"] == 1
    link = place.link()
    assert (link["format"], link["version"]) == ("WMS", "1.3.0")
    assert [layer["name"] for layer in link["layers"]] == ["rivers", "lakes"]
    assert link["base_url"].startswith(place.publisher.url(RIVERS))
    assert link["checked"] < link["due"]
    tick()
    assert queued() == []


def test_gemini_link_to_a_page_is_asked_for_wms(place: Place) -> None:
    answer = place.publisher.routes[RIVERS]
    query = "service=WMS&request=GetCapabilities&version=1.3.0"
    place.publisher.routes[f"{RIVERS}?{query}"] = answer
    place.publisher.serve(RIVERS, "<html><title>Rivers</title>")
    place.harvest()
    model.Session.query(HarvestSource).update({"type": "gemini-waf"})
    model.Session.commit()
    work()
    assert place.formats == ["WMS"]


def test_an_unchanged_night_costs_two_queries_and_no_request(place: Place) -> None:
    place.harvest()
    work()
    modified = place.dataset["metadata_modified"]
    tick()  # prunes, once an hour
    place.new_requests()
    with statements("ukharvest_link") as sent:
        assert place.harvest() == {"not modified": 1}
        for _ in range(3):
            tick()
    assert len(sent) == 2  # by the first tick after the run
    assert place.new_requests() == []
    assert queued() == []
    assert place.dataset["metadata_modified"] == modified


def test_service_link_is_checked_again_after_a_month(
    place: Place, move: Callable[[float], None]
) -> None:
    place.harvest()
    work()
    modified = place.dataset["metadata_modified"]
    place.serve_wms("rivers")
    place.new_requests()
    move(29)
    assert not link_results.is_link_due()
    tick()
    move(2)
    tick()
    assert len(queued()) == 1
    work()
    assert [layer["name"] for layer in place.link()["layers"]] == ["rivers"]
    assert place.new_requests() != []
    assert place.dataset["metadata_modified"] == modified
    assert not link_results.is_link_due()


def test_temporary_link_fault_is_tried_again(place: Place, move: Callable[[float], None]) -> None:
    place.publisher.serve(RIVERS, "busy", status=503)
    place.harvest()
    work()
    assert place.formats == [""]
    assert place.link()["why"]
    for days in (1, 2):  # each pause is twice the last
        assert not link_results.is_link_due()
        move(days - 0.5)
        assert not link_results.is_link_due()
        move(0.6)
        assert link_results.is_link_due()
        work()
    move(5)
    place.serve_wms("rivers")
    work()
    assert place.formats == ["WMS"]
    move(31)
    place.publisher.serve(RIVERS, "busy", status=503)
    work()
    assert place.link()["format"] == "WMS"
    assert place.link()["why"]
    assert place.formats == ["WMS"]


def test_a_silent_server_is_left_alone_for_the_rest_of_the_job(place: Place) -> None:
    paths = [f"/silent/{number}" for number in range(6)]
    for path in paths:
        place.publisher.serve(path, "busy", status=503)
    place.publish(*paths)
    place.harvest()
    work()
    asked = {path.partition("?")[0] for path in place.new_requests()}
    assert len(asked) == link_jobs.SILENT_AFTER
    assert not link_results.is_link_due()


def test_only_one_link_job_works_at_once(place: Place, cli: Any) -> None:
    place.harvest()
    with database.hold_alone(database.LINKS) as is_alone:
        assert is_alone
        work()
        refused = cli.invoke(ukharvest, ["links", "--check"])
    assert "already" in refused.output
    assert refused.exit_code == 1
    assert place.new_requests() == []
    work()
    assert place.formats == ["WMS"]


def test_a_job_ends_after_its_minutes_and_queues_another(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    monkeypatch.setattr(background, "LENGTH", -1.0)
    send = background._send

    def send_on() -> None:
        with database.hold_alone(database.LINKS) as is_alone:
            assert is_alone  # for an idle jobs worker that begins at once
        send()

    monkeypatch.setattr(background, "_send", send_on)
    work()
    assert place.new_requests() == []
    assert len(queued()) == 1


def test_a_database_that_is_away_ends_the_job_and_queues_none(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise sa.exc.OperationalError("SELECT 1", {}, Exception("gone"))

    place.harvest()
    monkeypatch.setattr(link_results, "save_link_results", away)
    work()
    assert queued() == []
    assert link_results.is_link_due()  # for the next tick


def test_a_redis_that_is_away_does_not_stop_the_tick(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise redis.ConnectionError("gone")

    place.harvest()
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "get_queue", away)
        assert sweeper.sweep() == ["enqueue_due failed; the portal's log says why"]
    call_action("job_clear")
    sweeper.sweep()
    assert len(queued()) == 1


def test_strange_urls_are_checked_once_without_passwords(place: Place) -> None:
    """Of resources that were added to a harvested dataset by hand."""
    no_web = ["javascript:alert(1)", "ftp://127.0.0.1/rivers"]
    strange = [
        "http://somebody:geheim@127.0.0.1/rivers",
        "HTTP://127.0.0.1:1/" + "long/" * 2000,
        "http://127.0.0.1:1/flüsse \u200b\u2028\x01?x=%00#%",
        "http://",
        "https://a..b/",
    ]
    place.harvest()
    work()
    place.add(*no_web)
    assert not link_results.is_link_due()
    place.add(*strange)
    work()
    assert not link_results.is_link_due()
    results = call_action("ukharvest_link_list", unknown=True)["results"]
    assert {row["url"] for row in results} == set(strange)
    for row in results:
        assert 20 < len(row["why"]) < 700
        assert "geheim" not in row["why"]


def test_the_portal_can_do_without(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tk.config, "ckanext.ukharvest.links.check", False)
    place.harvest()
    tick()
    work()
    assert queued() == place.new_requests() == []
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_link_check", id=place.dataset["id"])
