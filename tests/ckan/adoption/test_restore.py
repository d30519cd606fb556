"""A portal moves source by source, beside its stock harvester, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest import queue
from ckanext.harvest.harvesters.ckanharvester import CKANHarvester
from ckanext.harvest.model import HarvestSource
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.dataset_changes import differing_fields
from ckanext.ukharvest.harvest.model import DatasetBefore, Record, SourceState
from ckanext.ukharvest.harvest.run import prune
from tests.ckan.adoption.stock_harvests import current_objects
from tests.ckan.adoption.takeovers import fill, ids
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.people import Person, member
from tests.ckan.previews.previewing import as_
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1"),
]

BESIDE = {"ckanext.ukharvest.side_by_side": "true"}


@pytest.fixture
def remote(publisher: Publisher) -> RemoteSite:
    site = RemoteSite([package(n) for n in range(5)])
    publisher.routes = site  # type: ignore[assignment]
    return site


@pytest.fixture
def beside(clean: None) -> Iterator[None]:
    """The stock harvester and ours are both on."""
    with portal_with("", "ckan_harvester", **BESIDE):
        yield


@pytest.fixture
def source(beside: None, portal: Portal, publisher: Publisher, remote: RemoteSite) -> str:
    """A source that the stock harvester filled."""
    source_id = portal.source(publisher.base, "ckan")
    stock = queue.get_harvester("ckan")
    assert type(stock) is CKANHarvester
    assert fill(stock, source_id) == 5
    return source_id


def adopt(cli: Any, *words: str, code: int = 0) -> str:
    done = cli.invoke(ukharvest, ["adopt", *words])
    assert done.exit_code == code, done.output
    return str(done.output)


def type_of(source_id: str) -> tuple[str, str]:
    model.Session.expire_all()
    package_ = model.Package.get(source_id)
    return HarvestSource.get(source_id).type, package_.extras["source_type"]


def shown(portal: Portal) -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in portal.datasets()}


def test_undo_restores_what_nobody_else_changed(
    portal: Portal, remote: RemoteSite, source: str, cli: Any
) -> None:
    group = factories.Group()["name"]
    for id_ in shown(portal):
        act("package_patch", id=id_, groups=[{"name": group}])
    before, objects = shown(portal), current_objects()
    assert "Type: ckan → ukharvest_ckan" in adopt(cli, "source-1")
    assert type_of(source) == ("ukharvest_ckan", "ukharvest_ckan")
    assert figures(portal.run(source)) == {"updated": 5}
    by_name = {each["name"]: id_ for id_, each in before.items()}
    edited, person, gone = (by_name[f"remote_{n}"] for n in (0, 1, 4))
    of_gone = model.Session.query(model.Member).filter_by(table_id=gone, state="active")
    members = of_gone.count()
    # As CKAN's member_create leaves it, once a dataset has left a group and is in it again.
    left = {"table_id": gone, "table_name": "package", "state": "deleted"}
    model.Session.add(model.Member(group=model.Group.get(group), **left))
    act("package_patch", id=edited, author="A person")
    act("package_delete", id=person)
    for number in (0, 2):
        remote.packages[number]["title"] = f"Changed {number}"
    remote.packages[2]["resources"].pop()
    remote.packages.pop(4)
    remote.packages.append(package(7))
    # Else the next run would only ask for changes.
    model.Session.query(SourceState).update({"sync_state": None})
    model.Session.commit()
    assert figures(portal.run(source))["deleted"] == 1
    prune.prune_all(["ukharvest_ckan"], keep_runs=1)
    after = shown(portal)
    tried = adopt(cli, "source-1", "--undo", "--dry-run")
    assert shown(portal) == after

    done = adopt(cli, "source-1", "--undo")
    assert type_of(source) == ("ckan", "ckan")
    for text in (
        "remote_0: fields that others changed stay: author",
        "remote_1: somebody deleted it; it stays deleted",
        "remote_7: it came with a run of ckanext-ukharvest, and stays",
    ):
        assert text in done
        assert text in tried
    restored = shown(portal)
    assert restored.keys() - before.keys() == {
        by_ for by_, row in after.items() if row["name"] == "remote_7"
    }
    assert before.keys() - restored.keys() == {person}
    assert gone in restored
    assert of_gone.count() == members
    for id_ in before.keys() & restored.keys():
        changed = {"author"} if id_ == edited else set()
        assert differing_fields(before[id_], restored[id_]) == changed
        files = [[file["id"] for file in each[id_]["resources"]] for each in (before, restored)]
        assert files[0] == files[1]
        assert current_objects()[id_] == objects[id_]
    assert model.Session.query(Record).count() == 0
    assert model.Session.query(DatasetBefore).count() == 0
    known = ids(portal)
    fill(queue.get_harvester("ckan"), source)
    assert ids(portal).keys() >= known.keys()
    assert "6 datasets adopted" in adopt(cli, "source-1"), "the new one too"


TURTLE_ROW = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Parks {0}" ;
 dct:description "All parks" ; dcat:distribution [ a dcat:Distribution ;
 dcat:accessURL <https://data.example/{0}.csv> ] ."""


