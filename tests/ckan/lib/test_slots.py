"""Pages of the frames open without features, and have what features add to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest import features
from ckanext.ukharvest.lib import slots
from ckanext.ukharvest.lib.slots import Facet, Slot
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.fixture
def registered() -> Iterator[None]:
    """Restore the slots and facets of the features after a test."""
    yield
    slots.register(features.slots(), features.facets())


@pytest.fixture
def name(portal: Portal, publisher: Publisher) -> str:
    """Return the name of a harvested dataset."""
    publisher.serve("/data.json", catalogue(1))
    portal.run(portal.source(publisher.url("/data.json"), name="parking"))
    [shown] = portal.datasets()
    return str(shown["name"])


@pytest.mark.usefixtures("registered")
def test_pages_open_without_what_features_add(
    app: CKANTestApp, name: str, organization: dict[str, str]
) -> None:
    resource = call_action("package_show", id=name)["resources"][0]["id"]
    headers = dict(member(organization)["headers"])
    pages = (
        *(f"/dataset/{name}", f"/dataset/{name}/resource/{resource}", "/dataset/"),
        *("/harvest/", "/harvest/parking", "/harvest/new", "/harvest/help"),
    )
    before = {page: app.get(page, headers=headers, status=200).body for page in pages}
    slots.register((), {})
    after = {page: app.get(page, headers=headers, status=200).body for page in pages}
    for page in (f"/dataset/{name}", "/dataset/"):
        assert "out of 5" in before[page]
        assert "out of 5" not in after[page]
    assert "Stars of openness" in before["/dataset/"]
    assert "Stars of openness" not in after["/dataset/"]
    assert "ukharvest-box" in after[f"/dataset/{name}"]
    assert "/harvest/parking/problems" not in after["/harvest/parking"].split("<h2")[0]


def test_the_api_shows_the_facts_of_the_page(app: CKANTestApp, name: str) -> None:
    facts = call_action("ukharvest_dataset_show", id=name)
    assert facts["stars"]["text"] in app.get(f"/dataset/{name}").body
    assert facts["theme"].keys() >= {"theme", "origin", "why"}
    assert "links" not in facts  # none was checked
    assert facts["source_record"]["form"] == "JSON"


@pytest.mark.usefixtures("registered")
def test_a_slot_of_an_unknown_place_is_refused() -> None:
    with pytest.raises(ValueError, match="'dataset_foot'"):
        slots.register([Slot("dataset_foot", "", list)], {})


@pytest.mark.usefixtures("registered")
def test_what_a_feature_has_nothing_for_is_not_shown(app: CKANTestApp, name: str) -> None:
    stars = "ukharvest/snippets/stars.html"
    facts = {"stars": 4, "text": "Four of them", "basis": ""}
    own = [
        Slot("dataset_head", stars, lambda _page, _package: facts),
        Slot("dataset_head", stars, lambda _page, _package: None),
    ]
    slots.register(own, {"stars": Facet("Stars of openness", str)})
    body = app.get(f"/dataset/{name}").body
    assert body.count("How stars are calculated") == 1
    assert "Four of them" in body


def test_a_name_that_two_features_define_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(features.FEATURES, "links", ("texts", "texts"))
    with pytest.raises(ValueError, match="ukharvest_link_state"):
        features.helpers()
