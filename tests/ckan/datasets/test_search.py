"""Facets of the dataset search: indexed values, and their labels on the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan.exceptions import CkanConfigurationException
from ckan.lib import search
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html
from playwright.sync_api import expect

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.rendering.values import INDEXED
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import act, statements

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("portal")]

ESD = "http://id.esd.org.uk"
SPEND = "http://schemas.opendata.esd.org.uk/Spend"
TOILETS = {  # Public toilets, in Street care and cleaning, in Environmental protection
    "la_service": f"{ESD}/service/579",
    "theme-primary": "Environment",
    "theme-secondary": '["Towns"]',
}


def made(facts: dict[str, str], **fields: Any) -> dict[str, Any]:
    shown = factories.Dataset(extras=[{"key": k, "value": v} for k, v in facts.items()], **fields)
    return dict(shown)


def search_datasets(*filters: str) -> dict[str, Any]:
    fields = list(INDEXED.values())
    return dict(act("package_search", **{"fq_list": list(filters), "facet.field": fields}))


def counted(facet: str, *filters: str) -> dict[str, int]:
    """Return a facet's values by their labels."""
    items = search_datasets(*filters)["search_facets"][INDEXED[facet]]["items"]
    return {item["display_name"]: item["count"] for item in items}


def facet_of(page: str, title: str) -> html.HtmlElement | None:
    """Return the part of a page that is a facet."""
    headings = html.fromstring(page).xpath("//section/h2")
    return next(
        (each.getparent() for each in headings if each.text_content().strip() == title), None
    )


def entries(part: html.HtmlElement | None) -> list[str]:
    assert part is not None
    return [each.text_content().strip() for each in part.xpath(".//span[@class='item-label']")]


def test_values_are_counted_by_their_labels() -> None:
    made(TOILETS)
    made({**TOILETS, "schema": json.dumps([SPEND.replace("http:", "https:") + "/"])})
    made({}, resources=[{"url": "http://a.example/1.csv", "schema-url": f"{SPEND}/Spend.json"}])
    made({"schema": "https://data.example/schemas/parking.json"})
    assert counted("theme") == {"Environment": 2, "Towns & Cities": 2}
    assert counted("service") == {"Public toilets": 2}
    assert counted("function") == {"Street care and cleaning": 2, "Environmental protection": 2}
    assert counted("schema") == {
        "Expenditure exceeding £500": 2,
        "schemas/parking.json (data.example)": 1,
    }


@pytest.mark.parametrize(
    ("facts", "services", "functions"),
    [
        ({"la_service": f"{ESD}/service/579 {ESD}/service/352"}, 2, 4),
        ({"la_function": f"{ESD}/service/579"}, 1, 2),  # as the guide's own example has it
        ({"la_service": "https://id.esd.org.uk/function/2/"}, 0, 2),
        ({"la_service": "579, 352"}, 2, 4),
        ({"la_service": f"{ESD}/service/99999"}, 1, 0),
        ({"la_service": "the parks"}, 0, 0),
    ],
)
def test_functions_and_services_as_portals_have_them(
    facts: dict[str, str], services: int, functions: int
) -> None:
    made(facts)
    assert (len(counted("service")), len(counted("function"))) == (services, functions)


def test_unknown_service_is_counted_by_number() -> None:
    made({"la_service": f"{ESD}/service/99999", "theme-primary": "Gardening"})
    assert counted("service") == {"Service 99999": 1}
    assert counted("theme") == {}


def test_a_branch_finds_what_is_in_it() -> None:
    made(TOILETS)
    made({"la_function": f"{ESD}/function/1"})
    assert search_datasets(f'{INDEXED["function"]}:"{ESD}/function/30"')["count"] == 1


def test_stars_are_those_of_the_last_write() -> None:
    dataset = made({})
    row = {"package_id": dataset["id"], "stars": 4, "stars_code": "x"}
    dataset_rows.save_own_rows(StarRating, [row])
    with statements("ukharvest_") as asked:
        search.rebuild(dataset["id"])
    assert len(asked) == 1
    assert counted("stars") == {"4 out of 5": 1}


def test_a_harvest_source_counts_nowhere() -> None:
    made({"theme-primary": "Health"}, type="harvest", source_type="ckan", url="http://a.example/")
    assert counted("theme", "+dataset_type:harvest") == {}


