"""Sources of a portal's own type names and options: adopted, saved, found and harvested as ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.interfaces import SourceFacts
from tests.ckan.adoption.stock_harvests import (
    Stock,
    ids,
    numbered,
    of_another,
    search_names,
    stored,
)
from tests.ckan.catalogues import catalogue
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
# By the facts of national and regional portals; the last three are ours.
TYPE_NAMES = {
    "dcat_ch_rdf": "dcat_rdf",
    "dcatde_rdf": "dcat_rdf",
    "geocat_harvester": "gemini-csw",
    "datavic_dcat_json": "data_json",
    "delwp": "",
    "DCAT_AP-IT CSW Harvester": "gemini-csw",
    "CKAN-DCATAPIT": "ckan",
    "custom_ckan": "ckan",
    "arcgis": "data_json",
    "ckan_cioos": "ckan",
    "ontario_data_catalogue": "ckan",
    "hri": "ckan",
    "syke": "ckan",
    "dge_dcat_ap_es_rdf_harvester": "dcat_rdf",
    "stadtzh_harvester": "",
    "geoportal": "gemini-csw",
    "z3950": "",
    "dkan_ckan_harvester": "dkan",
    "amconnect_ckan": "ckan",
    "benap_dcat": "dcat_rdf",
    "ods": "ods",
    "inventory": "inventory",
    "gemini-csw": "gemini-csw",
}


@pytest.fixture
def own(clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plugin of the portal's that calls data_json by a name of its own, with options."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "second_package"))
    with portal_with("", "own_types_hook"):
        yield


@pytest.fixture
def source(own: None, portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH), name="parking")
    Stock(source_id, portal.organization_id).fill(numbered(4))
    return of_another(source_id, "datavic_json", '{"data_owner": "Roads", "priority": 2}')


def facts() -> list[SourceFacts]:
    """Return what the plugin was told about sources."""
    return type(p.get_plugin("own_types_hook")).sources


def test_own_type_and_options_are_kept_at_adoption(
    portal: Portal, source: str, publisher: Publisher, cli: Any
) -> None:
    before = ids(portal)
    tried = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"])
    assert "Type: datavic_json → data_json" in tried.output
    assert 'Option data_owner: kept, "Roads"' in tried.output
    done = cli.invoke(ukharvest, ["adopt", "--all"])
    assert done.exit_code == 0, done.output
    (type_, config), package = stored(source)
    assert (type_, config) == package
    options = {"own_type": "datavic_json", "data_owner": "Roads", "priority": 2}
    options["include_non_public"] = True
    assert (type_, json.loads(config)) == ("data_json", options)
    assert figures(portal.run(source)) == {"updated": 4}
    assert ids(portal) == before
    assert {extras(each)["data-owner"] for each in portal.datasets()} == {"Roads"}
    told = facts()[-1]
    assert (told.type, told.own_type, told.name) == ("data_json", "datavic_json", "parking")
    assert told.title == "Source 1"
    assert (told.options["data_owner"], told.options["priority"]) == ("Roads", 2)
    assert figures(portal.run(source)) == {"not modified": 4}
    act("harvest_source_patch", id=source, config=json.dumps({**options, "data_owner": "Parks"}))
    assert figures(portal.run(source)) == {"updated": 4}, "a changed option imports again"
    with pytest.raises(tk.ValidationError, match="priority"):
        act("harvest_source_patch", id=source, config='{"priority": "high"}')
    assert cli.invoke(ukharvest, ["adopt", "parking"]).exit_code == 0
    assert json.loads(stored(source)[0][1])["own_type"] == "datavic_json"


def test_new_sources_of_own_types_are_saved_as_ours(
    app: CKANTestApp, own: None, portal: Portal, publisher: Publisher
) -> None:
    publisher.serve(PATH, catalogue(1))
    source_id = portal.source(
        publisher.url(PATH), "datavic_json", name="by-api", config={"data_owner": "Roads"}
    )
    options = {"own_type": "datavic_json", "data_owner": "Roads"}
    assert (stored(source_id)[0][0], json.loads(stored(source_id)[0][1])) == ("data_json", options)
    portal.source(publisher.url("/2.json"), name="plain")
    for name in ("datavic_json", "data_json", "datajson"):
        assert search_names(q=f"type:harvest AND source_type:{name}") == ["by-api", "plain"]
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    page = app.get("/harvest/edit/by-api", headers=headers).body
    assert "Owner of the data" in page
    form = {"title": "By form", "url": publisher.url("/3.json"), "source_type": "datavic_json"}
    form |= {"owner_org": portal.organization_id, "frequency": "MANUAL", "save": "only"}
    sent = app.post("/harvest/new", data=form, headers=headers, follow_redirects=False)
    assert sent.status_code == 302, sent.body
    made = HarvestSource.get(act("harvest_source_show", id="by-form")["id"])
    assert (made.type, json.loads(made.config)) == ("data_json", {"own_type": "datavic_json"})
    changed = {"id": source_id, "title": "Changed", "url": publisher.url(PATH), "save": "only"}
    changed |= {"owner_org": portal.organization_id, "frequency": "MANUAL", "config": ""}
    part = {"options_of": "data_json", "option_data_json_data_owner": "Parks"}
    sent = app.post(
        "/harvest/edit/by-api", data={**changed, **part}, headers=headers, follow_redirects=False
    )
    assert sent.status_code == 302, sent.body
    assert json.loads(stored(source_id)[0][1]) == {**options, "data_owner": "Parks"}


def test_any_type_can_be_adopted_as_one_that_reads_it(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    publisher.serve(PATH, catalogue(1))
    source_id = of_another(portal.source(publisher.url(PATH), name="parks"), "delwp", "{}")
    before = stored(source_id)
    assert cli.invoke(ukharvest, ["adopt", "parks", "--as", "nothing"]).exit_code == 2
    assert cli.invoke(ukharvest, ["adopt", "--all", "--as", "data_json"]).exit_code == 2
    assert stored(source_id) == before
    done = cli.invoke(ukharvest, ["adopt", "parks", "--as", "data_json"])
    assert done.exit_code == 0, done.output
    assert "Type: delwp → data_json" in done.output
    assert json.loads(stored(source_id)[0][1]) == {"own_type": "delwp", "include_non_public": True}
    assert figures(portal.run(source_id)) == {"added": 1}
    other = cli.invoke(ukharvest, ["adopt", "parks", "--as", "ckan"])
    assert "it already has the type “data_json”" in other.output
    second = of_another(portal.source(publisher.url("/2.json"), name="second"), "delwp", "{}")
    cli.invoke(ukharvest, ["adopt", "second", "--as", "datajson"])
    cli.invoke(ukharvest, ["adopt", "second", "--undo"])
    assert stored(second) == before


def test_every_type_name_is_adopted_with_one_line_or_refused_with_the_reason(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    for number, (theirs, ours) in enumerate(TYPE_NAMES.items()):
        url = publisher.url(f"/{number}/")
        made = portal.source(url, ours or "data_json", name=f"s-{number}")
        of_another(made, theirs, "{}")
    tried = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"])
    assert tried.exit_code == 2
    assert "nothing to adopt" not in tried.output
    for number, theirs in enumerate(TYPE_NAMES):
        reason = f"Left out: s-{number}: no source type of ckanext-ukharvest is called “{theirs}”"
        assert (reason in tried.output) == (number < 20), theirs
    (first, *_others) = services.source_types()
    assert "adopt s-" in first.what_to_do
    assert "--as TYPE" in first.what_to_do
    assert "delete" not in first.what_to_do
    for number, ours in enumerate(TYPE_NAMES.values()):
        done = cli.invoke(ukharvest, ["adopt", f"s-{number}", *(["--as", ours] if ours else [])])
        assert done.exit_code == (0 if ours else 2), done.output
        assert stored(model.Package.get(f"s-{number}").id)[0][0] == (
            ours or list(TYPE_NAMES)[number]
        )
