"""The plugin ukharvest_form through the API and the page: accepted, kept, refused, cleared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.lib import plugins as lib_plugins
from ckan.plugins.toolkit import DefaultDatasetForm
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest.features import helpers
from ckanext.ukharvest.fields import BY_HARVEST, DATASET, FIELDS, RESOURCE
from ckanext.ukharvest.rendering import form_fields
from tests.ckan.forms import FORM, FUNCTION, SERVICE, portal_with
from tests.ckan.harvesting import act

pytestmark = pytest.mark.in_process

ADDRESS = "https://a.example/schema.json"


@pytest.fixture(autouse=True)
def form(clean: None) -> Iterator[None]:
    with portal_with(FORM):
        yield


def stored(name: str) -> dict[str, Any]:
    return dict(model.Package.get(name).extras)


def test_fields_are_taken_wherever_a_client_writes_them() -> None:
    extras = [
        {"key": "la_function", "value": "Public toilets, https://id.esd.org.uk/function/40/"},
        {"key": "theme-primary", "value": "crime-and-justice"},
        {"key": "unpublished", "value": "false"},
        {"key": "colour", "value": "red"},
    ]
    factories.Dataset(name="bins", **{"theme-primary": "Health"}, extras=extras, la_service="579")
    assert stored("bins") == {
        "la_function": FUNCTION,
        "la_service": SERVICE,
        "theme-primary": "Health",
        "colour": "red",
    }
    shown = call_action("package_show", id="bins")
    assert (shown["la_service"], shown["theme-primary"]) == (SERVICE, "Health")
    assert shown["extras"] == [{"key": "colour", "value": "red"}]


def test_a_field_that_is_sent_twice_has_both_values() -> None:
    extras = [{"key": "la_service", "value": value} for value in ("579", "100")]
    two = f"{SERVICE} http://id.esd.org.uk/service/100"
    assert factories.Dataset(extras=extras)["la_service"] == two
    extras = [{"key": "unpublished", "value": value} for value in ("yes", "no")]
    with pytest.raises(tk.ValidationError, match="found 2 values"):
        factories.Dataset(extras=extras)


def test_a_resources_older_names_are_read() -> None:
    resource = {"url": "https://a.example/x.csv", "schema-url": ADDRESS, "schema-type": "CSVLint"}
    (shown,) = factories.Dataset(resources=[resource])["resources"]
    assert (shown["schema_url"], shown["schema_type"]) == (ADDRESS, "csvlint")
    assert "schema-url" not in shown
    changed = call_action("resource_patch", id=shown["id"], schema_url="")
    assert "schema_url" not in changed


def test_odd_stored_value_does_not_block_an_edit() -> None:
    factories.Dataset(name="bins")
    # As the harvest writes it, or as it was stored before this form existed.
    odd = {"la_function": f"{FUNCTION} bins", "temporal_coverage-from": "spring"}
    call_action("package_patch", {BY_HARVEST: True}, id="bins", **odd)
    act("package_patch", id="bins", title="Bins", la_service="579")
    assert stored("bins") == {
        "la_function": f"{FUNCTION} bins",
        "la_service": SERVICE,
        "temporal_coverage-from": "spring",
    }
    backwards = {"temporal_coverage-from": "2020", "temporal_coverage-to": "2019"}
    call_action("package_patch", {BY_HARVEST: True}, id="bins", **backwards)
    act("package_patch", id="bins", title="More bins")
    with pytest.raises(tk.ValidationError, match="'2018' is before the start, '2020'"):
        act("package_patch", id="bins", **{"temporal_coverage-to": "2018"})
    with pytest.raises(tk.ValidationError) as caught:
        act("package_patch", id="bins", la_function="more bins", mandate="none")
    assert caught.value.error_dict.keys() == {"la_function", "mandate"}
    act("package_patch", id="bins", la_function="", **dict.fromkeys(backwards, ""))
    assert stored("bins") == {"la_service": SERVICE}


def test_a_form_with_a_mistake_comes_back_as_it_was_sent(app: CKANTestApp) -> None:
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    name = factories.Dataset(la_service=SERVICE)["name"]
    sent = {
        "title": "Bins",
        "name": name,
        "la_service": "",  # cleared
        "la_function": ["", "http://id.esd.org.uk/function/99999"],
        "schema": [ADDRESS, "no address", ""],
        "temporal_coverage-from": "<b>spring",
        "save": "",
    }
    page = str(app.post(f"/dataset/edit/{name}", headers=headers, data=sent).body)
    assert "&#39;no address&#39; is not a web address" in page
    assert "&#39;&lt;b&gt;spring&#39; is not a date; expected a date such as 2024" in page
    assert "<b>spring" not in page
    assert 'value="&lt;b&gt;spring"' in page
    assert f'value="{ADDRESS}"' in page
    assert 'value="no address"' in page
    unlisted = "http://id.esd.org.uk/function/99999"
    assert f'<option value="{unlisted}" selected>{unlisted} (not in the list)</option>' in page
    assert f'<option value="{SERVICE}">' in page
    assert stored(name) == {"la_service": SERVICE}
    # Errors are shown at their own input.
    (date,) = html.fromstring(page).xpath("//input[@id='field-temporal_coverage-from']")
    ids = date.get("aria-describedby").split()
    said = [html.fromstring(page).get_element_by_id(each).text_content() for each in ids]
    assert "A day, month or year" in said[0]
    assert "is not a date" in said[1]
    assert date.get("aria-invalid") == "true"


def test_a_schema_of_the_portals_own_may_have_numbers_and_lists(app: CKANTestApp) -> None:
    own = {"temporal_coverage-from": 2019, "temporal_coverage-to": ["2020"], "la_service": [579]}
    with app.flask_app.test_request_context():
        found = helpers()["ukharvest_facts"]({"id": "1", "extras": [], **own})
    facts = {row.label: row.value for row in found.known} if found else {}
    assert facts["Temporal extent"] == "2019 to 2020"
    assert "Public toilets" in facts["Local authority service"]


def test_a_type_of_another_extension_has_its_own_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lib_plugins._package_plugins, "map", DefaultDatasetForm())
    for of in (DATASET, RESOURCE):
        wanted = [field.key for field in FIELDS if field.of == of]
        assert helpers()["ukharvest_form_keys"](of, "dataset") == wanted
        assert helpers()["ukharvest_form_keys"](of, "any") == wanted
        assert helpers()["ukharvest_form_keys"](of, "map") == []


def test_a_resources_form_keeps_what_it_does_not_show() -> None:
    facts = {"id": "1", "licence": "uk-ogl", "size": 7, "mimetype": "text/csv", "schema-url": "a"}
    facts |= {"datastore_active": True, "other_flag": False, "qa": {}, "hash": "", "url": ADDRESS}
    kept = helpers()["ukharvest_form_hidden_fields"]
    assert kept(facts, "dataset") == ["licence", "size", "mimetype"]
    assert kept({**facts, "id": ""}, "dataset") == []


@pytest.mark.parametrize(
    ("changed", "size"),
    [
        ({}, 7),
        ({"url": "https://a.example/2.csv"}, None),
        ({"url_type": "upload", "url": "x.csv", "upload": ""}, None),
    ],
)
def test_hidden_file_fields_follow_their_url(changed: dict[str, str], size: int | None) -> None:
    current = {"url": ADDRESS, "size": 7, "licence": "uk-ogl"}
    resource: dict[str, Any] = {"url": ADDRESS, "ukharvest_kept": ["size", "licence"], **changed}
    form_fields.restore_hidden_fields(current, resource)
    assert (resource.get("size"), resource["licence"]) == (size, "uk-ogl")


def test_an_uploaded_file_keeps_what_is_known_of_it() -> None:
    url = "https://a.example/resource/1/download/x.csv"
    current = {"url": url, "url_type": "upload", "size": 7}
    sent = {"url": "x.csv", "url_type": "upload", "ukharvest_kept": "size"}
    for upload, size in (("", 7), ("another file", None)):
        resource = {**sent, "upload": upload}
        form_fields.restore_hidden_fields(current, resource)
        assert resource.get("size") == size


def test_fields_shown_by_the_form_are_not_sent_twice(app: CKANTestApp) -> None:
    """Whatever of it a schema has, and in any template."""
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    facts = {"url": ADDRESS, "colour": "red", "size": 7, "licence": "uk-ogl"}
    resource = factories.Resource(**facts)
    path = f"/dataset/{resource['package_id']}/resource/{resource['id']}/edit"
    page = html.fromstring(str(app.get(path, headers=headers).body))
    kept = page.xpath("//input[@name='ukharvest_kept']/@value")
    assert {"colour", "size", "licence"} <= set(kept)
    assert page.xpath("//input[@name='colour']") == []
    sent = {"id": resource["id"], "url": ADDRESS, "colour": "", "ukharvest_kept": kept, "save": ""}
    # What was refused is kept all the same when it is sent again.
    refused = {**sent, "schema_url": "no address"}
    page = html.fromstring(str(app.post(path, headers=headers, data=refused).body))
    assert {"size", "licence"} <= set(page.xpath("//input[@name='ukharvest_kept']/@value"))
    app.post(path, headers=headers, data=sent, follow_redirects=False)
    shown = call_action("resource_show", id=resource["id"])
    assert (shown.get("colour"), shown["size"], shown["licence"]) == ("", 7, "uk-ogl")
    assert "ukharvest_kept" not in shown
