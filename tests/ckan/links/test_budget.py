"""The daily budget of link checks, what waits beyond it, and the pace of hosts."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.link_states import LinkFault, LinkResult
from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.background import LinkDay
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.links import check as link_check
from ckanext.ukharvest.links import doctor as link_checks
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.links.jobs import Lanes
from tests.ckan.harvesting import tick
from tests.ckan.links.place import Place, queued, work

pytestmark = pytest.mark.in_process


@pytest.fixture(autouse=True)
def _noon(move: Callable[[float], None]) -> None:
    """It is noon in UTC: no test meets the end of a day by itself."""
    move(timedelta(hours=(12 - tables.utcnow().hour) % 24) / timedelta(days=1))


FILES = [f"/{number}.csv" for number in range(20)]
Set = Callable[[str, int], None]


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Set a limit of a day."""

    def set_(name: str, value: int) -> None:
        monkeypatch.setitem(tk.config, f"ckanext.ukharvest.links.{name}_per_day", value)

    return set_


@pytest.fixture
def files(place: Place) -> Place:
    """A place whose dataset has twenty tables."""
    for path in FILES:
        place.publisher.serve(path, "a,b\n1,2\n")
    place.publish(*FILES)
    place.harvest()
    place.new_requests()
    return place


def test_links_beyond_the_daily_budget_wait(
    files: Place, limit: Set, move: Callable[[float], None], cli: Any
) -> None:
    limit("requests", 12)
    work()
    asked = files.new_requests()
    assert 12 - link_check.MOST_REQUESTS < len(asked) <= 12
    assert background.spent_today() == background.Spent(len(asked), 8 * len(asked), len(asked))
    assert link_results.is_link_due()
    work()
    tick()
    assert (files.new_requests(), queued()) == ([], [])
    waiting = 20 - len(asked)
    assert link_results.count_due_links() == waiting
    found = link_jobs.load_figures()
    assert (found["waiting"], found["requests"]) == (waiting, len(asked))
    output = cli.invoke(ukharvest, ["links", "--check"]).output
    assert "Checked 0 links" in output
    assert f"Today: {len(asked)} of 12 requests, 0 of 1,000 MB, for {len(asked)} links." in output
    assert f"{waiting} links wait to be checked." in output
    assert cli.invoke(ukharvest, ["links", "--backlog"]).output in output
    move(1)
    for _ in range(3):
        work()
        move(1)
    assert len(files.new_requests()) == waiting
    assert not link_results.is_link_due()


def test_bytes_count_too(files: Place, limit: Set) -> None:
    limit("megabytes", 1)
    model.Session.add(LinkDay(day=tables.utcnow().date(), received=1_000_000))
    model.Session.commit()
    work()
    assert files.new_requests() == []
    limit("megabytes", 0)
    work()
    assert len(files.new_requests()) == 20


def test_redirects_count_as_requests(place: Place) -> None:
    place.publisher.serve("/b.csv", "a,b\n1,2\n")
    place.publisher.redirect("/a.csv", "/b.csv")
    place.publish("/a.csv")
    place.harvest()
    work()
    assert background.spent_today() == background.Spent(2, 8, 1)


def test_old_days_are_forgotten(clean: None, move: Callable[[float], None]) -> None:
    background.note_spent(1, 1)
    model.Session.commit()
    move(background.KEPT + 1)
    background.note_spent(1, 1)
    background.forget_old_days()
    assert model.Session.query(LinkDay).count() == 1


def test_doctor_and_dashboard_name_the_link_budget(
    files: Place, limit: Set, app: CKANTestApp
) -> None:
    limit("requests", 12)
    work()
    done = len(files.new_requests())
    (finding,) = link_checks.waiting_links()
    assert finding.level == "info"
    assert f"{20 - done} links wait to be checked." in finding.message
    token = {"Authorization": factories.SysadminWithToken()["token"]}
    shown = call_action("ukharvest_dashboard_show")["links"]
    assert shown["waiting"] == 20 - done
    assert shown["states"] == {
        "unchecked": 20 - done,
        "works": done,
        "failing": 0,
        "away": 0,
        "dead": 0,
    }
    page = app.get("/ckan-admin/ukharvest/diagnostics", headers=token).body
    for text in (f"Due for a check: {20 - done}", f"Requests today: {done} / 12"):
        assert text in page


