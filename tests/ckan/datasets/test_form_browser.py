"""Our form and ckanext-scheming's with our presets, as editors fill them in.

With scripts and without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import call_action

from tests.ckan.browser import NARROW, WIDE, Visitor, late_answer
from tests.ckan.datasets.dataset_forms import SPEND, choose
from tests.ckan.forms import FORM, FUNCTION, SCHEMING, SCHEMING_WITH, SERVICE, portal_with

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.in_process

ACT = "https://www.legislation.gov.uk/ukpga/1990/43"
LIST = "http://id.esd.org.uk/list/functions"
# Stored values of what the browser tests enter into the form's fields.
STORED = {
    "theme-primary": "Environment",
    "theme-secondary": json.dumps(["Health", "Towns"]),
    "la_function": FUNCTION,
    "la_service": SERVICE,
    "schema": json.dumps([SPEND, "https://schemas.example/own.json"]),
    "codelist": json.dumps([LIST]),
    "mandate": json.dumps([ACT]),
    "update_frequency": "R/P3M",
    "temporal_coverage-from": "2019-04",
    "temporal_coverage-to": "2020-03-31",
    "unpublished": "true",
}
# Typed text where it differs from the stored value.
TYPED = {"temporal_coverage-to": "31/03/2020"}


@pytest.fixture(autouse=True)
def form(request: pytest.FixtureRequest, clean: None) -> Iterator[None]:
    plugin, settings = getattr(request, "param", (FORM, {}))
    with portal_with(plugin, **settings):
        yield


@pytest.fixture
def editor(manager: Visitor) -> Page:
    """A window of a user who may edit."""
    return manager.page


def write(page: Page) -> None:
    """Fill in what is the same with and without scripts."""
    for name in ("schema", "codelist", "mandate"):
        for row, address in zip(
            page.locator(f"input[name={name}]").all(), json.loads(STORED[name]), strict=False
        ):
            row.fill(address)
    for name in ("temporal_coverage-from", "temporal_coverage-to"):
        page.fill(f"#field-{name}", TYPED.get(name, STORED[name]))
    page.check("#field-unpublished")


def saved(name: str) -> dict[str, Any]:
    shown = call_action("package_show", id=name)
    return {key: shown.get(key) for key in STORED}


@pytest.mark.parametrize(
    "form",
    [
        pytest.param((FORM, {}), id="ours"),
        # What its form stores is in tests/ckan/test_dataset_schema.py and test_form_scheming.py.
        pytest.param((SCHEMING, SCHEMING_WITH), id="scheming", marks=pytest.mark.giant),
    ],
    indirect=True,
)
def test_every_field_is_set_by_typing(editor: Page, visitor: Visitor) -> None:
    dataset = factories.Dataset(title="Street cleaning")
    editor.goto(f"/dataset/edit/{dataset['name']}")
    choose(editor, "theme-primary", "Environment")
    choose(editor, "theme-secondary", "Health")
    choose(editor, "theme-secondary", "Towns & Cities")
    choose(editor, "la_function", "(40)")
    choose(editor, "la_service", "Public toilets")
    choose(editor, "update_frequency", "Quarterly")
    write(editor)
    visitor.picture("form-1280")
    editor.set_viewport_size(NARROW)
    for name in STORED:
        assert visitor.beyond_the_window(f".form-group:has(#field-{name})") == []
    visitor.picture("form-390")
    editor.set_viewport_size(WIDE)
    editor.locator("#dataset-edit button[name=save].btn-primary").click()
    editor.wait_for_url(f"**/dataset/{dataset['name']}")
    assert saved(dataset["name"]) == STORED
    # The picture of the user is on another host, which no test can reach.
    assert [each for each in visitor.errors if "NAME_NOT_RESOLVED" not in each] == []


def test_field_without_help_has_none_in_another_language(plain: Page) -> None:
    plain.goto("/fr/dataset/new")
    assert plain.locator("select[name=theme-secondary]").count() == 1
    assert "Project-Id-Version" not in plain.content()  # the header of gettext's catalogue


def test_every_field_is_set_without_scripts(plain: Page) -> None:
    page = plain
    page.goto("/dataset/new")
    page.fill("[name=title]", "Street cleaning")
    page.fill("[name=name]", "street-cleaning")
    for name, values in (
        ("theme-primary", ["Environment"]),
        ("theme-secondary", ["Health", "Towns"]),
        ("la_function", [FUNCTION]),
        ("la_service", [SERVICE]),
        ("update_frequency", ["R/P3M"]),
    ):
        page.select_option(f"select[name={name}]", values)
    write(page)
    page.click("button[name=save].btn-primary")
    page.wait_for_url("**/resource/new")
    # CKAN's own part for a link's address needs scripts.
    url = "https://data.example/a.csv"
    made = call_action("resource_create", package_id="street-cleaning", url=url)
    call_action("package_patch", id="street-cleaning", state="active")
    page.goto(f"/dataset/street-cleaning/resource/{made['id']}/edit")
    page.fill("[name=schema_url]", SPEND)
    page.fill("[name=schema_type]", "csvlint")
    page.click("button[name=save].btn-primary")
    page.wait_for_url(f"**/resource/{made['id']}")
    assert saved("street-cleaning") == STORED
    (resource,) = call_action("package_show", id="street-cleaning")["resources"]
    assert (resource["schema_url"], resource["schema_type"]) == (SPEND, "csvlint")
    # The reasons for a theme are shown without scripts too.
    page.goto("/dataset/edit/street-cleaning")
    assert "Public toilets" in page.locator(".ukharvest-theme-why").inner_text()


def test_a_theme_is_suggested_while_one_writes(editor: Page) -> None:
    dataset = factories.Dataset(title="List", notes="", tags=[])
    editor.goto(f"/dataset/edit/{dataset['name']}")
    button = editor.locator(".ukharvest-theme-use")
    assert button.is_hidden()
    with late_answer(editor, "**/ukharvest_theme_suggest") as let_come:
        editor.fill("#field-title", "Bus routes")
    editor.fill("#field-title", "List")
    choose(editor, "la_service", "Public toilets")
    button.wait_for()
    let_come()
    assert editor.locator(".ukharvest-theme-title").inner_text() == "Environment"
    assert "Public toilets" in editor.locator(".ukharvest-theme-why").inner_text()
    button.click()
    assert editor.locator("#field-theme-primary").input_value() == "Environment"
    assert button.is_hidden()
    editor.locator("#dataset-edit button[name=save].btn-primary").click()
    editor.wait_for_url(f"**/dataset/{dataset['name']}")
    assert saved(dataset["name"])["theme-primary"] == "Environment"
