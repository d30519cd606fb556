"""Parts of dataset pages and lists besides fields: stars, people, files, places."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.model import DatasetTheme
from tests.ckan.catalogues import catalogue
from tests.ckan.datasets.dataset_pages import BOX, made, rows
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, statements
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import recorded

pytestmark = pytest.mark.in_process

TILES = "ckanext.spatial.common_map.type"
CSV = "https://data.example/{}.csv"


def text_of(page: Any, path: str) -> str:
    found = html.fromstring(str(page.body)).xpath(path)
    return " ".join(" ".join(each.text_content() for each in found).split())


def by_class(name: str) -> str:
    return f"//*[contains(concat(' ', @class, ' '), ' {name} ')]"


@pytest.fixture
def paths(portal: Portal) -> dict[str, Any]:
    """Return the paths for a dataset of a complete GEMINI record."""
    with recorded("gemini-2.3") as publisher:
        portal.run(portal.source(publisher.url("/record.xml"), "gemini-single"))
    [shown] = portal.datasets()
    return shown


def test_the_page_of_a_gemini_record(app: CKANTestApp, paths: dict[str, Any]) -> None:
    address = f"/dataset/{paths['name']}"
    app.get(address)
    with statements() as sent:
        page = app.get(address)
    own = [each for each in sent if "ukharvest_" in each or "harvest_object" in each]
    # Once for its harvest, stars and theme, links, source record; twice for coupled datasets, and
    # for its wholes and parts.
    assert len(own) == 8, "\n".join(own)
    head = text_of(page, by_class("ukharvest-head"))
    assert "3 out of 5: Structured data in an open format" in head
    assert "UK Location data" in head
    assert "Provider Borchester City Council" in head
    assert "Borchester City Council (owner), paths@council.example" in head
    assert "Felpersham Maps (distributor), desk@maps.example" in head
    assert "paths@council.example" in text_of(page, by_class("ukharvest-contact"))
    assert text_of(page, by_class("ukharvest-resources") + "/h3") == "Data (1) Services (1)"
    area = text_of(page, by_class("ukharvest-area"))
    for part in ("Borchester", "52.05° N to 52.25° N", "2.15° W to 1.85° W"):
        assert part in area

    # Its additional information.
    found = rows(page.body)
    assert found["Frequency of update"] == "Every 6 months"
    assert (
        found["Dataset reference date"] == "Created 1954; published April 2013; revised 30 May 2024"
    )
    assert found["Spatial reference system"] == "OSGB36 / British National Grid (EPSG:27700)"
    assert found["Metadata date"] == "31 May 2024, 10:15"
    assert found["Resource type"] == "Dataset"
    assert found["Metadata language"] == "English"
    assert found["Temporal extent"] == "from 1954"
    # Each fact once: where it was harvested is in its own box, people are above and beside.
    box = text_of(page, by_class("ukharvest-box"))
    for part in ("/record.xml", "5f3a1c52-70d6-4f0c-9a3e-1f2f6f0c7a11", "+0545", "Source record"):
        assert part in box
    assert "Next check" not in box
    twice = {"Harvest URL", "Harvest GUID", "Harvest date", "Provider", "Responsible party"}
    assert not {*twice, "Contact", "Publisher", "Extent"} & found.keys()
    order = list(found)
    wanted = ["Frequency of update", "Theme", "Temporal extent", "Added to this site"]
    # Folded:
    wanted += ["Metadata date", "Spatial reference system", "Dataset reference date"]
    wanted += ["Limitations on public access", "Resource type", "Metadata language"]
    wanted += ["First issued"]
    assert [each for each in order if each in wanted] == wanted
    for part in ('["', "[{", "&#34;", "eng<", "harvest_object_id", "import_source"):
        assert part not in page.body


def test_a_suggested_theme_says_why(app: CKANTestApp) -> None:
    address = made({"theme-primary": "Crime"})
    found = model.Package.get(address.rpartition("/")[2])
    reasons = [["words", "police", "title", 6]]
    ranking = [{"theme": "Crime", "score": 6, "reasons": reasons}]
    row = {"theme": "Crime", "theme_origin": themes.WORDS, "themes": ranking}
    dataset_rows.save_own_rows(DatasetTheme, [{"package_id": found.id, **row}])
    page = app.get(address)
    assert rows(page.body)["Theme"] == "Crime & Justice (suggested: Title: “police”)"
    assert "Crime" not in text_of(page, by_class("ukharvest-head"))


def test_stars_of_other_datasets_and_of_their_files(app: CKANTestApp) -> None:
    resources = [
        {"name": "Sites", "url": CSV.format(1), "format": "CSV"},
        {"name": "Sites, printed", "url": "https://data.example/1.pdf", "format": "PDF"},
        {"name": "Map", "url": "https://data.example/ows", "format": "WMS"},
        {"name": "Bad", "url": "javascript:alert(1)"},
    ]
    shown = factories.Dataset(license_id="cc-by", resources=resources)
    page = app.get(f"/dataset/{shown['name']}")
    assert "3 out of 5" in text_of(page, by_class("ukharvest-stars"))
    lines = [
        " ".join(resource.text_content().split())
        for resource in html.fromstring(page.body).xpath(by_class("ukharvest-resource"))
    ]
    assert lines[0].startswith("3 out of 5")
    assert lines[0].endswith("Go to file: Sites")
    [printed] = [line for line in lines if line.endswith("Go to file: Sites, printed")]
    assert printed.startswith("1 out of 5")
    assert [line for line in lines if line.endswith("Open service: Map")]
    assert 'href="javascript' not in page.body.replace(" ", "")
    assert "Area covered" not in page.body


def test_dated_files_are_a_time_series(app: CKANTestApp) -> None:
    dates = ("2024-01", "2026-03", "2026-01", "2025")
    resources = [{"name": date, "url": CSV.format(date), "date": date} for date in dates]
    shown = factories.Dataset(resources=resources)
    page = app.get(f"/dataset/{shown['name']}")
    assert text_of(page, by_class("ukharvest-year") + "/summary") == "2026 (2) 2025 (1) 2024 (1)"
    [opened] = html.fromstring(page.body).xpath("//details[@open]")
    assert len(opened.xpath(".//li[@data-id]")) == 2


def test_a_dataset_without_files_says_so(app: CKANTestApp) -> None:
    for extras in ({"import_source": "harvest"}, {"mine": "1"}):
        assert "This dataset has no data" in app.get(made(extras)).body


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"licence": "Ask us", "licence_url": "https://a.example/terms"}, "Ask us"),
        ({"rights": "All rights reserved"}, "All rights reserved"),
        ({"licence_url": "javascript:alert(1)"}, "No License Provided"),
    ],
)
def test_a_licence_in_the_sources_words(
    app: CKANTestApp, facts: dict[str, str], expected: str
) -> None:
    extras = [{"key": key, "value": value} for key, value in facts.items()]
    extras.append({"key": "import_source", "value": "harvest"})
    shown = factories.Dataset(extras=extras, license_id="")
    assert expected in text_of(app.get(f"/dataset/{shown['name']}"), by_class("license"))


def test_location_data_says_what_is_missing(app: CKANTestApp) -> None:
    found = rows(app.get(made({"import_source": "harvest", "UKLP": "True"})).body)
    assert found["Spatial reference system"] == "Not in the source record"
    assert "Harvest URL" not in found


def test_extras_without_a_label_are_folded(app: CKANTestApp) -> None:
    facts = {"import_source": "harvest", "zebra_crossings": '{"a": [1, 2]}', "lineage": "Old."}
    page = app.get(made(facts))
    others = text_of(page, by_class("ukharvest-others"))
    assert others.startswith("More (2)")
    assert "Zebra crossings a: 12" in others
    assert "Lineage Old." in others


def test_a_name_alone_is_a_place_without_a_map(app: CKANTestApp) -> None:
    url = "http://statistics.data.gov.uk/id/statistical-geography/E06000031"
    facts = {"spatial-text": "Peterborough", "spatial_uri": url, "import_source": "harvest"}
    page = app.get(made(facts))
    area = html.fromstring(page.body).xpath(by_class("ukharvest-area"))[0]
    assert "Peterborough" in area.text_content()
    assert area.xpath(".//a/@href") == [url]
    assert not area.xpath(".//svg")


def test_lists_have_stars_and_source_in_one_statement(
    ready_source: SourceMaker, app: CKANTestApp
) -> None:
    ready_source("/data.json", catalogue(4))
    factories.Dataset(title="By hand", resources=[{"url": CSV.format(1), "format": "CSV"}])
    app.get("/dataset/")
    with statements("ukharvest_stars") as sent:
        page = app.get("/dataset/")
    assert len(sent) == 1, sent
    found = html.fromstring(page.body).xpath(by_class("ukharvest-listed"))
    assert len(found) == 5
    words = [" ".join(each.text_content().split()) for each in found]
    assert len([each for each in words if "Harvested from Source 1," in each]) == 4
    assert all("out of 5" in each for each in words)


@pytest.mark.parametrize("is_on", [True, False])
def test_phones_have_the_dataset_first_if_the_portal_wants(
    app: CKANTestApp, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, is_on: bool
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.phone_order", is_on)
    page = app.get(made({"mine": "1"})).body
    assert ("wrapper ukharvest-page" in page) == is_on


def test_a_detailed_map_needs_the_plugin_that_draws_it(
    app: CKANTestApp, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, TILES, "custom")
    address = made({"import_source": "harvest", "spatial": BOX})
    assert "Show on a detailed map" not in app.get(f"{address}?detailed_map=1").body


@pytest.fixture
def tiles(plugins: None) -> Iterator[None]:
    with portal_with("", "spatial_metadata", **{TILES: "custom"}):
        yield


def test_tiles_come_when_they_are_asked_for(
    tiles: None, make_app: Callable[[], CKANTestApp]
) -> None:
    address, app = made({"import_source": "harvest", "spatial": BOX}), make_app()
    page = app.get(address).body
    assert "Show on a detailed map" in page
    assert 'data-module="dataset-map"' not in page
    page = app.get(f"{address}?detailed_map=1").body
    assert 'data-module="dataset-map"' in page
    assert "Show on a detailed map" not in page


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [-1.26, 51.75]},
        {"type": "Polygon", "coordinates": [[[-3, 53], [-2, 54], [-1, 53], [-3, 53]]]},
        {"type": "MultiPoint", "coordinates": [[1, 51], [2, 52]]},
        {"type": "MultiPoint", "coordinates": [[n / 10, 51] for n in range(40)]},
        {
            "type": "Polygon",
            "coordinates": [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]],
        },
        {
            "type": "Polygon",
            "coordinates": [[[177, -20], [-178, -20], [-178, -12], [177, -12], [177, -20]]],
        },
        {"type": "Polygon", "coordinates": [[[-10, 80], [10, 80], [10, 90], [-10, 90], [-10, 80]]]},
    ],
)
def test_each_kind_of_extent_has_a_map_and_words(app: CKANTestApp, geometry: Any) -> None:
    page = app.get(made({"import_source": "harvest", "spatial": json.dumps(geometry)}))
    [area] = html.fromstring(page.body).xpath(by_class("ukharvest-area"))
    assert len(area.xpath(".//*[local-name()='svg']")) == 1
    assert "°" in area.text_content() or "The whole world" in area.text_content()


@pytest.mark.parametrize(
    "coordinates", [[500, 1], [1, 500], ["<b>", 2]], ids=["east", "north", "markup"]
)
def test_an_impossible_place_has_no_map(app: CKANTestApp, coordinates: list[Any]) -> None:
    geometry = json.dumps({"type": "Point", "coordinates": coordinates})
    page = app.get(made({"import_source": "harvest", "spatial": geometry}))
    assert "Area covered" not in page.body
