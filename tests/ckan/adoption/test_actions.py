"""Adopt sources of another harvester's type with their options, and give them back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.dataset_changes import differing_fields
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.harvest.model import DatasetBefore, Record, SourceState
from ckanext.ukharvest.harvest.sources import decision_log
from tests.ckan.adoption.stock_harvests import (
    OPTIONS,
    Stock,
    current_objects,
    ids,
    numbered,
    of_another,
    search_names,
    stored,
)
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
OURS = {"default_tags": ["parking"], "include_non_public": True}


def adopted_from(source_id: str) -> Any:
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    return state.adopted_from if state else None


def indexed_types() -> dict[str, str]:
    """Return the types of all sources in the search index, by id."""
    found = act("package_search", fq="dataset_type:harvest", rows=100)["results"]
    return {each["id"]: each["source_type"] for each in found}


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source of ckanext-datajson's type, whose harvester made four datasets."""
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH), name="parking")
    Stock(source_id, portal.organization_id).fill(numbered(4))
    return of_another(source_id, "datajson", OPTIONS)


OTHER_NAMES = {
    "datajson": "data_json",
    "dcat_json": "data_json",
    "dcat_xml": "dcat_rdf",
    "waf": "gemini-waf",
    "waf-collection": "gemini-waf",
    "csw": "gemini-csw",
    "single-doc": "gemini-single",
}


def test_every_other_name_becomes_ours_and_comes_back(portal: Portal, publisher: Publisher) -> None:
    for number, (type_, ours) in enumerate(OTHER_NAMES.items(), 1):
        source_id = of_another(portal.source(publisher.url(f"/{number}"), ours), type_, None)
        before = stored(source_id)
        assert act("ukharvest_source_adopt", source_id=source_id)["changes"] is True, type_
        (kind, config), package = stored(source_id)
        assert (kind, config) == package
        added = {"include_non_public": True} if ours == "data_json" else {}
        assert (kind, json.loads(config or "{}")) == (ours, added), type_
        assert indexed_types()[source_id] == ours, type_
        act("ukharvest_source_adopt", source_id=source_id, undo=True)
        assert stored(source_id) == before, type_
        assert indexed_types()[source_id] == type_


def test_a_dry_run_tells_all_and_writes_nothing(source: str, cli: Any) -> None:
    before = stored(source)
    done = cli.invoke(ukharvest, ["adopt", "parking", "--dry-run"])
    assert done.exit_code == 0, done.output
    for words in (
        "Type: datajson → data_json",
        'Option default_tags: [{"name": "parking"}] → default_tags: ["parking"]',
        "Option reindex_unchanged: dropped, was true (unchanged records are never written again)",
        "Option clean_tags: dropped, was 1 (tags are always cleaned)",
        "4 datasets would be adopted.",
        "Dry run: nothing was changed.",
    ):
        assert words in done.output
    assert stored(source) == before
    assert adopted_from(source) is None
    assert model.Session.query(Record).count() == 0