def test_a_long_or_strange_value_does_not_keep_a_dataset_out() -> None:
    long = [f"http://a.example/{'x' * 40_000}", *(f"http://a.example/{n}" for n in range(300))]
    strange = {"la_service": "[" * 5000, "theme-secondary": '{"a": 1}', "mandate": "é" * 20_000}
    made({"schema": json.dumps(long), **strange})
    assert search_datasets()["count"] == 1
    assert search_datasets(f'{INDEXED["schema"]}:"http://a.example/7"')["count"] == 1


def test_facet_without_results_has_its_label() -> None:
    made({})
    field = INDEXED["service"]
    facet = search_datasets(f'{field}:"{ESD}/service/579"')["search_facets"][field]
    assert facet["items"] == [
        {"name": f"{ESD}/service/579", "display_name": "Public toilets", "count": 0}
    ]
    assert search_datasets(f'-{field}:"{ESD}/service/579"')["search_facets"][field]["items"] == []


@pytest.mark.parametrize("asked", ["foo", "/", "a b:c", "http://[", 'a"b', "<b>", "*", "9" * 9])
def test_a_visitor_may_ask_for_anything(app: CKANTestApp, asked: str) -> None:
    for field in INDEXED.values():
        page = app.get("/dataset/", query_string={field: asked}).body
        assert "<b>" not in page


def test_pages_have_the_facets_and_choosing_works(app: CKANTestApp) -> None:
    organization, group = factories.Organization(), factories.Group()
    groups = [{"name": group["name"]}]
    first = made(TOILETS, owner_org=organization["id"], groups=groups, title="Toilets")
    made({"theme-primary": "Health"}, owner_org=organization["id"], groups=groups, title="Clinics")
    assert first
    for address in (
        "/dataset/",
        f"/organization/{organization['name']}",
        f"/group/{group['name']}",
    ):
        page = app.get(address).body
        assert set(entries(facet_of(page, "Theme"))) == {"Environment", "Health", "Towns & Cities"}
        functions = facet_of(page, "Local authority function")
        assert entries(functions) == ["Environmental protection", "› Street care and cleaning"]
        assert facet_of(page, "Schema") is None  # no value to choose
        assert "id.esd.org.uk" not in html.fromstring(page).text_content()
        assert not [each for each in html.fromstring(page).xpath("//@aria-label") if "_" in each]
        assert functions is not None
        chosen = app.get(functions.xpath(".//a/@href")[0]).body
        assert "Toilets" in chosen
        assert "Clinics" not in chosen
        [pill] = html.fromstring(chosen).xpath("//span[@class='filtered pill']")
        assert pill.text_content().strip() == "Environmental protection"


def test_a_visitor_chooses_a_branch_and_leaves_it(visitor: Visitor) -> None:
    made(TOILETS, title="Toilets")
    made({"theme-primary": "Health"}, title="Clinics")
    page = visitor.page
    page.goto("/dataset/")
    visitor.picture("facets")
    label = "› Street care and cleaning"
    page.locator(".nav-facet a", has_text=label).click()
    page.get_by_text("1 dataset found").wait_for()
    expect(page.get_by_role("heading", name="Clinics")).to_have_count(0)
    page.locator(".nav-facet .active a", has_text="Street care").click()
    page.get_by_text("2 datasets found").wait_for()
    assert visitor.errors == []


@pytest.mark.ckan_config("ckanext.ukharvest.facets", "service theme")
def test_a_portal_chooses_its_facets(app: CKANTestApp) -> None:
    made(TOILETS)
    page = app.get("/dataset/").body
    assert facet_of(page, "Local authority function") is None
    assert page.index("Local authority service") < page.index("Environment")


@pytest.mark.ckan_config("ckanext.ukharvest.facets", "")
def test_a_portal_wants_none(app: CKANTestApp) -> None:
    made(TOILETS)
    assert "vocab_ukharvest" not in app.get("/dataset/").body


def test_unknown_facet_is_reported_at_start_up(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.facets", "theme colour")
    with pytest.raises(CkanConfigurationException, match=r"facets.*'colour'.*theme function"):
        config.check_settings()


def test_source_search_keeps_its_facets(app: CKANTestApp) -> None:
    assert "vocab_ukharvest" not in app.get("/harvest/").body
