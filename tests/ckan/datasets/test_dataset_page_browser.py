"""A dataset's page and lists of datasets in a browser, at both widths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ckan.tests import factories
from playwright.sync_api import expect

from tests.ckan import looks
from tests.ckan.browser import NARROW, Visitor
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher, recorded

pytestmark = pytest.mark.in_process

MAPS = {
    "box": {
        "type": "Polygon",
        "coordinates": [[[-9, 54], [0, 54], [0, 61], [-9, 61], [-9, 54]]],
    },
    "point": {"type": "Point", "coordinates": [-1.26, 51.75]},
    "several": {"type": "MultiPoint", "coordinates": [[1, 51], [-3, 53], [-4, 57]]},
    "date-line": {"type": "MultiPoint", "coordinates": [[177, -18], [-178, -17]]},
    "world": {
        "type": "Polygon",
        "coordinates": [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]],
    },
}


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


def test_a_gemini_record(visitor: Visitor, paths: dict[str, Any]) -> None:
    address = f"/dataset/{paths['name']}"
    looks.check(visitor, "dataset", address)
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


def test_a_list(visitor: Visitor, portal: Portal, publisher: Publisher) -> None:
    datasets = [{"identifier": str(n), "title": f"Dataset {n}"} for n in range(3)]
    publisher.serve("/data.json", {"dataset": datasets})
    portal.run(portal.source(publisher.url("/data.json")))
    looks.check(visitor, "dataset-list", "/dataset/")


def test_a_time_series_and_maps(visitor: Visitor) -> None:
    resources = [
        {"name": f"Spend in {year}-{month:02}", "date": f"{year}-{month:02}", "format": "CSV"}
        | {"url": f"https://data.example/{year}-{month}.csv"}
        for year in (2024, 2025, 2026)
        for month in (1, 2)
    ]
    shown = factories.Dataset(license_id="cc-by", resources=resources)
    pages = {"series": f"/dataset/{shown['name']}"}
    for name, geometry in MAPS.items():
        facts = {"import_source": "harvest", "spatial": json.dumps(geometry)}
        extras = [{"key": key, "value": value} for key, value in facts.items()]
        pages[f"map-{name}"] = f"/dataset/{factories.Dataset(extras=extras)['name']}"
    looks.check_all(visitor, "dataset", pages)
