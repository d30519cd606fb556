"""Records are validated by the portal's form, or as stock harvesters do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import dataset_schema, source_types
from ckanext.ukharvest.adoption import rules
from ckanext.ukharvest.core.dataset_changes import differing_fields
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.sources.form_values import shown_options
from tests.ckan.adoption.stock_harvests import (
    Stock,
    current_objects,
    ids,
    numbered,
    of_another,
    stored,
)
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import SCHEMING, SCHEMING_WITHOUT, portal_with
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

SECOND = Path(__file__).parents[1] / "second_package"
PATH = "/data.json"
STOCK = {"package_schema": "stock"}
SETTING = {"ckanext.ukharvest.package_schema": "stock"}


@pytest.fixture(autouse=True)
def second(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other extension is installed."""
    monkeypatch.syspath_prepend(str(SECOND))


def serve(publisher: Publisher, *rows: dict[str, Any]) -> str:
    publisher.serve(PATH, catalogue(rows))
    return publisher.url(PATH)


def options_of(source_id: str) -> dict[str, Any]:
    model.Session.remove()
    return dict(json.loads(HarvestSource.get(source_id).config or "{}"))


def test_stock_validation_goes_past_the_form(portal: Portal, publisher: Publisher) -> None:
    row = dataset(0, theme=["Crime"], accrualPeriodicity="R/P1M")
    with portal_with("", "strict_form"):
        source = portal.source(serve(publisher, row), config=STOCK)
        assert figures(portal.run(source)) == {"added": 1}
        [found] = portal.datasets()
        # The form shows its own fields at the top level; they are stored as the source has them.
        assert found["theme-primary"] == "Crime"
        assert found["update_frequency"] == "R/P1M"
        act("harvest_source_patch", id=source, config="")
        assert figures(portal.run(source)) == {"errored": 1}, "the other rules are import rules"


def test_setting_decides_where_the_option_does_not(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "strict_form", **SETTING):
        source = portal.source(serve(publisher, dataset(0)))
        assert figures(portal.run(source)) == {"added": 1}
        act("harvest_source_patch", id=source, config='{"package_schema": "form"}')
        assert figures(portal.run(source)) == {"errored": 1}


@pytest.mark.parametrize("stock", [dataset_schema._STOCK, {}], ids=["as ckanext-dcat", "base"])
def test_field_of_the_form_that_a_person_filled_stays(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, stock: Any
) -> None:
    with portal_with("", "slug_form"):
        row = dataset(0, title="Things", keyword=[])
        source = portal.source(serve(publisher, row), config=STOCK)
        monkeypatch.setattr(dataset_schema, "_STOCK", stock)
        assert figures(portal.run(source)) == {"added": 1}
        [found] = portal.datasets()
        act("package_patch", id=found["id"], **{"foi-name": "FOI team"})
        serve(publisher, dataset(0, title="Changed", keyword=[]))
        assert figures(portal.run(source)) == {"updated": 1}
        [found] = portal.datasets()
        assert (found["title"], found["foi-name"]) == ("Changed", "FOI team")


@pytest.mark.parametrize("type_name", ["data_json", "gemini-waf", "ckan", "oaipmh", "dcat_rdf"])
def test_stock_schemas_are_those_of_the_table(type_name: str) -> None:
    create, update = (
        dataset_schema.stock_schema(type_name, action)
        for action in ("package_create", "package_update")
    )
    assert dataset_schema.has_stock_schema(type_name) is (type_name != "dcat_rdf")
    assert (create is not None) is (type_name != "dcat_rdf")
    assert (update is not None) is (type_name not in ("dcat_rdf", "data_json"))
    is_of_base = (update or {}).get("__junk") == [tk.get_validator("ignore")]
    assert is_of_base is (type_name in ("ckan", "oaipmh"))


