"""The README's pictures: `bin/test tests/ckan/portal/test_readme_pictures.py --update` makes them.

Without `--update` the same pages are saved beside the tests' reports.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ckan.tests import factories

from ckanext.ukharvest.doctor import dashboard
from ckanext.ukharvest.harvest import http_client
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.doctor.findings import make_worker
from tests.ckan.harvesting import Portal, act
from tests.ckan.servers import browser as chromium
from tests.publisher import Publisher

if TYPE_CHECKING:  # only tests of pages start it
    from playwright.sync_api import Browser, ViewportSize

pytestmark = pytest.mark.in_process

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
NAMES = ("dataset", "source", "dashboard")
MOST_BYTES = 150_000
WINDOW: ViewportSize = {"width": 1200, "height": 1000}
# CKAN's textured backgrounds fill a PNG with noise.
PLAIN = "body, .masthead, .account-masthead, [role=main] { background-image: none !important; }"

PARKS = {
    "title": "Parks and open spaces",
    "description": "Every park and open space that the council looks after: name, size, facilities"
    " and opening times. Updated each spring after the annual survey.",
    "publisher": {"@type": "org:Organization", "name": "Wendshire Council"},
    "contactPoint": {"fn": "Parks team", "hasEmail": "mailto:parks@wendshire.example"},
    "keyword": ["parks", "open space", "leisure", "playgrounds"],
    "theme": ["Environment"],
    "accrualPeriodicity": "R/P1Y",
    "spatial": "-2.155,52.861,-1.873,53.042",
    "distribution": [
        {
            "@type": "dcat:Distribution",
            "title": f"{title} {year}",
            "downloadURL": f"https://data.wendshire.example/parks-{year}.{ending}",
            "mediaType": media_type,
        }
        for year in (2026, 2025)
        for title, ending, media_type in (
            ("Parks", "csv", "text/csv"),
            ("Outlines of parks", "geojson", "application/geo+json"),
        )
    ],
}
TITLES = ("Car parks", "Public toilets", "Bus stops", "Libraries", "Schools", "Allotments")


@pytest.fixture
def council(portal: Portal, publisher: Publisher) -> str:
    """A council's source after two runs; a few of its records have problems."""
    good = [dataset(number, title=title) for number, title in enumerate(TITLES)]
    bad = [
        dataset(10, title="Grit bins", license=""),
        dataset(11, title="Spending over £500", license="", modified="last week"),
        dataset(12, title="Street lights", contactPoint={}),
        dataset(13, title=""),
    ]
    publisher.serve("/data.json", catalogue([*good, *bad, dataset(20, **PARKS)]))
    source = portal.source(
        publisher.url("/data.json"),
        name="wendshire-council",
        frequency="DAILY",
    )
    act("harvest_source_patch", id=source, title="Wendshire open data")
    act(
        "organization_patch",
        id=portal.organization_id,
        title="Wendshire Council",
        description="The council of the county of Wendshire.",
    )
    portal.run(source)
    portal.run(source)
    return source


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


# Other tests of bin/test have these pages in a browser, so that the pictures are giants.
Camera = Callable[..., None]


@pytest.fixture
def camera(chromium_process: Browser, site: str, update: bool) -> Iterator[Camera]:
    """Save what a reader sees of a page without scrolling, at three quarters of its size."""
    context = chromium_process.new_context(base_url=site, viewport=WINDOW, device_scale_factor=0.75)
    page = context.new_page()

    def save(name: str, address: str, token: str = "") -> None:
        if token:
            context.set_extra_http_headers({"Authorization": token})
        page.goto(address)
        page.add_style_tag(content=PLAIN)
        page.evaluate("() => document.fonts.ready.then(() => null)")
        path = (FOLDER if update else chromium.pictures()) / f"{name}.png"
        page.screenshot(path=path)
        assert path.stat().st_size < MOST_BYTES

    yield save
    context.close()


@pytest.fixture
def token() -> str:
    """A sysadmin's token."""
    user: dict[str, Any] = factories.Sysadmin(image_url="", fullname="Sam Reed")
    return str(factories.APIToken(user=user["name"])["token"])


@pytest.mark.giant
def test_a_dataset(camera: Camera, portal: Portal, council: str) -> None:
    [parks] = [each for each in portal.datasets() if each["title"] == PARKS["title"]]
    camera("dataset", f"/dataset/{parks['name']}")


@pytest.mark.giant
def test_a_source_with_problems(camera: Camera, council: str, token: str) -> None:
    camera("source", "/harvest/wendshire-council", token)


@pytest.mark.giant
def test_the_dashboard(camera: Camera, council: str, token: str) -> None:
    for kind in ("gather", "fetch"):
        make_worker(kind, seen=dt.timedelta(seconds=4))
    http_client.delete_from_redis(dashboard.SNAPSHOT)
    camera("dashboard", "/ckan-admin/ukharvest", token)


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_has_its_picture(name: str) -> None:
    content = (FOLDER / f"{name}.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < MOST_BYTES