@pytest.mark.parametrize(
    ("plugin", "method"),
    [
        ("old_dcat", "after_update"),
        pytest.param(
            *("empty_hook", "after_dataset_update"),
            marks=pytest.mark.xfail(
                not p.toolkit.check_ckan_version("2.12"),
                reason="CKAN 2.11 asks for deleted extras once a plugin patches what undo saves",
            ),
        ),
    ],
)
def test_undo_takes_back_what_plugins_wrote_after_our_save(
    portal: Portal,
    publisher: Publisher,
    cli: Any,
    monkeypatch: pytest.MonkeyPatch,
    plugin: str,
    method: str,
) -> None:
    goes_on = plugin == "empty_hook"  # a portal's own way to save any dataset
    wanted = ""

    def serve() -> None:
        rows = TURTLE + "\n".join(map(TURTLE_ROW.format, range(2)))
        # CKAN 2.12 tells plugins only of what differs.
        text = rows.replace("All parks", wanted) if goes_on else rows
        publisher.serve("/c.ttl", text, headers={"Content-Type": "text/turtle"})

    def write(_self: Any, _context: Any, data: dict[str, Any], *_more: Any) -> None:
        if model.Package.get(data["id"]).maintainer != wanted:
            context = {"ignore_auth": True, "user": "harvest"}
            patched = {"id": data["id"], "maintainer": wanted}
            p.toolkit.get_action("package_patch")(context, patched)

    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "second_package"))
    with portal_with("", "dcat_rdf_harvester", plugin, **BESIDE):
        serve()
        source = portal.source(publisher.url("/c.ttl"), "dcat_rdf")
        fill(queue.get_harvester("dcat_rdf"), source)
        before = shown(portal)
        monkeypatch.setattr(type(p.get_plugin(plugin)), method, write)
        adopt(cli, "source-1")
        for wanted in ("The first text", "What nothing else comes with"):
            serve()
            assert figures(portal.run(source, force=True)) == {"updated": 2}
            assert {each["maintainer"] for each in portal.datasets()} == {wanted}
        done = adopt(cli, "source-1", "--undo")
        assert done.count("fields that others changed stay: maintainer") == (2 if goes_on else 0)
        after = shown(portal)
        assert after.keys() == before.keys()
        for id_, dataset in after.items():
            changed = {"maintainer"} if goes_on else set()
            assert differing_fields(before[id_], dataset) == changed


def test_finish_renames_when_the_other_plugin_is_gone(
    portal: Portal, publisher: Publisher, remote: RemoteSite, cli: Any
) -> None:
    with portal_with("", "ckan_harvester", **BESIDE):
        source = portal.source(publisher.base, "ckan")
        fill(queue.get_harvester("ckan"), source)
        before = ids(portal)
        assert "source-1" in adopt(cli, "--all")
        assert figures(portal.run(source)) == {"updated": 5}
        refused = adopt(cli, "--finish", code=2)
        assert "the plugin ckan_harvester still harvests the type “ckan”" in refused
        assert type_of(source)[0] == "ukharvest_ckan"
    assert "ukharvest_ckan → ckan" in adopt(cli, "--finish", "--dry-run")
    assert model.Session.query(DatasetBefore).count() == 5
    assert "ukharvest_ckan → ckan" in adopt(cli, "--finish")
    assert type_of(source) == ("ckan", "ckan")
    assert figures(portal.run(source)) == {"not modified": 5}
    assert ids(portal) == before
    assert model.Session.query(DatasetBefore).count() == 0
    assert "nothing to undo" in adopt(cli, "source-1", "--undo", code=2)


@pytest.mark.ckan_config("ckanext.ukharvest.approval", "true")
def test_finish_accepts_nothing(portal: Portal, publisher: Publisher, cli: Any) -> None:
    user = member({"id": portal.organization_id})
    with portal_with("", "ckan_harvester", **BESIDE):
        made = {"url": publisher.base, "source_type": "ukharvest_ckan", "name": "beside"}
        made |= {"title": "Beside", "owner_org": portal.organization_id}
        as_(user, "harvest_source_create", **made)
    assert "ukharvest_ckan → ckan" in adopt(cli, "--finish")
    waits = act("ukharvest_source_show", source_id="beside")["approval"]
    assert (waits["state"], waits["source_type"]) == ("waiting", "ckan")
    with pytest.raises(tk.ValidationError, match="sysadmin"):
        act("ukharvest_run_create", source_id="beside")


def test_sources_that_were_not_adopted_stay_with_their_harvester(
    portal: Portal, publisher: Publisher, source: str, cli: Any
) -> None:
    other = portal.source(publisher.url("/data.json"))
    assert type_of(other)[0] == "data_json", "no other plugin has this type"
    assert "ukharvest_ckan" in adopt(cli, "--all", "--dry-run")
    assert type_of(source) == ("ckan", "ckan")
    names = {row["name"] for row in act("ukharvest_type_list") if row["enabled"]}
    assert "ckan" in names


def test_form_saves_options_beside_the_stock_harvester(
    app: CKANTestApp, beside: None, portal: Portal, publisher: Publisher, sysadmin: Person
) -> None:
    headers = sysadmin["headers"]
    page = html.fromstring(app.get("/harvest/new", headers=headers).body)
    sent = {"title": "Parks", "url": publisher.base, "owner_org": portal.organization_id}
    sent |= {"source_type": "ukharvest_ckan", "frequency": "MANUAL", "save": "only"}
    sent |= {"options_of": page.xpath("//input[@name='options_of']/@value")}
    sent["option_ckan_left_out_types"] = "showcase"
    app.post("/harvest/new", data=sent, headers=headers, follow_redirects=False)
    source_id = model.Package.get("parks").id
    assert type_of(source_id)[0] == "ukharvest_ckan"
    assert HarvestSource.get(source_id).config == '{\n  "left_out_types": [\n    "showcase"\n  ]\n}'
