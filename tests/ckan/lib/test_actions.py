"""What visitors without a login can start: what each costs, and the limit on what costs much."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import redis
from ckan import model
from ckan.lib.redis import connect_to_redis
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from redis.backoff import NoBackoff
from redis.retry import Retry

from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib.pages import LIMITED_ACTIONS, LIMITED_PAGES
from tests.ckan.access import ALL
from tests.ckan.access_rows import TABLE, call
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, statements
from tests.ckan.routes import READ, filled
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

STARS, API = "/harvest/stars", "/api/3/action/ukharvest_stars_list?group_by=organization"
PUBLIC = sorted(route for route, who in READ.items() if who == ALL)
# Statements of the dearest page or action for everybody: a dataset's page of CKAN takes 30 to 40.
MOST = 60


@pytest.fixture
def limits(ckan_config: Any, monkeypatch: pytest.MonkeyPatch, clean: None) -> None:
    """Three requests a minute for a visitor, seven for all."""
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.visitors.per_minute", 3)
    monkeypatch.setattr(action_tools, "OF_ALL", 7)
    forget()


def forget() -> None:
    """Do what a minute does."""
    for key in connect_to_redis().scan_iter(f"{http_client.redis_key('visitor')}*"):
        connect_to_redis().delete(key)


def get(app: CKANTestApp, url: str, address: str = "192.0.2.1", **more: Any) -> Any:
    model.Session.remove()
    return app.get(url, environ_overrides={"REMOTE_ADDR": address}, **more)


@pytest.mark.parametrize("size", [1, 3, 6, 7, 100])
def test_all_pages_of_a_list_are_collected(size: int) -> None:
    asked: list[int] = []

    def ask(offset: int) -> dict[str, Any]:
        asked.append(offset)
        return {"count": 7, "results": [*range(7)][offset : offset + size]}

    assert action_tools.collect_pages(ask) == [*range(7)]
    assert asked == [*range(0, 7, size)]


def test_list_that_became_shorter_meanwhile_ends() -> None:
    assert action_tools.collect_pages(lambda _offset: {"count": 7, "results": []}) == []


def test_visitor_over_the_limit_waits_a_minute(app: CKANTestApp, limits: None) -> None:
    for url in (STARS, f"{STARS}.csv", API):
        assert get(app, url).status_code == 200
    refused = get(app, STARS)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert refused.body == "Too many requests. Wait a minute, or log in."
    assert "no-cache" in refused.headers["Cache-Control"]
    by_api = get(app, API)
    assert (by_api.status_code, by_api.headers["Retry-After"]) == (429, "60")
    assert by_api.json == {
        "success": False,
        "error": {"__type": "Too Many Requests", "message": refused.body},
    }
    counters = [*connect_to_redis().scan_iter(f"{http_client.redis_key('visitor')}*")]
    assert len(counters) == 2
    assert all(0 < connect_to_redis().ttl(key) <= action_tools.PERIOD for key in counters)
    assert get(app, STARS, "192.0.2.2").status_code == 200
    assert get(app, "/harvest/help").status_code == 200
    forget()
    assert get(app, STARS).status_code == 200


def test_limits_count_networks_and_everybody_but_no_users(app: CKANTestApp, limits: None) -> None:
    headers = {"Authorization": factories.UserWithToken()["token"]}
    assert {get(app, STARS, headers=headers).status_code for _ in range(5)} == {200}
    ended = {"Authorization": "0123456789"}
    assert [get(app, STARS, headers=ended).status_code for _ in range(4)] == [200] * 3 + [429]
    forget()
    answers = [get(app, STARS, f"192.0.2.{number}").status_code for number in range(8)]
    assert answers == [200] * 7 + [429], "all visitors together"
    forget()
    answers = [get(app, STARS, f"2001:db8:0:1::{number}").status_code for number in range(1, 5)]
    assert answers == [200] * 3 + [429], "a network of IPv6"
    assert get(app, STARS, "2001:db8:0:2::1").status_code == 200


def test_zero_is_no_limit(
    app: CKANTestApp, limits: None, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.visitors.per_minute", 0)
    assert {get(app, STARS).status_code for _ in range(9)} == {200}


def test_visitor_limit_is_off_without_redis(
    app: CKANTestApp,
    limits: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    away = redis.Redis(port=9, retry=Retry(NoBackoff(), 0))  # where nothing listens
    monkeypatch.setattr(http_client, "connect_to_redis", lambda: away)
    caplog.set_level(logging.WARNING)
    assert {get(app, STARS).status_code for _ in range(5)} == {200}
    assert "Redis does not count visitor" in caplog.text


def test_every_limited_route_exists_and_is_public(app: CKANTestApp) -> None:
    rules = {rule.endpoint: rule.rule for rule in app.flask_app.url_map.iter_rules()}
    exported = "/catalogue/export/<name>"  # for everybody once something is exported
    assert {rules[endpoint] for endpoint in LIMITED_PAGES} <= {*PUBLIC, exported}
    assert {row.action for row in TABLE if row.who == ALL} >= LIMITED_ACTIONS


def test_public_requests_cost_a_fixed_number_of_statements(
    app: CKANTestApp, portal: Portal, publisher: Publisher, place: dict[str, str]
) -> None:
    """The same number of statements with 3 datasets and with 23, and few of them."""
    rows = [row for row in TABLE if row.who == ALL]
    costs: list[dict[str, int]] = []
    for number in (0, 20):
        if number:
            publisher.serve("/more.json", catalogue(number))
            portal.run(portal.source(publisher.url("/more.json"), name="more"))
        found: dict[str, int] = {}
        for _ in range(2):  # the first request fills caches
            for route in PUBLIC:
                with statements() as sent:
                    assert get(app, filled(route, place), follow_redirects=False).status_code < 400
                found[route] = len(sent)
            for row in rows:
                with statements() as sent:
                    assert call(app, row, place, {}).status_code == 200
                found[f"{row.action} {row.given}"] = len(sent)
        costs.append(found)
    few, many = costs
    assert len(few) > 30
    assert {name: cost for name, cost in many.items() if cost > MOST} == {}
    grown = {name: (few[name], many[name]) for name in few if many[name] > few[name] + 3}
    assert grown == {}
