"""Hooks that were written for stock harvesters are called by ours, with what those gave them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ckan.plugins as p
import pytest
from ckan import model

from tests import gemini_catalogue
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, extras, figures
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("second")]

ROW = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Parks {0}" ;
 dct:description "All parks" ; dcat:distribution <https://data.example/{0}#csv> .
<https://data.example/{0}#csv> a dcat:Distribution ; dct:license <https://licences.example/1> ;
 dcat:accessURL <https://data.example/{0}.csv> ."""


@pytest.fixture
def dcat(second: None) -> Iterator[Any]:
    """The class of a plugin of IDCATRDFHarvester; tests give it methods."""
    with portal_with("", "old_dcat"):
        yield type(p.get_plugin("old_dcat"))


@pytest.fixture
def spatial(second: None) -> Iterator[Any]:
    """The class of a plugin of ISpatialHarvester; tests give it a method."""
    with portal_with("", "old_spatial"):
        yield type(p.get_plugin("old_spatial"))


def source_of(portal: Portal, publisher: Publisher, *numbers: int) -> str:
    text = TURTLE + "\n".join(map(ROW.format, numbers))
    publisher.serve("/c.ttl", text, headers={"Content-Type": "text/turtle"})
    return portal.source(publisher.url("/c.ttl"), "dcat_rdf")


def test_hooks_of_dcat_change_and_follow_datasets(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    after: list[tuple[str, str, str]] = []

    def before(_self: Any, obj: Any, data: dict[str, Any], shared: dict[str, Any]) -> None:
        assert json.loads(obj.content)["title"] == data["title"]
        assert data["resources"][0]["license"] == "https://licences.example/1"
        data["extras"].append({"key": "area", "value": obj.source.title})
        data["resources"][0]["name"] = "Table"
        shared["seen"] = data["name"]

    def follow(_self: Any, obj: Any, data: dict[str, Any], shared: dict[str, Any]) -> None:
        after.append((data["id"], obj.guid, shared["seen"]))

    for name, method in {"create": follow, "update": follow}.items():
        monkeypatch.setattr(dcat, f"before_{name}", before)
        monkeypatch.setattr(dcat, f"after_{name}", method)
    source = source_of(portal, publisher, 0)
    assert figures(portal.run(source)) == {"added": 1}
    [found] = portal.datasets()
    assert (extras(found)["area"], found["resources"][0]["name"]) == ("Source 1", "Table")
    assert "dcat_notes" not in extras(found), "what a hook leaves alone is ours"
    assert figures(portal.run(source)) == {"not modified": 1}
    assert figures(portal.run(source, force=True)) == {"updated": 1}
    assert after == [(found["id"], "https://data.example/0", "parks-0")] * 2


def test_file_keeps_its_id_past_a_hook_when_its_url_changes(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def before(_self: Any, _obj: Any, data: dict[str, Any], _shared: Any) -> None:
        data["resources"] = [
            {"url": "https://data.example/help", "name": "Help"},
            *data["resources"],
        ]

    monkeypatch.setattr(dcat, "before_create", before)
    monkeypatch.setattr(dcat, "before_update", before)
    source = source_of(portal, publisher, 0)
    assert figures(portal.run(source)) == {"added": 1}
    ids = [file["id"] for file in portal.datasets()[0]["resources"]]
    text = (TURTLE + ROW.format(0)).replace("0.csv>", 'new.csv> ; dct:title "New"')
    publisher.serve("/c.ttl", text, headers={"Content-Type": "text/turtle"})
    assert figures(portal.run(source)) == {"updated": 1}
    [_help, file] = files = portal.datasets()[0]["resources"]
    assert file["url"] == "https://data.example/new.csv"
    assert [file["id"] for file in files] == ids


def test_dataset_that_a_hook_empties_is_left_as_it_is(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def empty(_self: Any, _obj: Any, data: dict[str, Any], _shared: Any) -> None:
        if data["title"].endswith("1"):
            data.clear()

    monkeypatch.setattr(dcat, "before_create", empty)
    source = source_of(portal, publisher, 0, 1)
    assert figures(portal.run(source)) == {"added": 1, "not modified": 1}
    monkeypatch.setattr(dcat, "before_create", lambda *_: None)
    assert figures(portal.run(source, force=True)) == {"added": 1, "updated": 1}
    monkeypatch.setattr(dcat, "before_update", empty)
    before = portal.datasets()[1]
    for _run in range(4):
        assert figures(portal.run(source, force=True)) == {"updated": 1, "not modified": 1}
    assert portal.datasets()[1] == before


def test_error_after_saving_saves_nothing(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dcat, "after_create", lambda *_: "the store is down")
    job = portal.run(source_of(portal, publisher, 0))
    assert "old_dcat of this portal failed (the store is down)" in str(job["object_error_summary"])
    assert portal.datasets() == []


def test_schema_of_a_hook_validates(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = {"author": [p.toolkit.get_validator("not_empty")]}
    monkeypatch.setattr(
        dcat, "update_package_schema_for_create", lambda _self, schema: {**schema, **needed}
    )
    job = portal.run(source_of(portal, publisher, 0))
    assert figures(job) == {"errored": 1}
    assert "author: Missing value" in str(job["object_error_summary"])


def test_spatial_hook_gets_what_ckanext_spatial_read(
    spatial: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[str, Any]] = []

    def change(_self: Any, context: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        assert context["model"] is model
        given.append(data)
        return {**data["package_dict"], "title": data["iso_values"]["title"].upper()}

    monkeypatch.setattr(spatial, "get_package_dict", change)
    record = gemini_catalogue.records()[0]
    publisher.serve("/1.xml", record.document, headers={"Content-Type": "application/xml"})
    assert figures(portal.run(portal.source(publisher.url("/1.xml"), "gemini-single")))
    [data], [found] = given, portal.datasets()
    assert data["iso_values"]["guid"] == data["harvest_object"].guid == record.guid
    assert data["xml_tree"].tag.endswith("MD_Metadata")
    stock = {each["key"]: each["value"] for each in data["package_dict"]["extras"]}
    parties = json.loads(stock["responsible-party"])
    assert parties[0] == {"name": "Wold Mapping Board", "roles": ["publisher", "pointOfContact"]}
    assert found["title"] == "WATER ABSTRACTION OF THE VALE OF YORK, SHEET 0"
    assert extras(found)["responsible-party"].startswith("Wold Mapping Board ("), "ours stays"
    assert "spatial_harvester" not in extras(found)
    assert found["name"].startswith("water-abstraction")


@pytest.mark.parametrize("name", ["second_nothing:Class", "second_old_hooks:Nothing"])
def test_class_that_cannot_be_used_fails_the_run(
    portal: Portal, publisher: Publisher, name: str
) -> None:
    with portal_with("", **{"ckanext.ukharvest.hooks": name}):
        job = portal.run(source_of(portal, publisher, 0))
    assert f"ckanext.ukharvest.hooks: “{name}” cannot be used" in str(job["gather_error_summary"])
    assert portal.datasets() == []


def test_ported_extensions_are_not_called_twice(
    dcat: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(dcat, "before_create", lambda *args: calls.append(args))
    source = source_of(portal, publisher, 0)
    hook = dcat.__module__.replace("old_", "")
    monkeypatch.setattr(dcat, "__module__", hook)
    with portal_with("", "second_hook"):
        assert figures(portal.run(source)) == {"added": 1}
    assert calls == []