def test_first_run_of_adopted_source_changes_no_id(
    portal: Portal, source: str, ckan: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before = ids(portal)
    done = ckan("ukharvest", "adopt", "parking").stdout
    assert "4 datasets adopted." in done
    assert "ckan ukharvest adopt parking --undo" in done
    (row, package) = stored(source)
    assert row == package
    assert (row[0], json.loads(row[1])) == ("data_json", OURS)
    kept = adopted_from(source)
    assert (kept["type"], kept["config"]) == ("datajson", OPTIONS)
    assert kept["adopted"]
    assert figures(portal.run(source)) == {"updated": 4}
    assert ids(portal) == before
    assert {tag["name"] for tag in portal.datasets()[0]["tags"]} >= {"parking"}
    assert figures(portal.run(source)) == {"not modified": 4}


def test_an_adopted_source_is_saved_by_form_and_action(
    app: CKANTestApp, source: str, publisher: Publisher
) -> None:
    act("ukharvest_source_adopt", source_id="parking")
    saved = act("harvest_source_show", id=source)
    assert saved["source_type"] == "data_json"
    fields = ("id", "name", "title", "url", "source_type", "owner_org", "config")
    saved = act("harvest_source_update", **{name: saved[name] for name in fields} | {"notes": "A"})
    assert (saved["source_type"], json.loads(saved["config"])) == ("data_json", OURS)
    admin = factories.SysadminWithToken()
    headers = {"Authorization": admin["token"]}
    page = app.get("/harvest/edit/parking", headers=headers)
    assert "ckan ukharvest adopt" not in page.body
    form = {"id": source, "title": "Parking", "url": publisher.url(PATH), "notes": "B"}
    sent = app.post(
        "/harvest/edit/parking",
        data={**form, "owner_org": saved["owner_org"], "frequency": "DAILY", "save": "only"},
        headers=headers,
        follow_redirects=False,
    )
    assert sent.status_code == 302, sent.body
    assert act("harvest_source_show", id=source)["notes"] == "B"
    assert stored(source)[0][0] == "data_json"


def test_undo_restores_type_and_options_exactly(source: str, cli: Any) -> None:
    before = stored(source)
    cli.invoke(ukharvest, ["adopt", "parking"])
    tried = cli.invoke(ukharvest, ["adopt", "parking", "--undo", "--dry-run"])
    assert "Type: data_json → datajson" in tried.output
    assert stored(source) != before
    done = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert done.exit_code == 0, done.output
    assert "4 datasets no longer adopted" in done.output
    assert stored(source) == before
    assert adopted_from(source) is None
    assert model.Session.query(Record).count() == 0
    again = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert again.exit_code == 2
    assert "has not been adopted" in again.output
    assert "4 datasets adopted" in cli.invoke(ukharvest, ["adopt", "parking"]).output


def test_undo_without_earlier_versions_is_refused(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    cli.invoke(ukharvest, ["adopt", "parking"])
    publisher.serve(PATH, "no JSON")
    portal.run(source)  # a run that imports nothing
    tried = cli.invoke(ukharvest, ["adopt", "parking", "--undo", "--dry-run"])
    assert tried.exit_code == 0, tried.output
    publisher.serve(PATH, catalogue(4))
    portal.run(source)
    after = stored(source)
    model.Session.query(DatasetBefore).delete()  # as before they were kept
    model.Session.commit()
    done = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert done.exit_code == 2
    assert "whose earlier version is not kept any more" in done.output
    assert stored(source) == after


def test_half_an_undo_is_refused(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    cli.invoke(ukharvest, ["adopt", "parking"])
    publisher.serve(PATH, catalogue(3))
    assert figures(portal.run(source)) == {"updated": 3, "missing": 1}
    after = stored(source), portal.datasets()
    model.Session.delete(model.Session.query(DatasetBefore).first())
    model.Session.commit()
    done = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert done.exit_code == 2, done.output
    assert "whose earlier version is not kept any more" in done.output
    assert (stored(source), portal.datasets()) == after
    assert model.Session.query(DatasetBefore).count() == 2


def test_a_run_that_wrote_no_dataset_can_be_undone(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    rows = [*numbered(3), dataset(3, accessLevel="non-public")]
    publisher.serve(PATH, catalogue(rows))
    of_another(source, "datajson", '{"default_tags": ["x"]}')  # CKAN's tags are longer
    before = stored(source)
    cli.invoke(ukharvest, ["adopt", "parking"])
    act("harvest_source_patch", id=source, config='{"default_tags": ["x"]}')
    assert figures(portal.run(source)) == {"errored": 3, "not modified": 1}
    done = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert done.exit_code == 0, done.output
    assert "4 datasets no longer adopted" in done.output
    assert stored(source) == before
    assert model.Session.query(Record).count() == 0


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_undo_restores_what_a_first_run_failed_or_skipped(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    rows = [*numbered(3), dataset(3, accessLevel="non-public")]
    publisher.serve(PATH, catalogue(rows))
    of_another(source, "datajson", '{"default_tags": ["x"]}')  # CKAN's tags are longer
    group = {"name": factories.Group()["name"]}
    for id_, *_others in ids(portal).values():
        act("package_patch", id=id_, groups=[group])
    before, objects = ids(portal), current_objects()
    was = {each["id"]: each for each in portal.datasets()}
    cli.invoke(ukharvest, ["adopt", "parking"])
    act("harvest_source_patch", id=source, config='{"default_tags": ["x"]}')
    assert figures(portal.run(source)) == {"errored": 3, "not modified": 1}
    act("harvest_source_patch", id=source, config="{}")
    assert figures(portal.run(source)) == {"updated": 3, "not modified": 1}
    assert figures(portal.run(source))["deleted"] == 1
    done = cli.invoke(ukharvest, ["adopt", "parking", "--undo"])
    assert done.exit_code == 0, done.output
    assert (ids(portal), current_objects()) == (before, objects)
    restored = portal.datasets()
    assert [differing_fields(was[each["id"]], each) for each in restored] == [set()] * 4
    assert model.Session.query(Record).count() == 0


def test_a_source_that_is_being_run_is_left_alone(source: str, cli: Any) -> None:
    before = stored(source)
    job = HarvestJob(source_id=source, status="Running")
    model.Session.add(job)
    model.Session.commit()
    job_id = job.id
    done = cli.invoke(ukharvest, ["adopt", "parking"])
    assert done.exit_code == 2
    assert f"ckan harvester job-abort {job_id}" in done.output
    assert cli.invoke(ukharvest, ["adopt", "parking", "--dry-run"]).exit_code == 2
    assert stored(source) == before


def test_all_sources_with_another_name_at_once(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    waf = of_another(portal.source(publisher.url("/waf/"), "gemini-waf"), "waf", "{}")
    ours = portal.source(publisher.url("/other.json"))
    stuck = of_another(portal.source(publisher.url("/s.json")), "dcat_json")
    model.Session.add(HarvestJob(source_id=stuck, status="New"))
    model.Session.commit()
    done = cli.invoke(ukharvest, ["adopt", "--all"])
    assert done.exit_code == 2
    assert "has not finished" in done.output
    types = [stored(each)[0][0] for each in (source, waf, ours, stuck)]
    assert types == ["data_json", "gemini-waf", "data_json", "dcat_json"]
    assert [bool(adopted_from(each)) for each in (source, waf, ours)] == [True, True, False]
    assert stored(waf)[0][1] == "{}"
    model.Session.query(HarvestJob).filter_by(source_id=stuck).delete()
    model.Session.commit()
    assert cli.invoke(ukharvest, ["adopt", "--all"]).exit_code == 0
    last = cli.invoke(ukharvest, ["adopt", "--all"])
    assert (last.exit_code, "nothing to adopt" in last.output) == (0, True)


def test_a_wrong_command_says_so(source: str, cli: Any) -> None:
    before = stored(source)
    for words in (["nowhere"], [], ["parking", "--all"], ["--all", "--undo"]):
        done = cli.invoke(ukharvest, ["adopt", *words])
        assert done.exit_code == 2, words
        assert "Error: " in done.output, words
        assert stored(source) == before, words


def test_unknown_type_is_refused(portal: Portal, publisher: Publisher, cli: Any) -> None:
    of_another(portal.source(publisher.url("/x")), "oaipmh-of-others")
    done = cli.invoke(ukharvest, ["adopt", "source-1"])
    assert done.exit_code == 2
    assert "oaipmh-of-others" in done.output
    assert "gemini-waf" in done.output


def test_a_source_that_would_double_another_is_refused(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    act("ukharvest_source_adopt", source_id="parking")
    twin = portal.source(publisher.url(PATH))
    options = {"default_tags": ["parking"], "clean_tags": True}
    of_another(twin, "datajson", json.dumps(options))
    done = cli.invoke(ukharvest, ["adopt", "source-2"])
    assert done.exit_code == 2
    assert "already has this URL and these options" in done.output


def test_adoption_confirms_groups_of_other_organisations(
    portal: Portal, publisher: Publisher
) -> None:
    factories.Group(name="transport")
    publisher.serve(PATH, catalogue(1))
    options = json.dumps({"default_groups": ["transport", "gone"]})
    source_id = of_another(portal.source(publisher.url(PATH)), "datajson", options)
    done = act("ukharvest_source_adopt", source_id=source_id)
    assert "gone" in done["options"][0]["reason"]
    assert figures(portal.run(source_id)) == {"added": 1}
    assert [each["name"] for each in portal.datasets()[0]["groups"]] == ["transport"]


@pytest.mark.parametrize("before", [{}, {"default_groups": ["parks"]}])
def test_undo_takes_back_what_was_confirmed(
    portal: Portal, publisher: Publisher, before: dict[str, Any]
) -> None:
    factories.Group(name="transport")
    options = json.dumps({"default_groups": ["transport"]})
    source_id = of_another(portal.source(publisher.url(PATH)), "datajson", options)
    decision_log.confirm_options(source_id, "", before)
    act("ukharvest_source_adopt", source_id=source_id)
    assert decision_log.confirmed_options(source_id) == {"default_groups": ["transport"]}
    act("ukharvest_source_adopt", source_id=source_id, undo=True)
    model.Session.expire_all()
    assert decision_log.confirmed_options(source_id) == before


def test_options_of_an_equally_named_type_are_adopted(portal: Portal, publisher: Publisher) -> None:
    source_id = of_another(
        portal.source(publisher.url("/"), "ckan"), "ckan", '{"api_version": 2, "force_all": true}'
    )
    done = act("ukharvest_source_adopt", source_id=source_id)
    assert (done["old_type"], done["new_type"], done["changes"]) == ("ckan", "ckan", True)
    assert json.loads(stored(source_id)[0][1]) == {"force_all": True}
    kept = adopted_from(source_id)
    assert act("ukharvest_source_adopt", source_id=source_id)["changes"] is False
    assert adopted_from(source_id) == kept


def test_adopt_all_finds_options_of_another_form(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    publisher.serve(PATH, catalogue(1))
    theirs = json.dumps({"default_extras": {"from": "{harvest_source_title}"}})
    source_id = of_another(portal.source(publisher.url(PATH)), "data_json", theirs)
    tried = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"])
    assert 'default_extras: ["from=Source 1"]' in tried.output
    cli.invoke(ukharvest, ["adopt", "--all"])
    assert figures(portal.run(source_id)) == {"added": 1}
    assert extras(portal.datasets()[0])["from"] == "Source 1"


def test_options_of_a_source_that_ours_has_read_are_left_alone(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    publisher.serve(PATH, catalogue(1))
    theirs = '{"default_tags": [{"name": "parking"}]}'
    source_id = of_another(portal.source(publisher.url(PATH)), "data_json", theirs)
    assert figures(portal.run(source_id)) == {"added": 1}
    assert "nothing to adopt" in cli.invoke(ukharvest, ["adopt", "--all"]).output
    assert stored(source_id)[0][1] == theirs


def test_the_doctor_names_the_command(portal: Portal, publisher: Publisher, source: str) -> None:
    (found,) = services.source_types()
    assert found.level == "error"
    assert "parking" in found.message
    assert "'ckan ukharvest adopt parking --dry-run'" in found.what_to_do
    of_another(portal.source(publisher.url("/2.json")), "datajson")
    (found,) = services.source_types()
    assert "'ckan ukharvest adopt --all'" in found.what_to_do
    act("ukharvest_source_adopt", source_id="parking")
    act("ukharvest_source_adopt", source_id="source-2")
    assert list(services.source_types()) == []


def test_before_it_is_adopted_pages_and_actions_say_what_to_do(
    app: CKANTestApp, source: str, publisher: Publisher, cli: Any
) -> None:
    command = "ckan ukharvest adopt parking"
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    for path in ("parking", "edit/parking", "about/parking", "parking/datasets"):
        page = app.get(f"/harvest/{path}", headers=headers)
        assert (page.status_code, command in page.body) == (200, True), path
    assert app.get("/harvest/parking/job", headers=headers).status_code == 200
    assert command not in app.get("/harvest/parking").body
    assert app.get("/harvest", headers=headers).status_code == 200
    assert [each["type"] for each in act("ukharvest_source_list")["results"]] == ["datajson"]
    form = {"id": source, "title": "Parking", "url": publisher.url(PATH), "frequency": "DAILY"}
    sent = app.post("/harvest/edit/parking", data={**form, "save": "only"}, headers=headers)
    assert command in sent.body
    with pytest.raises(tk.ValidationError, match=command):
        act("ukharvest_run_create", source_id="parking")
    assert command in cli.invoke(ukharvest, ["run", "parking"]).output
    assert model.Session.query(HarvestJob).filter_by(status="New").count() == 0


def test_sources_are_found_by_each_name_of_their_type(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    ours = portal.source(publisher.url("/other.json"), name="ours")
    portal.source(publisher.url("/folder/"), "gemini-waf", name="folder")
    everything = ["folder", "ours", "parking"]
    assert search_names(q="type:harvest") == everything
    assert search_names(fq="type:harvest") == everything
    assert search_names(fq="dataset_type:harvest") == everything
    for name in ("datajson", "data_json", "dcat_json", '"datajson"'):
        assert search_names(q=f"type:harvest AND source_type:{name}") == ["ours", "parking"]
        assert search_names(q=f"source_type:{name}", fq="dataset_type:harvest") == [
            "ours",
            "parking",
        ]
    assert search_names(q="type:harvest AND source_type:(waf OR datajson)") == everything
    assert search_names(q="type:harvest -source_type:datajson") == ["folder"]
    act("ukharvest_source_adopt", source_id="parking")
    assert search_names(q="type:harvest AND source_type:datajson") == ["ours", "parking"]
    assert search_names(q='type:harvest AND title:"Source 2"') == ["ours"]
    # Datasets are found as before, sources only where they are named.
    assert (
        len(search_names())
        == len(search_names(q="type:dataset"))
        == len(search_names(q="-type:harvest"))
        == 4
    )
    assert search_names(q="source_type:datajson") == []
    assert len(search_names(q="type:harvest OR type:dataset")) == 7
    act("harvest_source_patch", id=ours, private=True)
    for query in ({"q": "type:harvest"}, {"q": "type:harvest", "include_private": True}):
        found = call_action("package_search", {"user": "", "ignore_auth": False}, **query)
        assert sorted(each["name"] for each in found["results"]) == ["folder", "parking"]


def test_api_and_search_page_answer_over_http(
    app: CKANTestApp, portal: Portal, source: str
) -> None:
    asked = "/api/3/action/package_search?q=type%3Aharvest+AND+source_type%3Adatajson"
    answer = json.loads(app.get(asked).body)["result"]
    assert [each["name"] for each in answer["results"]] == ["parking"]
    # A person who searches explicitly for sources finds them on the page, too.
    assert "/harvest/parking" in app.get("/dataset/?q=type%3Aharvest").body
    assert "/harvest/parking" not in app.get("/dataset/?q=source_type%3Adatajson").body
