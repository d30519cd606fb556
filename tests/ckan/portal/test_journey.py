"""A publisher's way through the portal: a wrong URL, a test, a first run, a fault, a decision.

With real consumers, a real jobs worker and a browser; the test plays cron.
"""

from __future__ import annotations

import base64
import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ckan.plugins import load_all
from ckan.tests import factories

from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, tick
from tests.ckan.processes import Process
from tests.publisher import Publisher

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATH = "/data.json"
PASSWORD = "correct horse battery"
MINUTE = 60_000  # milliseconds
LEEDS = "-1.8,53.7,-1.3,53.9"
INI = configparser.RawConfigParser()
INI.read(Path(__file__).parents[3] / "test.ini", "utf-8")
PLUGINS = INI["app:main"]["ckan.plugins"]
THEME = "vocab_ukharvest_theme"
# One pixel; a portal's tiles come from a server of maps.
TILE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.fixture
def editor(organization: dict[str, str]) -> dict[str, Any]:
    user = factories.User(password=PASSWORD, image_url="")
    members = [{"name": user["name"], "capacity": "admin"}]
    act("organization_patch", id=organization["id"], users=members)
    return dict(user)


@pytest.fixture
def background_worker(ini: str, clean: None) -> Iterator[None]:
    act("job_clear")
    process = Process(["-c", ini, "jobs", "worker"])
    yield
    process.terminate()
    process.wait(30)


def trees(publisher: Publisher, count: int) -> dict[str, Any]:
    """Serve the files of some datasets, and return their catalogue."""
    for number in range(count):
        publisher.serve(f"/trees-{number}.csv", "species,height\nOak,12\n")
    table = {"title": "Table", "format": "CSV"}
    return catalogue(
        dataset(
            number,
            title=f"Trees of Leeds {number}",
            theme=["Environment"],
            spatial=LEEDS,
            distribution=[{**table, "downloadURL": publisher.url(f"/trees-{number}.csv")}],
        )
        for number in range(count)
    )


def log_in(page: Page, user: dict[str, Any]) -> None:
    page.goto("/user/login")
    page.fill("#field-login", user["name"])
    page.fill("#field-password", PASSWORD)
    page.get_by_role("button", name="Login").click()
    page.wait_for_url("**/dashboard/**")


def add_source(page: Page, publisher: Publisher) -> None:
    """Test a wrong URL of the right site, go on with the one that was found, and save."""
    page.get_by_role("link", name="Harvesting", exact=True).click()
    page.get_by_role("link", name="Add a harvest source").first.click()
    page.get_by_label("URL", exact=True).fill(publisher.url("/wrong.json"))
    page.get_by_role("button", name="Test", exact=True).click()
    page.wait_for_selector("#ukharvest-preview >> text=Trees of Leeds 3", timeout=MINUTE)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Title", exact=True).fill("Trees of the north")
    page.get_by_role("button", name="Save and start").click()
    page.wait_for_url("**/harvest/trees-of-the-north")


def draw_a_box(page: Page) -> None:
    """Draw most of the British Isles on the map of the search, and apply it."""
    page.get_by_title("Draw an extent").click()
    area = page.locator("#draw-map-container").bounding_box()
    assert area
    left, top, width, height = area["x"], area["y"], area["width"], area["height"]
    page.mouse.move(left + width / 5, top + height / 5)
    page.mouse.down()
    page.mouse.move(left + width * 4 / 5, top + height * 4 / 5, steps=5)
    page.mouse.up()
    page.locator(".modal .apply:not(.disabled)").click()


def wait_for(page: Page, words: str) -> None:
    """Wait without reloading the page, while cron runs."""
    for _tick in range(60):
        tick()
        if page.locator(f"text={words}").count():
            return
        page.wait_for_timeout(1000)
    raise AssertionError(f"{words!r} did not come: {page.inner_text('[role=main]')[:800]}")


def refresh(page: Page, words: str) -> None:
    page.goto("/harvest/trees-of-the-north")
    page.get_by_role("button", name="Run now").click()
    page.wait_for_selector("text=Run requested")
    wait_for(page, words)


@pytest.fixture
def plugins_again(ckan_config: dict[str, Any], plugins: list[str]) -> Iterator[None]:
    """Unload the test's plugins, which CKAN otherwise keeps until others are loaded."""
    yield
    ckan_config["ckan.plugins"] = plugins
    load_all()


@pytest.mark.usefixtures("plugins_again")
@pytest.mark.ckan_config("ckan.plugins", f"{PLUGINS} spatial_metadata spatial_query")
@pytest.mark.ckan_config("ckanext.spatial.common_map.type", "custom")
@pytest.mark.ckan_config("ckanext.spatial.common_map.custom.url", "/tiles/{z}/{x}/{y}.png")
def test_from_a_wrong_address_to_a_decision(
    portal: Portal,
    visitor: Visitor,
    background_worker: None,
    editor: dict[str, Any],
    publisher: Publisher,
) -> None:
    publisher.serve(PATH, trees(publisher, 20))
    page = visitor.page
    page.route("**/tiles/**", lambda tile: tile.fulfill(body=TILE, content_type="image/png"))
    log_in(page, editor)
    add_source(page, publisher)
    wait_for(page, "Healthy")
    visitor.picture("journey-all-good")
    page.get_by_role("link", name="Datasets", exact=True).last.click()
    page.locator(".dataset-heading a", has_text="Trees of Leeds 7").click()
    page.wait_for_selector("text=Harvest GUID")
    assert page.locator("svg[role=img]").count()
    page.goto("/dataset/")
    page.locator(
        f".facet-shallow a[href*='{THEME}=Environment'], .filters a[href*='{THEME}=Environment']"
    ).first.click()
    page.wait_for_url(f"**{THEME}=Environment**")
    page.wait_for_selector("text=20 datasets found")
    draw_a_box(page)
    page.wait_for_url("**ext_bbox=-**")
    page.wait_for_selector("text=20 datasets found")
    visitor.picture("journey-found-on-the-map")
    page.get_by_label("Near or in").fill("Penzance")
    page.keyboard.press("Enter")
    # Not for the URL: on a busy machine the page of the box is still being loaded.
    page.wait_for_selector("text=No datasets found")
    assert "ext_place=Penzance" in page.url
    assert "ext_bbox" not in page.url
    assert f"{THEME}=Environment" in page.url
    publisher.fail(PATH, 404, times=99)
    refresh(page, "Failing")
    visitor.picture("journey-failed")
    publisher.recover()
    publisher.serve(PATH, trees(publisher, 2))
    for words in ("18 of 20", "would be deleted"):
        refresh(page, words)
    visitor.picture("journey-held")
    page.get_by_role("link", name=re.compile("^Review the")).click()
    page.get_by_label("Delete 18 datasets").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Delete 18 datasets").click()
    page.wait_for_selector("text=18 datasets")
    assert len(portal.datasets()) == 2
    assert visitor.errors == []
