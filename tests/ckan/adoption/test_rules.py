"""Sources of a portal's own type names and options: adopted, saved, found and harvested as ours."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins as p
import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestSource
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.harvest.hooks import plugin_hooks
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
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
# By the facts of national and regional portals: their name of a type → ours ("": none reads it),
# and the options that they store; the last three names are ours.
TYPE_NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "dcat_ch_rdf": (
        "dcat_rdf",
        {"excluded_dataset_identifiers": ["1@a"], "excluded_license": "closed"},
    ),
    "dcatde_rdf": (
        "dcat_rdf",
        {
            "contributorID": "http://dcat-ap.de/def/contributors/x",
            "harvested_portal": "Roads",
            "resources_required": True,
            "priority": 3,
            "default_catalog_language": "de",
        },
    ),
    "geocat_harvester": (
        "gemini-csw",
        {"rights": "open", "legal_basis_url": "u", "permalink_title": "t", "cql": "a = 'b'"},
    ),
    "datavic_dcat_json": (
        "data_json",
        {
            "default_groups": ["roads"],
            "default_license": "cc-by",
            "default_visibility": "private",
            "default_data_owner": "Roads",
            "default_contact_point": "roads@site.example",
            "full_metadata_url_pattern": "https://site.example/{id}",
            "organisation_mapping": [{"a": "b"}],
            "deletion_safeguard_threshold": 10,
        },
    ),
    "delwp": ("", {}),
    "DCAT_AP-IT CSW Harvester": ("gemini-csw", {"dcatapit_config": {"dataset_themes": "x"}}),
    "CKAN-DCATAPIT": ("ckan", {"remote_orgs": "create"}),
    "custom_ckan": ("ckan", {"tsm_schema": "x", "purge_missing": True, "max_datasets": 10}),
    "arcgis": ("data_json", {"private_datasets": "true"}),
    "ckan_cioos": (
        "ckan",
        {
            "organization_mapping": {"a": "b"},
            "data_catalogue_source": "x",
            "clean_tags": True,
            "spatial_filter": "POLYGON",
        },
    ),
    "ontario_data_catalogue": ("ckan", {"remote_orgs": "create"}),
    "hri": ("ckan", {}),
    "syke": ("ckan", {"license": "cc-by"}),
    "dge_dcat_ap_es_rdf_harvester": ("dcat_rdf", {}),
    "stadtzh_harvester": ("", {"update_date_last_modified": True}),
    "geoportal": ("gemini-csw", {"private_datasets": "true", "output_schema": "mdb"}),
    "z3950": ("", {}),
    "dkan_ckan_harvester": ("dkan", {}),
    "amconnect_ckan": ("ckan", {"dataset_type": "dataset", "deletion_reason": "gone"}),
    "benap_dcat": ("dcat_rdf", {}),
    "ods": ("ods", {}),
    "inventory": ("inventory", {}),
    "gemini-csw": ("gemini-csw", {}),
}
OURS = ("ods", "inventory", "gemini-csw")
# Those that keep datasets closed or records out, and have no counterpart.
PROTECTING = {
    "excluded_dataset_identifiers",
    *("excluded_license", "resources_required", "default_visibility", "max_datasets"),
    "spatial_filter",
}
# Their option → ours.
BECOMES = {
    "clean_tags": "",  # always so
    "cql": "cql",
    "default_catalog_language": "language",
    "default_groups": "default_groups",
    "license": "default_extras",
    "organization_mapping": "organisations",
    "output_schema": "schema",
    "private_datasets": "visibility",
    "remote_orgs": "remote_orgs",
}


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
    for name in ("datavic_json", '"Parks (JSON)"', "data_json", "datajson"):
        assert search_names(q=f"type:harvest AND source_type:{name}") == ["by-api", "plain"]


@pytest.mark.parametrize("answer", [5, ["datavic_json"], [("a", [], 1)]], ids=repr)
def test_pages_work_if_a_plugin_declares_another_form(
    app: CKANTestApp, own: None, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    for name in ("source_type_aliases", "source_type_titles", "source_options"):
        monkeypatch.setattr(type(p.get_plugin("own_types_hook")), name, lambda *_args: answer)
    assert (plugin_hooks.load_type_aliases(), plugin_hooks.load_type_titles()) == ({}, {})
    assert plugin_hooks.load_hook_options("data_json") == ()
    assert app.get("/harvest").status_code == 200


def form_of(app: CKANTestApp, path: str, **sent: Any) -> Any:
    """Return the page of a form for a sysadmin; send it if there is something to send."""
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    if not sent:
        return html.fromstring(app.get(path, headers=headers).body)
    sent = {"frequency": "MANUAL", "save": "only", **sent}
    answer = app.post(path, data=sent, headers=headers, follow_redirects=False)
    return html.fromstring(answer.body) if answer.status_code == 200 else None


def config_of(name: str) -> dict[str, Any]:
    model.Session.remove()
    source = HarvestSource.get(model.Package.get(name).id)
    assert source.type == "data_json"
    return dict(json.loads(source.config or "{}"))


def test_own_types_can_be_chosen_in_the_form(app: CKANTestApp, own: None) -> None:
    page = form_of(app, "/harvest/new")
    labels = {
        box.get("value"): page.xpath(f"//label[@for='{box.get('id')}']")[0].text_content()
        for box in page.xpath("//input[@name='source_type']")
    }
    assert labels["datavic_json"] == "Victoria’s catalogue"
    assert labels["Parks (JSON)"] == "Parks (JSON)"
    (parks,) = page.xpath("//input[@value='Parks (JSON)' and @type='radio']")
    (more,) = page.xpath("//details[summary[.='More options']]")
    shown = {}
    for part in more.xpath(".//*[@data-options-of]"):
        own_names = [field.get("name") for field in part.xpath(".//input | .//select")]
        shown[part.get("data-options-of")] = own_names
    assert shown["own-datavic-json"] == ["option_own-datavic-json_data_owner"]
    assert shown[parks.get("data-part")] == ["option_own-Parks-JSON-_priority"]
    assert not [name for name in shown.get("data_json", ()) if "owner" in name]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert [id_ for id_ in ids if " " in id_] == []


def test_options_of_an_own_type_are_for_its_sources_alone(
    app: CKANTestApp, own: None, portal: Portal, publisher: Publisher, cli: Any
) -> None:
    sent = {"title": "Parks", "url": publisher.url(PATH), "owner_org": portal.organization_id}
    sent |= {"source_type": "Parks (JSON)", "options_of": ["data_json", "own-Parks-JSON-"]}
    field = "option_own-Parks-JSON-_priority"
    page = form_of(app, "/harvest/new", **sent, **{field: "elsewhere"})
    assert "elsewhere" in page.xpath(f"//*[@id='error-{field}']")[0].text_content()
    assert form_of(app, "/harvest/new", **sent, **{field: "north"}) is None
    assert config_of("parks") == {"own_type": "Parks (JSON)", "priority": "north"}
    page = form_of(app, "/harvest/edit/parks")
    assert page.xpath(f"//select[@name='{field}']/option[@selected]/@value") == ["north"]
    assert page.xpath("//strong[.='Type']/..")[0].text_content().startswith("TypeParks (JSON)")
    assert "own_type" not in page.xpath("//textarea[@name='config']")[0].text
    assert form_of(app, "/harvest/edit/parks", **sent, **{field: "south"}) is None
    assert config_of("parks") == {"own_type": "Parks (JSON)", "priority": "south"}
    act("harvest_source_patch", id="parks", config='{"priority": "north"}')
    assert config_of("parks") == {"own_type": "Parks (JSON)", "priority": "north"}
    for config in ('{"priority": "west"}', '{"priority": "north", "data_owner": "Roads"}'):
        with pytest.raises(tk.ValidationError, match="priority|data_owner"):
            act("harvest_source_patch", id="parks", config=config)
    done = cli.invoke(ukharvest, ["source", "edit", "parks", "--option", "priority=west"])
    assert "west" in done.output
    assert done.exit_code == 2
    done = cli.invoke(ukharvest, ["source", "edit", "parks", "--option", "priority=south"])
    assert done.exit_code == 0, done.output
    assert config_of("parks") == {"own_type": "Parks (JSON)", "priority": "south"}
    with pytest.raises(tk.ValidationError, match="priority is not an option"):
        portal.source(publisher.url("/2.json"), name="plain", config={"priority": "north"})


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


def test_every_type_and_option_is_adopted_or_refused_with_a_reason(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    factories.Group(name="roads")
    for number, (theirs, (ours, options)) in enumerate(TYPE_NAMES.items()):
        url = publisher.url(f"/{number}/")
        made = portal.source(url, ours or "data_json", name=f"s-{number}")
        of_another(made, theirs, json.dumps(options))
    tried = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"])
    assert tried.exit_code == 2
    assert "nothing to adopt" not in tried.output
    for number, theirs in enumerate(TYPE_NAMES):
        reason = f"Left out: s-{number}: no source type of ckanext-ukharvest is called “{theirs}”"
        assert (reason in tried.output) == (theirs not in OURS), theirs
    assert "If none does, keep its harvester, or write a source type" in tried.output
    (first, *_others) = services.source_types()
    assert "adopt s-" in first.what_to_do
    assert "--as TYPE" in first.what_to_do
    assert "delete" not in first.what_to_do
    for number, (theirs, (ours, options)) in enumerate(TYPE_NAMES.items()):
        words = ["adopt", f"s-{number}", *(["--as", ours] if ours else [])]
        done = cli.invoke(ukharvest, words)
        lost = PROTECTING & options.keys()
        assert done.exit_code == (0 if ours and not lost else 2), done.output
        if lost:
            assert all(name in done.output.partition("Error: ")[2] for name in lost)
            assert "declare" in done.output
            done = cli.invoke(ukharvest, [*words, "--accept-losses", f"s-{number}"])
            assert done.exit_code == 0, done.output
        type_, config = stored(model.Package.get(f"s-{number}").id)[0]
        assert type_ == (ours or theirs)
        for name in options if ours else ():
            if new := BECOMES.get(name):
                assert new in json.loads(config), name
            else:
                reason = "tags are always" if name == "clean_tags" else "IUkHarvest.source_options"
                (line,) = [row for row in done.output.splitlines() if f"Option {name}:" in row]
                assert "dropped, was" in line
                assert reason in line
