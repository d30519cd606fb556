"""What people own of a harvested dataset stays; what the source no longer supplies goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import plugin_loaded
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.fields import DATASET, FIELDS, RESOURCE
from ckanext.ukharvest.harvest.model import Change, Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.datasets.dataset_forms import KINDS, facts
from tests.ckan.forms import FORM, portal_with
from tests.ckan.harvest.edited_datasets import NOTHING, PATH, Source
from tests.ckan.harvesters.uk_fields import WANTED
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

CORE = {
    "url": "https://site.example/about",
    "version": "2026",
    "license_id": "uk-ogl",
    "author": "A person",
    "author_email": "person@site.example",
    "maintainer": "Another person",
    "maintainer_email": "other@site.example",
}
OF_DATASET = {each.key: WANTED[each.key] for each in FIELDS if each.of == DATASET}
OF_RESOURCE = {each.key: WANTED[each.key] for each in FIELDS if each.of == RESOURCE}


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> Source:
    return Source(portal, publisher)


# How forms store fields is in test_dataset_schema: with ckanext-scheming as ours, or as CKAN's.
@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.giant if "scheming" in name else ()) for name in KINDS
    ]
)
def kind(request: pytest.FixtureRequest, clean: None) -> Iterator[str]:
    """A portal with another kind of dataset form."""
    plugin, settings = KINDS[request.param]
    with portal_with(plugin, **settings):
        yield request.param


def write(package: dict[str, Any], **fields: Any) -> None:
    """Change a dataset by the API, as a person does; ``extras`` are added to its own."""
    kept = {key: text for key, text in extras(package).items() if not key.startswith("harvest_")}
    kept |= fields.pop("extras", {})
    rows = [{"key": key, "value": text} for key, text in kept.items()]
    act("package_patch", id=package["id"], extras=rows, **fields)


def test_a_persons_fields_stay(kind: str, source: Source) -> None:
    group = factories.Group(name="by-hand")
    first = source.harvest(**NOTHING)
    own = OF_DATASET
    has_fields = plugin_loaded(FORM) or kind == "scheming with our presets"
    given = (
        {**own, "extras": {"colour": "red"}} if has_fields else {"extras": {**own, "colour": "red"}}
    )
    tags = [{"name": "by hand"}]
    write(first, **CORE, **given, groups=[{"name": group["name"]}], tags=tags)
    act("resource_patch", id=first["resources"][0]["id"], description="Ours", **OF_RESOURCE)

    for force in (False, True):
        for title in (f"Changed, {force}", f"Changed again, {force}"):
            found = source.harvest(**NOTHING, title=title, force=force)
        assert found["title"] == title
        assert facts(found) == {**OF_DATASET, **OF_RESOURCE}, title
        assert {key: found[key] for key in CORE} == CORE, title
        assert extras(found)["colour"] == "red", title
        assert [each["name"] for each in found["groups"]] == ["by-hand"], title
        assert [each["name"] for each in found["tags"]] == ["by hand"], title
        assert found["resources"][0]["description"] == "Ours", title


def test_field_no_longer_supplied_is_removed(source: Source) -> None:
    file = {"downloadURL": "https://data.example/get/0", "description": "D", "format": "CSV"}
    more = {"landingPage": "https://data.example/0", "accrualPeriodicity": "R/P1Y", "rights": "All"}
    first = source.harvest(**more, distribution=[{**file, "byteSize": 7}])
    write(first, version="2026", extras={"mandate": '["https://www.legislation.gov.uk/1"]'})
    full = source.harvest(**more, distribution=[{**file, "byteSize": 7}], title="Changed")
    assert (full["url"], full["maintainer"]) == ("https://data.example/0", "Data team")
    assert extras(full)["update_frequency"] == "R/P1Y"

    left = source.harvest(**NOTHING, distribution=[{"downloadURL": file["downloadURL"]}])
    for key in ("notes", "url", "license_id", "maintainer", "maintainer_email"):
        assert not left[key], key
    assert left["tags"] == []
    gone = {"update_frequency", "rights", "data_modified", "contact-name", "dcat_publisher_name"}
    assert not gone & extras(left).keys()
    assert gone < extras(full).keys()
    assert {"mandate", "guid"} < extras(left).keys()
    assert left["version"] == "2026"
    [resource] = left["resources"]
    assert resource["id"] == first["resources"][0]["id"]
    assert not any(resource[key] for key in ("description", "format", "size"))


def test_a_field_that_the_source_begins_to_supply_is_its_own(source: Source) -> None:
    write(source.harvest(**NOTHING), notes="By hand.", extras={"update_frequency": "R/P1D"})
    given = {**NOTHING, "description": "The publisher's words.", "accrualPeriodicity": "R/P1Y"}
    found = source.harvest(**given)
    assert found["notes"] == "The publisher's words."
    assert extras(found)["update_frequency"] == "R/P1Y"
    found = source.harvest(**NOTHING)
    assert not found["notes"]
    assert "update_frequency" not in extras(found)


def test_another_spelling_is_saved_but_changes_nothing(
    portal: Portal, publisher: Publisher
) -> None:
    files = [
        {"title": title, "downloadURL": f"https://data.example/{title}", "mediaType": "text/csv"}
        for title in ("a", "b")
    ]
    given = {"description": "All  of\nthem.", "keyword": ["parking", "Roads"]}
    source = Source(portal, publisher)
    first = source.harvest(**given, modified="2026-05-01", distribution=files)

    def run(**fields: Any) -> tuple[dict[str, int], dict[str, Any]]:
        publisher.serve(PATH, catalogue([dataset(0, **fields)]))
        job = portal.run(source.id)
        (found,) = portal.datasets()
        return figures(job), found

    other = {
        "description": "All of them. ",
        "keyword": ["roads", "PARKING"],
        "modified": "2026-05-01T00:00:00Z",
        "distribution": files[::-1],
    }
    numbers, found = run(**other)
    assert numbers == {"not modified": 1}
    assert found["metadata_modified"] == first["metadata_modified"]
    assert {file["id"]: file["metadata_modified"] for file in found["resources"]} == {
        file["id"]: file["metadata_modified"] for file in first["resources"]
    }
    assert [file["name"] for file in found["resources"]] == ["b", "a"], "saved"
    assert sorted(tag["name"] for tag in found["tags"]) == ["PARKING", "roads"]
    assert extras(found)["data_modified"] == "2026-05-01T00:00:00Z"
    assert call_action("package_search", fq="tags:PARKING")["count"] == 1
    assert model.Session.query(Change).filter_by(kind="updated").count() == 0
    [row] = model.Session.query(Record)
    assert (row.outcome, row.package_id) == ("updated", first["id"])
    assert run(**other) == ({"not modified": 1}, found)

    numbers, found = run(**other | {"description": "All of them, and more."})
    assert numbers == {"updated": 1}
    assert found["metadata_modified"] > first["metadata_modified"]


def test_groups_of_the_options_go_with_them(portal: Portal, publisher: Publisher) -> None:
    for name in ("roads", "by-hand"):
        factories.Group(name=name)
    source = Source(portal, publisher, default_groups=["roads"], default_extras={"added": "yes"})
    first = source.harvest()
    write(first, groups=[*first["groups"], {"name": "by-hand"}])
    found = source.harvest(title="Changed")
    assert {each["name"] for each in found["groups"]} == {"by-hand", "roads"}
    assert extras(found)["added"] == "yes"
    act("harvest_source_patch", id=source.id, config="")
    found = source.harvest(title="Changed")
    assert [each["name"] for each in found["groups"]] == ["by-hand"]
    assert "added" not in extras(found)


def test_unknown_supplied_fields_remove_nothing(portal: Portal, publisher: Publisher) -> None:
    source = Source(portal, publisher)
    full = {"accrualPeriodicity": "R/P1Y", "license": dataset(0)["license"]}
    first = source.harvest(**full)
    model.Session.execute(sa.update(Record).values(supplied_fields=sa.null()))
    model.Session.commit()
    found = source.harvest(**NOTHING)
    assert (found["license_id"], found["notes"]) == (first["license_id"], first["notes"])
    assert extras(found)["update_frequency"] == "R/P1Y"
    stored = model.Session.query(Record.supplied_fields).scalar()
    assert "guid" in stored["dataset"]
    assert "notes" not in stored["dataset"]


def test_an_import_sends_no_more_statements(source: Source) -> None:
    first = source.harvest()
    with statements("ukharvest_record") as sent:
        source.harvest(title="Changed")
    few = len(sent)
    write(first, version="2026", extras={"colour": "red"})
    with statements("ukharvest_record") as sent:
        source.harvest(title="Changed again")
    assert len(sent) == few
    with statements("supplied_fields") as sent:
        job_id = source.portal.create_job(source.id)
        assert source.portal.gather(job_id) == []
    assert not sent


def test_a_dataset_that_is_made_again_has_no_fields_of_before(source: Source) -> None:
    first = source.harvest(**NOTHING)
    write(first, version="2026")
    act("dataset_purge", id=first["id"])
    found = source.harvest(**NOTHING)
    assert found["id"] != first["id"]
    assert not found["version"]
    stored = model.Session.query(Record.supplied_fields).scalar()
    assert [*stored["resources"]] == [found["resources"][0]["id"]]


def test_the_api_says_which_fields_come_from_the_source(source: Source) -> None:
    found = source.harvest(**NOTHING, title="Bus stops")
    shown = act("ukharvest_dataset_show", id=found["id"])["supplied_fields"]
    labels = {each["field"]: each["label"] for each in shown["dataset"]}
    assert labels["title"] == "Title"
    assert "notes" not in labels
    [resource] = found["resources"]
    of_resource = [each["field"] for each in shown["resources"][resource["id"]]]
    assert of_resource == ["name", "url", "format", "mimetype", "resource_type"]
    model.Session.execute(sa.text("UPDATE ukharvest_record SET supplied_fields = NULL"))
    model.Session.commit()
    assert act("ukharvest_dataset_show", id=found["id"])["supplied_fields"] is None


def test_forms_say_which_fields_come_from_the_source(source: Source, app: CKANTestApp) -> None:
    found = source.harvest(**NOTHING, accrualPeriodicity="R/P1Y")
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    form = app.get(f"/dataset/edit/{found['name']}", headers=headers).body
    assert "Fields from the source: Title, " in form
    assert "Frequency of update" in form
    resource = found["resources"][0]["id"]
    path = f"/dataset/{found['name']}/resource/{resource}/edit"
    assert "Fields from the source: Name, URL, " in app.get(path, headers=headers).body
    model.Session.execute(sa.text("UPDATE ukharvest_record SET supplied_fields = NULL"))
    model.Session.commit()
    form = app.get(f"/dataset/edit/{found['name']}", headers=headers).body
    assert "Fields from the source: " not in form
    assert "edits to fields that the source supplies are lost" in form
