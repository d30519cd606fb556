"""The page of a dataset of a ckanext-scheming type: fields, and facts without a field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.model import DatasetTheme
from tests.ckan.datasets.dataset_pages import LINEAGE, made, rows
from tests.ckan.forms import SCHEMING, SCHEMING_WITH, SCHEMING_WITHOUT, portal_with

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("portal")]
HARVESTED = {"import_source": "harvest", "lineage": LINEAGE}


@pytest.fixture
def scheming(request: pytest.FixtureRequest, plugins: None) -> Iterator[None]:
    with portal_with(SCHEMING, **request.param):
        yield


def labels(page: str) -> list[str]:
    return [each.text_content().strip() for each in html.fromstring(page).xpath("//tr/th")]


@pytest.mark.parametrize("scheming", [SCHEMING_WITHOUT], indirect=True, ids=["without"])
def test_fields_outside_the_scheming_schema_are_shown(
    scheming: None, make_app: Callable[[], CKANTestApp]
) -> None:
    page = make_app().get(made({"theme-primary": "Crime", "lineage": LINEAGE})).body
    assert rows(page)["Theme"] == "Crime & Justice"
    assert "lineage" not in rows(page)  # as ckanext-scheming has it
    page = make_app().get(made({"theme-primary": "Crime", **HARVESTED})).body
    assert rows(page)["Lineage"] == LINEAGE
    assert labels(page).count("Theme") == 1


@pytest.mark.parametrize("scheming", [SCHEMING_WITH], indirect=True, ids=["with"])
def test_a_field_of_the_schema_is_shown_once(
    scheming: None, make_app: Callable[[], CKANTestApp]
) -> None:
    app = make_app()  # which ends the transaction
    fields: dict[str, Any] = {"theme-primary": "Crime"}
    extras = [{"key": key, "value": value} for key, value in HARVESTED.items()]
    dataset = factories.Dataset(extras=extras, **fields)
    row = {"theme": "Crime", "theme_origin": themes.WORDS}
    dataset_rows.save_own_rows(DatasetTheme, [{"package_id": dataset["id"], **row}])
    page = app.get(f"/dataset/{dataset['name']}").body
    assert rows(page)["Lineage"] == LINEAGE
    assert labels(page).count("Theme") == 1
    assert "suggested" in page
