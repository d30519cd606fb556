"""Tables of values: publishers' values become the portal's, and a change moves what it concerns."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.harvest.model import RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

PATH = "/data.json"
ODD = {
    "license": "Terms of the Park",
    "theme": ["Wheels"],
    "accrualPeriodicity": "every full moon",
    "language": ["Brummie"],
    "spatial-note": "North bit",
}


def save(*rows: tuple[str, str, str], source: str | None = None) -> dict[str, Any]:
    values = [dict(zip(("field", "value", "ours"), row, strict=True)) for row in rows]
    scope = {"source": source} if source else {}
    return dict(act("ukharvest_value_update", values=values, **scope))


def codes() -> set[str]:
    """Return the codes of the present problems of all records."""
    model.Session.remove()
    return {row.code for row in model.Session.query(RecordProblem).filter_by(current=True)}


def owners(portal: Portal) -> list[str]:
    return [str(each["organization"]["name"]) for each in portal.datasets()]


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue([dataset(0, **ODD), dataset(1), dataset(2, **ODD)]))
    source = portal.source(publisher.url(PATH))
    assert figures(portal.run(source)) == {"added": 3}
    return source


@pytest.mark.in_process
def test_values_that_did_not_fit_are_proposed(source: str) -> None:
    listed = act("ukharvest_value_list", source=source)
    proposed = {(row["field"], row["value"]): row["count"] for row in listed["results"]}
    assert proposed == {
        ("licence", "Terms of the Park"): 2,
        ("theme", "Wheels"): 2,
        ("frequency", "every full moon"): 2,
        ("language", "Brummie"): 2,
    }
    assert "uk-ogl" in {row["value"] for row in listed["choices"]["licence"]}


def test_a_table_maps_values_of_the_records_that_have_them(portal: Portal, source: str) -> None:
    assert {"unknown-licence", "bad-frequency", "bad-language"} <= codes()
    factories.Group(name="roads")
    rows = save(
        ("licence", "terms  of the PARK", "cc-by"),
        ("theme", "Wheels", "transport"),
        ("frequency", "every full moon", "monthly"),
        ("language", "Brummie", "en-GB"),
        ("group", "Wheels", "roads"),
        ("spatial-note", "North bit", "The north"),
        source=source,
    )["results"]
    assert {row["field"]: row["count"] for row in rows}["licence"] == 2
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    first, other, _third = portal.datasets()
    own = extras(first)
    assert (first["license_id"], other["license_id"]) == ("cc-by", "uk-ogl")
    assert (own["theme-primary"], own["update_frequency"]) == ("Transport", "R/P1M")
    assert (own["language"], own["spatial-note"]) == ("en-GB", "The north")
    assert [each["name"] for each in first["groups"]] == ["roads"]
    assert codes().isdisjoint({"unknown-licence", "bad-frequency", "bad-language"})
    assert figures(portal.run(source)) == {"not modified": 3}


@pytest.mark.in_process
def test_rows_of_the_source_come_before_the_portals(portal: Portal, source: str) -> None:
    save(("licence", "Terms of the Park", "cc-by"))
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    save(("licence", "Terms of the Park", "cc-by-sa"), source=source)
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    assert portal.datasets()[0]["license_id"] == "cc-by-sa"
    listed = act("ukharvest_value_list", source=source)["results"]
    assert [row["scope"] for row in listed if row["field"] == "licence"] == ["source"]
    save(("licence", "Terms of the Park", ""), source=source)
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    assert portal.datasets()[0]["license_id"] == "cc-by"
    save(("licence", "Terms of the Park", ""))
    portal.run(source)
    assert not portal.datasets()[0]["license_id"]


@pytest.mark.in_process
def test_a_row_without_effect_costs_nothing(portal: Portal, source: str) -> None:
    save(("licence", "Terms of the Moor", "cc-by"), ("spatial-note", "South bit", "The south"))
    job = portal.run(source)
    assert figures(job) == {"not modified": 3}
    assert portal.objects(job["id"]) == []


@pytest.mark.in_process
def test_a_removed_extra_field_comes_back_as_written(portal: Portal, source: str) -> None:
    save(("spatial-note", "North bit", "The north"))
    portal.run(source)
    save(("spatial-note", "North bit", ""))
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    assert extras(portal.datasets()[0])["spatial-note"] == "North bit"


@pytest.mark.in_process
def test_a_dry_run_finds_what_a_changed_table_does(portal: Portal, source: str) -> None:
    save(("licence", "Terms of the Park", "cc-by"))
    stored = HarvestSource.get(source)
    result = queue.get_harvester(stored.type).dry_run(stored, lambda *_: True)
    assert (result["changes"]["updated"], result["changes"]["unchanged"]) == (2, 1)
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}


@pytest.mark.in_process
@pytest.mark.parametrize("policy", ["only_local", "create"])
def test_datasets_go_to_their_publishers(portal: Portal, publisher: Publisher, policy: str) -> None:
    factories.Organization(name="parks", title="Parks Board")
    factories.Organization(name="county")
    names = ("parks board", "Roads Agency", "Roads Agency")
    rows = [dataset(n, publisher={"name": name}) for n, name in enumerate(names)]
    publisher.serve(PATH, catalogue(rows))
    own = model.Group.get(portal.organization_id).name
    options = {"remote_orgs": policy, "parent_organisation": "county"}
    source = portal.source(publisher.url(PATH), config=options)
    assert figures(portal.run(source)) == {"added": 3}
    is_created = policy == "create"
    assert owners(portal) == ["parks", *["roads-agency" if is_created else own] * 2]
    assert ("organisation-not-created" in codes()) is not is_created
    assert figures(portal.run(source)) == {"not modified": 3}
    if is_created:
        shown = act("organization_show", id="roads-agency")
        assert (shown["title"], shown["groups"][0]["name"]) == ("Roads Agency", "county")
    else:
        factories.Organization(name="roads", title="Roads Agency")
        assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
        assert owners(portal) == ["parks", "roads", "roads"]


@pytest.mark.in_process
@pytest.mark.parametrize("is_there", [True, False], ids=["by id", "gone"])
def test_organisations_are_created_only_below_the_parent(
    portal: Portal, publisher: Publisher, is_there: bool
) -> None:
    parent = factories.Organization(name="county")["id"] if is_there else "gone"
    publisher.serve(PATH, catalogue([dataset(0, publisher={"name": "Roads Agency"})]))
    options = {"remote_orgs": "create", "parent_organisation": parent}
    assert figures(portal.run(portal.source(publisher.url(PATH), config=options))) == {"added": 1}
    if is_there:
        assert owners(portal) == ["roads-agency"]
        assert act("organization_show", id="roads-agency")["groups"][0]["name"] == "county"
    else:
        assert owners(portal) == [model.Group.get(portal.organization_id).name]
        assert "organisation-not-created" in codes()


@pytest.mark.in_process
def test_datasets_come_back_if_an_organisation_is_deleted(
    portal: Portal, publisher: Publisher
) -> None:
    factories.Organization(name="parks")
    publisher.serve(PATH, catalogue([dataset(0, publisher={"name": "Parks Board"}), dataset(1)]))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    save(("organisation", "Parks Board", "parks"))
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 1}
    assert owners(portal)[0] == "parks"
    act("organization_patch", id="parks", name="parks-board")
    assert figures(portal.run(source)) == {"not modified": 2}
    act("organization_delete", id="parks-board")
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 1}
    assert owners(portal)[0] == model.Group.get(portal.organization_id).name
