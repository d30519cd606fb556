"""A harvested dataset's page: readable facts, and a map of its extent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.model import DatasetTheme
from tests.ckan.datasets.dataset_pages import BOX, LINEAGE, made, rows
from tests.ckan.gemini_records import dataset, uuid
from tests.ckan.harvesting import Portal, act, extras
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def page_of(portal: Portal, publisher: Publisher, app: CKANTestApp, text: str) -> str:
    publisher.serve("/record.xml", text, headers={"Content-Type": "application/xml"})
    portal.run(portal.source(publisher.url("/record.xml"), "gemini-single"))
    [shown] = portal.datasets()
    return str(app.get(f"/dataset/{shown['name']}").body)


def test_national_grid_extent_is_shown_in_degrees(
    portal: Portal, publisher: Publisher, app: CKANTestApp
) -> None:
    text = dataset(uuid(1), box=(530000, 531000, 180000, 181000))
    page = page_of(portal, publisher, app, text)
    assert "51.5" in page.partition("Area covered")[2]
    geometry = json.loads(extras(portal.datasets()[0])["spatial"])
    for longitude, latitude in geometry["coordinates"][0]:
        assert -0.15 < longitude < -0.1
        assert 51.5 < latitude < 51.52


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        ({"url": "https://example.gov.uk/a/roads%202024.csv?x=1", "name": ""}, "roads 2024.csv"),
        ({"url": "http://Maps.example.gov.uk/ows", "description": None}, "maps.example.gov.uk"),
        ({"url": "https://example.gov.uk/roads.csv", "name": "Roads"}, "Roads"),
        ({"url": "https://example.gov.uk/roads.csv", "description": "All roads"}, "All roads"),
        ({"url": "http://[broken/roads.csv"}, "Unnamed resource"),
        ({"url": "roads.csv"}, "Unnamed resource"),
        ({}, "Unnamed resource"),
    ],
)
def test_a_file_without_a_title_has_its_own_name(
    app: CKANTestApp, resource: dict[str, Any], name: str
) -> None:
    with app.flask_app.test_request_context():
        assert tk.h.resource_display_name(resource) == name


@pytest.mark.parametrize("spatial", ["", "no geometry", "[1]", '{"type": "Point"}'])
def test_without_a_geometry_there_is_no_map(app: CKANTestApp, spatial: str) -> None:
    page = app.get(made({"import_source": "harvest", "spatial": spatial or "-"})).body
    assert "Area covered" not in page


def test_a_geometry_brings_no_markup_with_it(app: CKANTestApp) -> None:
    hostile = {**json.loads(BOX), "name": "<script>alert(1)</script>"}
    hostile["crs"] = {"properties": {"name": '"><script>alert(1)</script>'}}
    page = app.get(made({"import_source": "harvest", "spatial": json.dumps(hostile)})).body
    assert "Area covered" in page
    assert "<script>alert(1)" not in page


def test_other_datasets_look_as_ever(app: CKANTestApp) -> None:
    page = app.get(made({"topic-category": '["society"]', "spatial": BOX})).body
    assert "topic-category" in page
    assert "[&#34;society&#34;]" in page
    assert "Area covered" not in page


@pytest.mark.parametrize("more", [{}, {"import_source": "harvest"}], ids=["other", "harvested"])
def test_our_fields_are_labels_with_links(app: CKANTestApp, more: dict[str, str]) -> None:
    facts = {
        "la_service": "http://id.esd.org.uk/service/579 http://id.esd.org.uk/service/99999",
        "theme-primary": "Crime",
        "theme-secondary": '["Towns"]',
        "schema": '["http://schemas.opendata.esd.org.uk/PublicToilets"]',
        "update_frequency": "R/P1M",
        "lineage": LINEAGE,
    }
    page = app.get(made({**facts, **more})).body
    shown = rows(page)
    assert shown["Theme"] == "Crime & Justice"
    assert shown["Further themes"] == "Towns & Cities"
    assert "Street care and cleaning" in shown["Local authority service"]
    assert "Service 99999 (not in the list)" in shown["Local authority service"]
    assert shown["Schema"].startswith("Public toilets")
    assert shown["Frequency of update"] == "Monthly"
    assert shown["Lineage" if more else "lineage"] == LINEAGE
    bare = {label for label, value in shown.items() if "://" in value}
    assert bare <= {"Web page"}
    assert "?vocab_ukharvest_service=http:/" in page


def test_a_suggested_theme_is_marked(app: CKANTestApp) -> None:
    address = made({"theme-primary": "Crime"})
    dataset = act("package_show", id=address.rpartition("/")[2])
    assert "suggested" not in rows(app.get(address).body)["Theme"]
    row = {"package_id": dataset["id"], "theme": "Crime", "theme_origin": themes.WORDS}
    dataset_rows.save_own_rows(DatasetTheme, [row])
    assert "suggested" in rows(app.get(address).body)["Theme"]


@pytest.mark.parametrize("key", ["schema_url", "schema-url"])
def test_a_resource_has_its_schema_by_name(app: CKANTestApp, key: str) -> None:
    schema = {key: "http://schemas.opendata.esd.org.uk/PublicToilets", "schema_type": "csvlint"}
    resource = factories.Resource(url="http://a.example/1.csv", mine="<b>7", **schema)
    shown = rows(app.get(f"/dataset/{resource['package_id']}/resource/{resource['id']}").body)
    assert shown["Schema"].startswith("Public toilets")
    assert shown["Kind of schema"] == "csvlint"
    assert shown["Mine"] == "<b>7"
    assert not {"Schema url", "Schema-url"} & shown.keys()


@pytest.mark.ckan_config("package_hide_extras", "lineage")
def test_hidden_extras_stay_hidden_on_dataset_page(app: CKANTestApp) -> None:
    page = app.get(made({"import_source": "harvest", "lineage": LINEAGE, "purpose": "To know."}))
    assert "Purpose" in page.body
    assert "Surveyed" not in page.body
