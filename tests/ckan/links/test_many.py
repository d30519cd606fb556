"""Ten thousand resources on fifty hosts: their checks, budget and stars, counted a second time."""

from __future__ import annotations

import csv
import io
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest.model import Link
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.links import jobs as link_jobs
from ckanext.ukharvest.rendering.values import INDEXED
from ckanext.ukharvest.stars import jobs as stars_jobs
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan.harvesting import act
from tests.ckan.links.place import work
from tests.publisher import Publisher, Request, Response

pytestmark = [pytest.mark.in_process, pytest.mark.giant, pytest.mark.timeout(1500)]

HOSTS, DATASETS, EACH = 50, 500, 20
SLOW, REFUSING = range(5), range(45, 50)
TWO = range(2)  # hosts whose first requests wait for each other
BODY = b"a,b\n1,2\n3,4\n"
CLOSED = 1  # a port on which nothing listens


def host_of(dataset: int) -> int:
    return dataset // 10 % HOSTS


def is_dead(dataset: int) -> bool:
    """Tell whether a dataset's files are gone, one dataset of every fifth host that answers."""
    return dataset % 50 == 0 and host_of(dataset) not in REFUSING


class Hosts:
    """Fifty addresses of this machine: 40 quick ones, 5 slow ones, and 5 that refuse."""

    def __init__(self, publisher: Publisher) -> None:
        self.publisher = publisher
        self.most: Counter[str] = Counter()  # host → requests at the same time
        self.most_together = 0
        self._now: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._meet = threading.Barrier(2, timeout=300)
        publisher.respond = self._respond  # type: ignore[method-assign]

    def url(self, dataset: int, number: int) -> str:
        host = host_of(dataset)
        port = CLOSED if host in REFUSING else self.publisher.port
        return f"http://127.0.1.{host + 1}:{port}/{dataset}/{number}.csv"

    def _respond(self, request: Request) -> Response:
        host = str(request.headers["Host"])
        with self._lock:
            self.publisher.requests.append(request)
            self._now[host] += 1
            self.most[host] = max(self.most[host], self._now[host])
            self.most_together = max(self.most_together, sum(self._now.values()))
            is_first = self._seen[host] == 0
            self._seen[host] += 1
        dataset = int(request.path.split("/")[1])
        if is_first and host_of(dataset) in TWO:
            self._meet.wait()  # so that two hosts are asked together, if they ever are
        if host_of(dataset) in SLOW:
            time.sleep(0.02)
        with self._lock:
            self._now[host] -= 1
        if is_dead(dataset):
            return Response(b"not here", 404)
        return Response(BODY, headers={"Content-Type": "text/csv"})

    def asked(self) -> list[str]:
        """Return the URLs asked for since the last call."""
        found = [f"http://{each.headers['Host']}{each.path}" for each in self.publisher.requests]
        self.publisher.requests.clear()
        return found


@pytest.fixture
def hosts(clean: None) -> Iterator[Hosts]:
    with Publisher(host="0.0.0.0") as publisher:  # noqa: S104 - all addresses of the loopback
        made = Hosts(publisher)
        owner = factories.Organization(name="council")["id"]
        ids = [str(uuid.uuid4()) for _ in range(DATASETS)]
        common = {"owner_org": owner, "license_id": "uk-ogl"}
        packages = [
            {"id": id_, "name": f"d{n}", "title": f"D {n}", **common} for n, id_ in enumerate(ids)
        ]
        rows = [
            {"package_id": id_, "url": made.url(dataset, n), "format": "CSV", "position": n}
            for dataset, id_ in enumerate(ids)
            for n in range(EACH)
        ]
        # Not as objects, which CKAN would index at the commit too.
        model.Session.bulk_insert_mappings(model.Package, packages)
        model.Session.bulk_insert_mappings(model.Resource, rows)
        model.Session.commit()
        list(stars_jobs.score_all())
        model.Session.remove()
        yield made


