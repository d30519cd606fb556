"""A source from an address alone: what it leads to, what is proposed, who may ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import ckan.plugins.toolkit as tk
import lxml.html
import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from tests.ckan.test_source_previews import as_, work
from tests.publisher import Publisher
from tests.reading.test_source_preview import FULL, GUIDE_LIST, datasets

pytestmark = pytest.mark.in_process


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    call_action("job_clear")
    with Publisher() as serving:
        serving.serve("/", "<!doctype html><title>Open data &amp; more</title>")
        serving.serve("/data.json", datasets(25, **FULL))
        yield serving


@pytest.fixture
def editor() -> dict[str, Any]:
    return dict(factories.UserWithToken())


def council(editor: dict[str, Any], title: str) -> dict[str, Any]:
    users = [{"name": editor["name"], "capacity": "editor"}]
    return dict(factories.Organization(title=title, image_url="", users=users))


def look_up(editor: dict[str, Any], url: str) -> dict[str, Any]:
    begun = as_(editor, "ukharvest_source_preview_create", url=url)
    assert begun["heading"] == "Finding out what is there"
    work()
    return dict(as_(editor, "ukharvest_source_preview_show", id=begun["id"]))


def test_an_address_of_the_site_is_enough(editor: dict[str, Any], publisher: Publisher) -> None:
    owner = council(editor, "Council")
    council(editor, "Another council")
    found = look_up(editor, publisher.url("/some/page"))
    assert found["heading"] == "Found: data.json"
    assert found["source_type"] == "data_json"
    assert found["form_values"] == {
        "source_type": "data_json",
        "url": publisher.url("/data.json"),
        "title": "Council",
        "owner_org": owner["id"],
        "notes": "Contact: Team, team@example.gov.uk\nLicence: UK Open Government Licence (OGL)",
    }
    reasons = {each["name"]: each["reason"] for each in found["proposals"]}
    assert reasons["url"] == "The nearest URL that answers as a source"
    assert reasons["source_type"] == "It answers at a usual URL of data.json"
    assert reasons["title"] == "20 of 20 records read have it"
    assert reasons["owner_org"] == "It has the publisher's name"


def test_list_of_datasets_is_found_as_data_json(
    editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, "Council")
    publisher.serve("/list", GUIDE_LIST)
    found = look_up(editor, publisher.url("/list"))
    assert found["form_values"]["source_type"] == "data_json"
    assert found["form_values"]["url"] == publisher.url("/list")
    assert found["result"]["read"] == 3


def test_without_a_publisher_the_site_names_it(
    editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, "One council")
    council(editor, "Another council")
    publisher.serve("/data.json", datasets(3))
    found = look_up(editor, publisher.url("/data.json"))
    assert found["form_values"]["title"] == "Open data & more"
    assert "owner_org" not in found["form_values"]
    [owner] = [each for each in found["proposals"] if each["name"] == "owner_org"]
    assert owner["reason"] == "None has the publisher's name: choose one"


def test_look_up_explains_a_failed_address(editor: dict[str, Any], publisher: Publisher) -> None:
    council(editor, "Council")
    del publisher.routes["/data.json"]
    found = look_up(editor, publisher.url("/"))
    assert found["heading"] == "This does not work yet"
    assert found["result"]["error"]["code"] == "html-page"
    assert publisher.url("/") in found["result"]["error"]["message"]
    assert found["proposals"] == []
    away = look_up(editor, "http://127.0.0.1:9/")
    assert away["result"]["error"]["code"] == "unreachable"


def test_the_pages_lead_to_the_form(
    app: CKANTestApp, editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, '"><script>hurt()</script>')
    header = {"Authorization": editor["token"]}
    refused = app.post("/harvest/add", data={"url": ""}, headers=header)
    assert "Enter the URL of the catalogue" in refused.body
    publisher.serve("/", "<!doctype html><title>&lt;script&gt;hurt()&lt;/script&gt;</title>")
    publisher.serve("/data.json", datasets(1, publisher={"name": "<x>Council</x>"}))
    address = publisher.url("/some").removeprefix("http://")
    answer = app.post("/harvest/add", data={"url": f"http://{address}"}, headers=header)
    assert "Finding out what is there" in answer.body
    work()
    page = app.get(answer.request.path, headers=header).body
    assert "<script>hurt()" not in page
    assert "<x>Council" not in page
    link = lxml.html.fromstring(page).get_element_by_id("use-proposals").get("href")
    assert parse_qs(urlsplit(link).query)["url"] == [publisher.url("/data.json")]
    form = lxml.html.fromstring(app.get(link, headers=header).body).get_element_by_id("source-form")
    assert form.fields["title"] == "<x>Council</x>"
    assert form.fields["source_type"] == "data_json"
    [chosen] = form.xpath("//select[@name='owner_org']/option[@selected]")
    assert chosen.text_content().strip() == '"><script>hurt()</script>'


def test_look_up_checks_the_user(
    app: CKANTestApp, editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, "Council")
    begun = as_(editor, "ukharvest_source_preview_create", url=publisher.url("/"))
    outsider = dict(factories.UserWithToken())
    header = {"Authorization": outsider["token"]}
    with pytest.raises(tk.NotAuthorized):
        as_(outsider, "ukharvest_source_preview_create", url=publisher.url("/"))
    assert app.get(f"/harvest/test/{begun['id']}", headers=header).status_code == 403
    assert app.get("/harvest/add", headers=header).status_code == 403
    stopped = app.post(f"/harvest/test/{begun['id']}/stop", headers=header)
    assert stopped.status_code == 403
    app.post(f"/harvest/test/{begun['id']}/stop", headers={"Authorization": editor["token"]})
    work()
    assert publisher.paths == []
    with pytest.raises(tk.ValidationError, match="Choose what you publish"):
        as_(
            editor,
            "ukharvest_source_preview_create",
            url=publisher.url("/"),
            config='{"default_tags": ["a"]}',
        )


@pytest.mark.parametrize("address", ["/harvest/add", "/harvest/new"])
def test_person_without_right_reads_whom_to_ask(
    app: CKANTestApp,
    editor: dict[str, Any],
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.auth.create_dataset_if_not_in_organization", False)
    answer = app.get(address, headers={"Authorization": editor["token"]})
    assert answer.status_code == 403
    assert "Only editors of an organisation can add harvest sources." in answer.body
    assert "Ask an administrator of your organisation" in answer.body
    assert "this page" not in lxml.html.fromstring(answer.body).text_content()