def test_adopted_source_keeps_what_its_harvester_did(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(serve(publisher, dataset(0)))
    model.Session.query(HarvestSource).filter_by(id=source).update({"type": "dcat_json"})
    model.Session.commit()
    open_ = {"include_non_public": True}
    assert json.loads(rules.plan(HarvestSource.get(source)).new_config or "{}") == open_
    with portal_with("", "strict_form"):
        planned = rules.plan(HarvestSource.get(source))
        assert json.loads(planned.new_config or "{}") == {**STOCK, **open_}
        [change, _open] = planned.options
        assert (change.change, change.new_value) == ("added", "stock")
        act("ukharvest_source_adopt", source_id=source)
        assert options_of(source) == {**STOCK, **open_}
        assert figures(portal.run(source)) == {"added": 1}


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_versions_that_the_form_refuses_can_be_restored_later(
    portal: Portal, publisher: Publisher
) -> None:
    source = portal.source(serve(publisher, *numbered(2)))
    Stock(source, portal.organization_id).fill(numbered(2))
    before, objects = portal.datasets(), current_objects()
    act("ukharvest_source_adopt", source_id=of_another(source, "datajson"))
    assert figures(portal.run(source)) == {"updated": 2}
    serve(publisher, dataset(0))
    assert figures(portal.run(source)) == {"not modified": 1, "deleted": 1}
    with portal_with("", "strict_form"):
        done = act("ukharvest_source_adopt", source_id=source, undo=True)
        assert ["author" in dataset["reason"] for dataset in done["left"]] == [True] * 2
        assert done["restored"] == 0
    assert (len(portal.datasets()), stored(source)[0][0]) == (1, "datajson")
    done = act("ukharvest_source_adopt", source_id=source, undo=True)
    assert (done["restored"], done["left"]) == (2, [])
    after = portal.datasets()
    assert [differing_fields(*both) for both in zip(before, after, strict=True)] == [set()] * 2
    assert current_objects() == objects
    assert model.Session.query(Record).count() == 0


def test_run_after_undo_adopts_again_although_one_was_refused(
    portal: Portal, publisher: Publisher
) -> None:
    source = portal.source(serve(publisher, *numbered(2)))
    Stock(source, portal.organization_id).fill(numbered(2))
    before, [first, _second] = ids(portal), portal.datasets()
    act("package_patch", id=first["id"], author="Highways")
    assert figures(portal.run(source)) == {"updated": 2}
    with portal_with("", "strict_form"):
        done = act("ukharvest_source_adopt", source_id=source, undo=True)
    assert (done["restored"], len(done["left"])) == (1, 1)
    tried = queue.get_harvester("data_json").dry_run(HarvestSource.get(source), lambda *_: True)
    assert "added" not in tried["changes"]
    assert figures(portal.run(source)) == {"updated": 2}
    assert ids(portal) == before


def test_first_run_of_an_adopted_source_keeps_it_too(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(serve(publisher, dataset(0), dataset(1)))
    package = act(
        "package_create",
        name="old",
        owner_org=portal.organization_id,
        extras=[
            {"key": "harvest_source_id", "value": source},
            {"key": "guid", "value": dataset(0)["identifier"]},
        ],
    )
    with portal_with("", "strict_form"):
        tried = queue.get_harvester("data_json").dry_run(HarvestSource.get(source), lambda *_: True)
        assert tried["changes"]["added"] == 1
        run = figures(portal.run(source))
        assert options_of(source) == STOCK
    # ckanext-dcat's harvester validates what it changes by the form.
    assert run == {"added": 1, "errored": 1}
    assert tried["refused"]["records"] == 1
    assert package["id"] in {found["id"] for found in portal.datasets()}


def test_option_is_not_offered_where_scheming_decides(portal: Portal, publisher: Publisher) -> None:
    kind = source_types.TYPES["data_json"]
    offered = [field.option.name for field in shown_options(kind, sysadmin=True)]
    assert "package_schema" in offered
    with portal_with(SCHEMING, **SCHEMING_WITHOUT):
        offered = [field.option.name for field in shown_options(kind, sysadmin=True)]
        assert "package_schema" not in offered
        source = portal.source(serve(publisher, dataset(0)), config=STOCK)
        assert figures(portal.run(source)) == {"added": 1}
        assert extras(portal.datasets()[0])["guid"]