def expected_states() -> dict[str, str]:
    """Return URL → state, by what the hosts do."""
    found = {}
    for dataset in range(DATASETS):
        state = "dead" if is_dead(dataset) else "works"
        found[dataset] = "away" if host_of(dataset) in REFUSING else state
    return {str(dataset): state for dataset, state in found.items()}


def test_ten_thousand_links(
    hosts: Hosts, move: Callable[[float], None], app: CKANTestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "LENGTH", 3600.0)
    refused, dead = len(REFUSING) * 10 * EACH, sum(map(is_dead, range(DATASETS))) * EACH
    work()
    first = hosts.asked()
    assert len(first) == len(set(first)) == DATASETS * EACH - refused
    spent = background.spent_today()
    # Three attempts at each host that refuses; the others of its links are left alone.
    tried = len(REFUSING) * 3
    assert (spent.requests, spent.links) == (len(first) + tried, len(first) + tried)
    assert spent.requests <= config.links_requests()
    # Each host gets one request at a time, and several hosts are asked together.
    assert set(hosts.most.values()) == {1}
    assert 1 < hosts.most_together <= link_jobs.AT_ONCE

    work()
    assert hosts.asked() == []  # nothing is due
    gone = {hosts.url(each, n) for each in range(DATASETS) if is_dead(each) for n in range(EACH)}
    for days in (1.1, 2.1, 4.1):
        move(days)
        work()
        asked = hosts.asked()
        assert (len(asked), set(asked)) == (dead, gone)  # only what is due
    move(8.1)
    work()
    assert hosts.asked() == []  # a dead link rests as long as one that works
    _assert_states(refused, dead)
    _assert_stars(app)


def _assert_states(refused: int, dead: int) -> None:
    states = expected_states()
    links = {link.url: link.state for link in model.Session.query(Link)}
    assert len(links) == DATASETS * EACH
    assert all(states[url.split("/")[3]] == state for url, state in links.items())
    works = DATASETS * EACH - refused - dead
    counts = {"": 0, "works": works, "failing": 0, "away": refused, "dead": dead}
    assert link_results.count_states() == counts
    for state in ("works", "away", "dead"):
        listed = call_action("ukharvest_link_list", state=state, limit=1)
        assert listed["count"] == counts[state]


def _assert_stars(app: CKANTestApp) -> None:
    """Compare the numbers of action, facet, page and CSV with a count of their own."""
    none = sum(map(is_dead, range(DATASETS)))
    wanted = [none, 0, 0, DATASETS - none, 0, 0]
    report = call_action("ukharvest_stars_list", group_by="organization")
    assert report["total"]["stars"] == wanted
    reasons = {each["code"]: each["datasets"] for each in report["total"]["reasons"]}
    assert reasons == {"dead-link": none, "format": DATASETS - none}
    found = act("package_search", **{"facet.field": [INDEXED["stars"]]})
    assert found["facets"][INDEXED["stars"]] == {"0": none, "3": DATASETS - none}
    assert _page_numbers(app.get("/harvest/stars").body) == wanted
    (row,) = csv.DictReader(io.StringIO(app.get("/harvest/stars.csv").body))
    assert [int(row[str(number)]) for number in range(6)] == wanted
    listed = csv.DictReader(io.StringIO(app.get("/harvest/stars.csv?organization=council").body))
    assert Counter(each["stars"] for each in listed) == {"0": none, "3": DATASETS - none}
    names = dict(model.Session.query(model.Package.id, model.Package.name))
    for each in model.Session.query(StarRating):
        dead = is_dead(int(names[each.package_id][1:]))
        assert (each.stars, each.stars_code) == ((0, "dead-link") if dead else (3, "format"))
        assert {row[1] for row in each.resources.values()} == {each.stars_code}


def _page_numbers(page: str) -> list[int]:
    (row,) = html.fromstring(page).xpath("//table[1]/tbody/tr")[:1]
    cells: list[Any] = row.xpath("./td[starts-with(@data-label, '')]")
    texts = {each.get("data-label"): each.text_content().strip() for each in cells}
    return [int(texts[f"{number} out of 5"].replace(",", "")) for number in range(6)]
