"""A dataset's page and lists of datasets in a browser, at both widths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ckan.tests import factories
from playwright.sync_api import expect

from tests.ckan.browser import NARROW, Visitor
from tests.ckan.harvesting import Portal
from tests.publisher import recorded

pytestmark = pytest.mark.in_process


@pytest.fixture
def organization() -> dict[str, str]:
    """An organisation without a picture, which factories load from another host."""
    found: dict[str, str] = factories.Organization(image_url="")
    return found


@pytest.fixture
def paths(portal: Portal) -> Iterator[dict[str, Any]]:
    """Return the paths for a dataset of a complete GEMINI record."""
    with recorded("gemini-2.3") as publisher:
        portal.run(portal.source(publisher.url("/record.xml"), "gemini-single"))
        [shown] = portal.datasets()
        yield shown


def test_parts_follow_each_other_on_a_phone(visitor: Visitor, paths: dict[str, Any]) -> None:
    address = f"/dataset/{paths['name']}"
    visitor.page.set_viewport_size(NARROW)
    visitor.page.goto(address)
    tops = [
        visitor.page.locator(each).first.bounding_box()["y"]  # type: ignore[index]
        for each in (
            ".primary h1",
            ".ukharvest-stars",
            ".resource-item",
            ".ukharvest-area",
            "aside h2",
        )
    ]
    assert tops == sorted(tops)
    assert tops[0] < 400


def test_without_scripts_everything_is_there(
    chromium_process: Any, site: str, paths: dict[str, Any]
) -> None:
    context = chromium_process.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/dataset/{paths['name']}")
    expect(page.locator(".ukharvest-extent svg")).to_be_visible()
    expect(page.locator(".ukharvest-direct")).to_have_count(2)
    expect(page.locator(".ukharvest-direct").first).to_be_visible()
    expect(page.get_by_text("Every 6 months")).to_be_visible()
    context.close()
