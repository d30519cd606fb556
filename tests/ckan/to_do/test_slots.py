"""What there is to do, in the header and on the dashboards."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.doctor.dashboards import headers
from tests.ckan.harvesting import Portal, act, statements
from tests.ckan.people import person
from tests.ckan.sources.many_sources import many
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

TITLE = "<b>Parking</b> & more"


@pytest.fixture
def failing(portal: Portal, publisher: Publisher) -> str:
    """A source that cannot be read."""
    publisher.serve("/data.json", b"", status=404)
    made = portal.source(publisher.url("/data.json"), name="parking")
    portal.run(made)
    return made


def words(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_the_header_counts_what_is_to_do(
    app: CKANTestApp, failing: str, editor: dict[str, Any], organization: dict[str, str]
) -> None:
    act("package_patch", id=failing, title=TITLE)
    page = app.get("/about", headers=editor["headers"]).body
    assert "Harvesting 1 To do" in words(page)
    assert 'href="/harvest/"' in page  # without scripts
    own = organization["name"]
    (menu,) = html.fromstring(page).xpath(
        "//ul[@class='dropdown-menu'][.//a[@href='/harvest/add']]"
    )
    links = ("to-do", f"?organization={own}", "parking", "", "add")
    assert menu.xpath(".//a/@href") == [f"/harvest/{link}" for link in links]
    assert menu.xpath("string(.//a[@href='/harvest/parking'])") == TITLE
    assert menu.xpath("./following-sibling::noscript//a/@href") == menu.xpath(".//a/@href")
    assert "dropdown-menu" not in app.get("/about", headers=person()["headers"]).body


def test_the_menu_has_few_lines_where_sources_are_many(
    app: CKANTestApp, portal: Portal, editor: dict[str, Any], organization: dict[str, str]
) -> None:
    many(11, portal.organization_id)
    page = html.fromstring(app.get("/about", headers=editor["headers"]).body)
    assert page.xpath("//ul[@class='dropdown-menu']//a[contains(@href, '/harvest/?org')]")
    assert not page.xpath("//ul[@class='dropdown-menu']//a[contains(@class, 'ps-5')]")


def test_visitors_cost_no_statement(app: CKANTestApp, failing: str, editor: Any) -> None:
    def cost(**more: Any) -> int:
        app.get("/about", **more)
        with statements() as sent:
            app.get("/about", **more)
        return len([each for each in sent if "ukharvest" in each])

    assert cost() == 0
    assert cost(headers=editor["headers"]) == 1


def test_dashboards_begin_with_what_is_to_do(
    app: CKANTestApp, failing: str, editor: dict[str, Any]
) -> None:
    page = app.get("/dashboard/datasets", headers=editor["headers"]).body
    assert "To do (1)" in words(page)
    assert page.index("Failing: ") < page.index("You haven")
    page = app.get("/ckan-admin/ukharvest", headers=headers(factories.Sysadmin())).body
    assert page.index("Failing: ") < page.index("Consumers and workers")
    assert "Source 1</a>" in page


def test_pages_open_where_the_tables_are_old(
    app: CKANTestApp, failing: str, editor: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_status, "TO_DO", "SELECT * FROM ukharvest_not_made")
    page = app.get("/about", headers=editor["headers"], status=200).body
    assert ">Harvesting</a>" in page
    assert "dropdown-menu" not in page
