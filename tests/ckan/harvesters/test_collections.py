"""Collections and their parts link to each other, on pages, in the search and in the API."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from tests.ckan.datasets.dataset_pages import rows
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.gemini_records import uuid
from tests.ckan.harvesting import Portal, act, figures, tick
from tests.ckan.migrations import Ckan, tables_before
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

FIELD = "vocab_ukharvest_part_of"
SERIES = """@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
<https://a.example/budgets> a dcat:DatasetSeries ; dct:title "Budgets" ;
    dcat:seriesMember <https://a.example/budget/2024> .
"""
BUDGET = """<https://a.example/budget/{0}> a dcat:Dataset ; dct:title "Budget {0}" {1}.
"""
IN_SERIES = "; dcat:inSeries <https://a.example/budgets> "


def entry(id_: str, title: str, **more: Any) -> dict[str, Any]:
    return {"identifier": id_, "title": title, "description": title, **more}


def collections(title: str, user: str = "") -> dict[str, Any]:
    """Return what a user sees of the collections of a dataset, anonymous by default."""
    model.Session.remove()
    found = call_action(
        "ukharvest_dataset_show", {"user": user, "ignore_auth": False}, id=id_of(title)
    )["collections"]
    titles = {key: [each["title"] for each in found[key]] for key in ("part_of", "parts")}
    return {**titles, "count": found["parts_count"]}


def id_of(title: str) -> str:
    package = model.Session.query(model.Package).filter_by(title=title, state="active").one()
    return str(package.id)


def of_whole(*titles: str) -> dict[str, Any]:
    return {"part_of": [], "parts": [*titles], "count": len(titles)}


def of_part(*titles: str) -> dict[str, Any]:
    return {"part_of": [*titles], "parts": [], "count": 0}


@pytest.mark.parametrize("order", [1, -1])
def test_parts_of_a_data_json_link_both_ways(
    portal: Portal, publisher: Publisher, app: CKANTestApp, order: int
) -> None:
    datasets = [
        entry("all", "All spending"),
        entry("1", "Spending 1", isPartOf="all"),
        entry("2", "Spending 2", isPartOf="all"),
    ]
    source = portal.source(publisher.url("/data.json"))
    # The whole and its parts in two runs, one of them first.
    for number in (1, 3):
        publisher.serve("/data.json", {"dataset": sorted(datasets[::order][:number], key=str)})
        portal.run(source)
    tick()
    assert collections("All spending") == of_whole("Spending 1", "Spending 2")
    assert collections("Spending 1") == of_part("All spending")
    whole, part = (act("package_show", id=id_of(t)) for t in ("All spending", "Spending 2"))
    page = app.get(f"/dataset/{whole['name']}").body
    assert rows(page)["Contains"] == "2 datasets Spending 1Spending 2".replace(" Sp", "Sp", 1)
    assert f'href="/dataset/{part["name"]}"' in page
    (every,) = html.fromstring(page).xpath("//a[text()='2 datasets']/@href")
    page = app.get(every).body
    assert "2 datasets found" in page
    assert {each.text_content().strip() for each in facet_pills(page)} == {"All spending"}
    page = app.get(f"/dataset/{part['name']}").body
    assert rows(page)["Part of"] == "All spending"
    assert "Part of (identifier)" not in rows(page)
    found = call_action("package_search", fq=f'{FIELD}:"{whole["id"]}"')
    assert sorted(each["title"] for each in found["results"]) == ["Spending 1", "Spending 2"]


def facet_pills(page: str) -> list[Any]:
    return list(html.fromstring(page).xpath("//span[contains(@class, 'filtered pill')]"))


def test_series_and_members_link_whichever_names_the_other(
    portal: Portal, publisher: Publisher
) -> None:
    text = SERIES + BUDGET.format(2024, "") + BUDGET.format(2025, IN_SERIES)
    publisher.serve("/series.ttl", text, headers={"Content-Type": "text/turtle"})
    source = portal.source(publisher.url("/series.ttl"), "dcat_rdf")
    assert figures(portal.run(source)) == {"added": 3}
    tick()
    assert collections("Budgets") == of_whole("Budget 2024", "Budget 2025")
    assert collections("Budget 2024") == of_part("Budgets")
    # A member that its publisher takes out of the series is no part any more.
    text = SERIES.replace(";\n    dcat:seriesMember <https://a.example/budget/2024> ", "")
    text += BUDGET.format(2024, "") + BUDGET.format(2025, IN_SERIES)
    publisher.serve("/series.ttl", text, headers={"Content-Type": "text/turtle"})
    portal.run(source)
    tick()
    assert collections("Budgets") == of_whole("Budget 2025")
    assert collections("Budget 2024") == of_part()


def test_gemini_records_name_their_parent_of_another_source(
    portal: Portal, publisher: Publisher, organization: dict[str, str], app: CKANTestApp
) -> None:
    parent = f"""<gmd:parentIdentifier xmlns:gmd="http://www.isotc211.org/2005/gmd"><gco:CharacterString
        xmlns:gco="http://www.isotc211.org/2005/gco">{uuid(1)}</gco:CharacterString>
        </gmd:parentIdentifier>"""
    part = gemini(uuid(2), "Sheet")
    at = part.index("</gmd:fileIdentifier>") + len("</gmd:fileIdentifier>")
    at = part.index("<gmd:hierarchyLevel") if "<gmd:hierarchyLevel" in part else at
    for name, text in (("part", part[:at] + parent + part[at:]), ("whole", gemini(uuid(1), "Map"))):
        publisher.serve(f"/{name}.xml", text, headers={"Content-Type": "application/xml"})
        portal.run(portal.source(publisher.url(f"/{name}.xml"), "gemini-single"))
    tick()
    assert collections("Sheet") == of_part("Map")
    assert collections("Map") == of_whole("Sheet")
    # What a person may not read is neither linked nor counted, nor a value of the facet.
    act("package_patch", id=id_of("Map"), private=True)
    member = factories.User()
    act("organization_member_create", id=organization["id"], username=member["id"], role="editor")
    assert collections("Sheet") == of_part()
    assert collections("Sheet", member["name"]) == of_part("Map")
    token = act("api_token_create", user=member["name"], name="token")["token"]
    for headers, shown in (({}, []), ({"Authorization": token}, ["Map"])):
        url = f'/api/3/action/package_search?facet.field=["{FIELD}"]'
        items = app.get(url, headers=headers).json["result"]["search_facets"][FIELD]["items"]
        assert [item["display_name"] for item in items] == shown
    act("package_delete", id=id_of("Sheet"))
    assert collections("Map", member["name"]) == of_whole()


def test_what_services_operate_on_stays_with_the_migration(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve("/data.json", {"dataset": [entry("1", "Part", isPartOf="all")]})
    portal.run(portal.source(publisher.url("/data.json")))
    query = sa.text("SELECT relation, reference FROM ukharvest_coupling")
    assert model.Session.execute(query).all() == [("is_part_of", "all")]
    with tables_before("0207", ckan):
        assert not model.Session.execute(sa.text("SELECT * FROM ukharvest_coupling")).all()
        model.Session.execute(
            sa.text(
                "INSERT INTO ukharvest_coupling (record_id, reference)"
                " SELECT id, 'https://a.example/1' FROM ukharvest_record"
            )
        )
        model.Session.commit()
    assert model.Session.execute(query).all() == [("operates_on", "https://a.example/1")]
