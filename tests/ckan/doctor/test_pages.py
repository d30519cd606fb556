"""Pages of the dashboard: in a browser, without a login, and metrics for Prometheus."""

from __future__ import annotations

import re

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from playwright.sync_api import expect

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import dashboard as snapshot
from ckanext.ukharvest.harvest import http_client
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.dashboards import PAGE, PATH, headers, stuck_run
from tests.ckan.doctor.findings import make_worker
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process
METRICS = "/ukharvest/metrics"


def test_there_are_no_metrics_without_a_token(app: CKANTestApp) -> None:
    assert app.get(METRICS, status=404)
    assert app.get(METRICS, params={"token": ""}, status=404)


@pytest.mark.ckan_config("ckanext.ukharvest.metrics.token", "let-me-in")
def test_metrics_as_prometheus_reads_them(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    assert config.metrics_token() == "let-me-in"
    publisher.serve(PATH, catalogue(2))
    portal.run(portal.source(publisher.url(PATH)))
    assert app.get(METRICS, status=404)
    assert app.get(METRICS, headers={"Authorization": "Bearer other"}, status=404)
    answer = app.get(METRICS, headers={"Authorization": "Bearer let-me-in"})
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    lines = answer.body.splitlines()
    sample = re.compile(r'ukharvest_[a-z_0-9]+(\{[a-z]+="[a-z_]+"\})? [0-9.e+-]+')
    assert all(line.startswith("# ") or sample.fullmatch(line) for line in lines)
    assert 'ukharvest_sources{health="healthy"} 1' in lines
    assert "ukharvest_day_changed_datasets 2" in lines
    assert app.get(METRICS, params={"token": "let-me-in"}, status=200)


def test_the_page_in_a_browser(visitor: Visitor, portal: Portal, publisher: Publisher) -> None:
    visitor.page.context.set_extra_http_headers(headers(factories.Sysadmin(image_url="")))
    looks.check(visitor, "dashboard-empty", PAGE)
    publisher.serve("/good.json", catalogue(3))
    portal.run(portal.source(publisher.url("/good.json"), name="good"))
    stuck_run(portal, publisher)
    make_worker("gather", busy_with="x")
    http_client.delete_from_redis(snapshot.SNAPSHOT)
    looks.check(visitor, "diagnostics", f"{PAGE}/diagnostics")
    with visitor.page.expect_navigation():
        visitor.page.get_by_role("button", name="Check everything now").click()
    expect(visitor.page.get_by_text("All datasets were checked on")).to_be_visible()
    looks.check(visitor, "dashboard-full", PAGE)
    pause = visitor.page.get_by_role("button", name="Stop refreshing this page")
    pause.click()
    expect(visitor.page.get_by_role("button", name="Refresh this page again")).to_be_visible()
