"""Portals with CKAN's form, with ours, and with ckanext-scheming's with our presets and without.

On each the harvest stores the same, pages show the same, and an edit by form loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lxml.html
import pytest
from ckan.plugins import plugin_loaded
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from werkzeug.datastructures import MultiDict

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.datasets.dataset_forms import KINDS, OF_DATASET, facts
from tests.ckan.forms import FORM, SCHEMING, portal_with
from tests.ckan.harvesters.uk_fields import WANTED
from tests.ckan.harvesters.uk_fields import publish_ckan as publish
from tests.ckan.harvesting import Portal, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

CKANS = ("metadata_modified", "mimetype")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, clean: None) -> Iterator[str]:
    plugin, settings = KINDS[request.param]
    with portal_with(plugin, **settings):
        yield request.param


@pytest.fixture
def browse(kind: str, make_app: Callable[[], CKANTestApp]) -> Browse:
    return Browse(make_app(), factories.SysadminWithToken()["token"])


class Browse:
    """An editor's page views."""

    def __init__(self, app: CKANTestApp, token: str) -> None:
        self._app = app
        self._headers = {"Authorization": token}

    def page(self, path: str) -> str:
        return str(self._app.get(path, headers=self._headers).body)

    def save(self, path: str, form: str, **changed: str) -> None:
        """Send a form as shown, with some changes."""
        shown = lxml.html.fromstring(self.page(path)).get_element_by_id(form)
        sent = MultiDict(shown.form_values())
        sent["save"] = ""
        if "url_type" in sent:  # lxml takes an empty value of a radio button for none
            sent["url_type"] = ""
        for name, value in changed.items():
            assert name in sent
            sent[name] = value
        answer = self._app.post(path, headers=self._headers, data=sent, follow_redirects=False)
        assert answer.status_code == 302, answer.body


def lasting(dataset: dict[str, Any]) -> dict[str, Any]:
    """Return a dataset without times of writing and computed values."""
    found = {key: value for key, value in dataset.items() if key != "metadata_modified"}
    # ckanext-harvest shows three more than are stored, and an edit stores them.
    found["extras"] = {
        key: value
        for key, value in extras(dataset).items()
        if key not in ("harvest_object_id", "harvest_source_id", "harvest_source_title")
    }
    found["resources"] = [
        # A form sends an empty field as "", not None; CKAN guesses the MIME type of a link.
        {key: value for key, value in each.items() if value and key not in CKANS}
        for each in dataset["resources"]
    ]
    return found


def assert_extras_are_not_editable(kind: str, dataset: dict[str, Any], form: str) -> None:
    """Check that the form to edit a dataset lets nobody change what the harvest stored."""
    page = lxml.html.fromstring(form)

    def inputs(part: str, is_hidden: str) -> list[str]:
        path = f"//input[starts-with(@name, 'extras__') and contains(@name, '__{part}')]"
        return [text for each in page.xpath(path + is_hidden) if (text := each.get("value"))]

    shown = inputs("key", "[not(@type='hidden')]")
    if kind.startswith("scheming"):
        assert "guid" not in shown
        return
    assert not shown
    assert "guid" in inputs("key", "[@type='hidden']")
    theme = extras(dataset).get("theme-primary")
    # Imports keep what a person writes there.
    assert inputs("value", "[not(@type='hidden')]") == ([theme] if theme else [])
    folded = page.xpath("//*[contains(@class, 'ukharvest-others')]")[0].text_content()
    assert "Harvest GUID" in folded
    assert "harvest_object_id" not in folded


def test_a_harvested_dataset_is_the_same_on_each(
    kind: str, portal: Portal, publisher: Publisher, browse: Browse
) -> None:
    source = portal.source(publisher.url("/"), "ckan")
    publish(publisher)
    assert figures(portal.run(source)) == {"added": 1}
    (dataset,) = portal.datasets()
    assert facts(dataset) == WANTED
    has_fields = plugin_loaded(FORM) or kind == "scheming with our presets"
    assert all((key in dataset) == has_fields for key in OF_DATASET)
    page = browse.page(f"/dataset/{dataset['name']}")
    assert "Public toilets" in page
    assert ">http://id.esd.org.uk" not in page
    form = browse.page(f"/dataset/edit/{dataset['name']}")
    assert_extras_are_not_editable(kind, dataset, form)

    browse.save(f"/dataset/edit/{dataset['name']}", "dataset-edit")
    (edited,) = portal.datasets()
    assert lasting(edited) == lasting(dataset)
    browse.save(f"/dataset/edit/{dataset['name']}", "dataset-edit", notes="Better words")
    (resource,) = edited["resources"]
    path = f"/dataset/{dataset['name']}/resource/{resource['id']}/edit"
    browse.save(path, "resource-edit", description="Better words")
    (edited,) = portal.datasets()
    assert edited["notes"] == edited["resources"][0]["description"] == "Better words"
    wanted = lasting({**dataset, "notes": "Better words"})
    wanted["resources"][0]["description"] = "Better words"
    assert lasting(edited)["resources"] == wanted["resources"]
    assert lasting(edited) == wanted
    assert figures(portal.run(source)) == {"not modified": 1}


DCAT_SCHEMA = {
    "scheming.dataset_schemas": "ckanext.dcat.schemas:dcat_ap_recommended.yaml",
    "scheming.presets": "ckanext.scheming:presets.json ckanext.dcat.schemas:presets.yaml",
}


def test_schema_of_ckanext_dcat_is_filled(portal: Portal, publisher: Publisher) -> None:
    with portal_with(SCHEMING, "dcat", **DCAT_SCHEMA):
        row = dataset(0, theme=["Roads"], temporal="2024-01-01/2024-12-31")
        publisher.serve("/data.json", catalogue([row]))
        source = portal.source(publisher.url("/data.json"))
        assert figures(portal.run(source)) == {"added": 1}
        [found] = portal.datasets()
        assert found["publisher"][0]["name"] == "Somewhere Council"
        assert found["contact"][0]["email"] == "data@somewhere.example"
        assert found["theme"] == ["Roads"]
        assert found["temporal_coverage"][0]["start"] == "2024-01-01"
        assert found["resources"][0]["license"].startswith("https://www.nationalarchives.gov.uk/")
        assert figures(portal.run(source)) == {"not modified": 1}