# The pace


class Clock:
    """A clock that only sleeping and checks move."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Client:
    """What lanes need of a client."""

    requests = received = 0
    limits = replace(link_check.LIMITS, delay=1.0)


def checked(lanes: Lanes, links: list[link_results.DueLink]) -> list[link_jobs.Checked]:
    return [each for ended in lanes.check(links, lambda _running: True) for each in ended]


def due(*urls: str) -> list[link_results.DueLink]:
    return [link_results.DueLink(url, "") for url in urls]


def test_a_host_gets_its_pause_and_a_slow_one_a_longer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, starts = Clock(), []

    def check(url: str, _client: Any, **_: Any) -> LinkResult:
        starts.append((url, clock.now))
        clock.now += 4 if "slow" in url else 0.25
        return LinkResult(url)

    monkeypatch.setattr(link_jobs, "time", clock)
    monkeypatch.setattr(link_check, "check_link", check)
    lanes = Lanes([Client()])  # type: ignore[list-item]
    links = due(*(f"http://{host}/{n}" for host in ("quick", "slow") for n in range(3)))
    assert len(checked(lanes, links)) == 6
    for host, pause in (("quick", 1), ("slow", 4)):
        times = [at for url, at in starts if host in url]
        took = 4 if host == "slow" else 0.25
        assert all(b - a >= pause + took for a, b in zip(times, times[1:], strict=False))


def test_hosts_are_asked_at_the_same_time_and_each_for_one_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock, running, most = threading.Lock(), Counter[str](), Counter[str]()
    meet = threading.Barrier(3, timeout=300)

    def check(url: str, _client: Any, **_: Any) -> LinkResult:
        host = url.split("/")[2]
        with lock:
            running[host] += 1
            most[host] = max(most[host], running[host])
        meet.wait()  # until one of each host is under way
        with lock:
            running[host] -= 1
        return LinkResult(url)

    monkeypatch.setattr(link_check, "check_link", check)
    clients = [Client() for _ in range(8)]
    for client in clients:
        client.limits = replace(Client.limits, delay=0.0)
    links = due(*(f"http://{host}/{n}" for host in "abc" for n in range(5)))
    found = checked(Lanes(clients), links)  # type: ignore[arg-type]
    assert (len(found), dict(most)) == (15, {"a": 1, "b": 1, "c": 1})


def test_a_host_that_fails_is_left_alone_and_the_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def check(url: str, _client: Any, **_: Any) -> LinkResult:
        asked.append(url)
        faults = {"away": LinkFault.TIMEOUT, "unknown": LinkFault.UNKNOWN_NAME}
        fault = faults.get(url.split("/")[2], LinkFault.NONE)
        return LinkResult(url, is_lasting=not fault, fault=fault)

    monkeypatch.setattr(link_check, "check_link", check)
    client = Client()
    client.limits = replace(Client.limits, delay=0.0)
    lanes = Lanes([client])  # type: ignore[list-item]
    links = due(*(f"http://{host}/{n}" for host in ("away", "there") for n in range(6)))
    found = checked(lanes, links)
    assert len(found) == 12
    assert Counter(each.result.fault for each in found) == {"timeout": 3, "not-asked": 3, "": 6}
    again = checked(lanes, due("http://away/7"))
    assert [each.result.fault for each in again] == ["not-asked"]
    assert len(asked) == 9
    unknown = checked(lanes, due(*(f"http://unknown/{n}" for n in range(6))))
    assert {each.result.fault for each in unknown} == {"unknown-name"}, "each has that"
    assert len(asked) == 12
