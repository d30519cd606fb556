"""A source from an address alone: what it leads to, what is proposed, who may ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import lxml.html
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestSource

from tests.ckan.previews.previewing import as_, work
from tests.ckan.sources.source_forms import fields as all_fields
from tests.publisher import Publisher
from tests.reading.full_datasets import FULL, GUIDE_LIST, datasets

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
    assert begun["heading"] == "Test in progress"
    work()
    return dict(as_(editor, "ukharvest_source_preview_show", id=begun["id"]))


def test_an_address_of_the_site_is_enough(editor: dict[str, Any], publisher: Publisher) -> None:
    owner = council(editor, "Council")
    council(editor, "Another council")
    found = look_up(editor, publisher.url("/some/page"))
    assert found["heading"] == "data.json: This works"
    assert found["source_type"] == "data_json"
    assert found["form_values"] == {
        "source_type": "data_json",
        "url": publisher.url("/data.json"),
        "title": "Council",
        "owner_org": owner["id"],
        "notes": "Contact: Team, team@example.gov.uk\nLicence: UK Open Government Licence (OGL)",
    }
    answered = f"{publisher.url('/some/page')} answered 404 Not Found."
    near = f"Found near the URL that you entered: {publisher.url('/data.json')}"
    assert found["text"][:2] == [answered, near]
    reasons = {each["name"]: each["reason"] for each in found["proposals"]}
    assert reasons["url"] == reasons["source_type"] == ""
    assert reasons["title"] == "Named like the publisher"
    assert reasons["owner_org"] == "Named like the publisher"


def test_page_of_the_site_is_no_fault(editor: dict[str, Any], publisher: Publisher) -> None:
    council(editor, "Council")
    publisher.serve("/some/page", "<!DOCTYPE html><html><title>News</title><p>News</p></html>")
    found = look_up(editor, publisher.url("/some/page"))
    assert found["text"][0] == f"Found near the URL that you entered: {publisher.url('/data.json')}"


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
    assert owner["reason"] == ""


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


def test_a_url_that_another_source_harvests_is_told_by_the_test(
    editor: dict[str, Any], publisher: Publisher
) -> None:
    owner, url = council(editor, "Council"), publisher.url("/data.json")
    of = {"name": "theirs", "title": "Theirs", "owner_org": owner["id"]}
    call_action("harvest_source_create", url=url, source_type="data_json", **of)
    told = "Another harvest source already has this URL and these options. (Theirs)"
    assert look_up(editor, publisher.url("/some/page"))["text"][-1] == told
    asked = {"id": "theirs", "url": url, "source_type": "data_json"}
    begun = as_(editor, "ukharvest_source_preview_create", **asked)
    work()
    assert told not in as_(editor, "ukharvest_source_preview_show", id=begun["id"])["text"]


def test_the_pages_lead_to_the_form(
    app: CKANTestApp, editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, '"><script>hurt()</script>')
    header = {"Authorization": editor["token"]}
    for nothing in ("", " ", "hello world"):
        refused = app.post("/harvest/add", data={"url": nothing}, headers=header)
        assert "Enter the URL of the catalogue" in refused.body
    publisher.serve("/", "<!doctype html><title>&lt;script&gt;hurt()&lt;/script&gt;</title>")
    publisher.serve("/data.json", datasets(1, publisher={"name": "<x>Council</x>"}))
    address = publisher.url("/some").removeprefix("http://")
    answer = app.post("/harvest/add", data={"url": f"http://{address}"}, headers=header)
    assert "Test in progress" in answer.body
    work()
    page = app.get(answer.request.path, headers=header).body
    assert "<script>hurt()" not in page
    assert "<x>Council" not in page
    found = lxml.html.fromstring(page)
    assert found.xpath("//h1")[0].text_content() == "What we found"
    [step] = found.xpath("//form[.//*[@id='use-proposals']]")
    assert (step.method, step.action) == ("GET", f"{answer.request.path}/add")
    shown = app.get(step.action, headers=header).body
    assert "<x>Council" not in shown
    form = lxml.html.fromstring(shown).get_element_by_id("source-form")
    assert form.action == "/harvest/new"
    assert form.fields["url"] == publisher.url("/data.json")
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
    # The tests' publisher is in a network that only those who may add sources can read.
    with pytest.raises(tk.ValidationError, match="not allowed here"):
        as_(outsider, "ukharvest_source_preview_create", url=publisher.url("/"))
    shown = app.get(f"/harvest/test/{begun['id']}", headers=header)
    assert "Test in progress" in shown.body
    assert "stop-test" not in shown.body
    assert app.get("/harvest/add", headers=header).status_code == 403
    assert app.get(f"/harvest/test/{begun['id']}/add", headers=header).status_code == 403
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


def test_failed_test_leads_on_with_its_url(
    app: CKANTestApp, editor: dict[str, Any], publisher: Publisher
) -> None:
    council(editor, "Council")
    header = {"Authorization": editor["token"]}
    publisher.routes.clear()
    id_ = look_up(editor, publisher.url("/later.json"))["id"]
    page = app.get(f"/harvest/test/{id_}", headers=header).body
    assert "You can add the source all the same" in page
    shown = app.get(f"/harvest/test/{id_}/add", headers=header).body
    form = lxml.html.fromstring(shown).get_element_by_id("source-form")
    assert form.fields["url"] == publisher.url("/later.json")
    assert not form.fields["source_type"]
    assert not form.xpath(".//details[contains(summary, 'Change something else')]")


def test_short_form_asks_four_things(
    app: CKANTestApp, editor: dict[str, Any], publisher: Publisher
) -> None:
    owner = council(editor, "Council")
    catalogue = datasets(9, **FULL)
    for number, record in enumerate(catalogue["dataset"]):
        record["keyword"] = [("roads", "parks")[number % 2]]
    publisher.serve("/data.json", catalogue)
    id_ = look_up(editor, publisher.url("/some/page"))["id"]
    header = {"Authorization": editor["token"]}
    chosen = {
        "chosen": "yes",
        "only": "include_values\tkeyword:nothing-of-the-kind",
        "without": "default_groups\ttransport",
    }
    right = {"chosen": "yes"}
    held = as_(editor, "ukharvest_source_preview_show", id=id_)["result"]["held"]
    field = next(field for field in held if field["include"] == "include_values")
    text = field["values"][0]["value"]
    value = f"{field['prefix']}{text}"
    address = f"/harvest/test/{id_}/add"
    for query, filters in ((chosen, []), ({**right, "only": f"include_values\t{value}"}, [text])):
        answer = app.get(address, query_string=query, headers=header)
        page = answer.body
        form = lxml.html.fromstring(page).get_element_by_id("source-form")
        [folded] = form.xpath(".//details[contains(summary, 'Change something else')]")
        assert folded.get("open") is None
        names = {each.name for each in form.inputs if each.name}
        others = {each.name for each in folded.iter("input", "select", "textarea") if each.name}
        assert {"title", "owner_org", "frequency", "mail_me"} <= names - others
        assert not {"source_type", "url", "notes", "time"} & (names - others)
        sent = all_fields(answer)
        assert [text for text in sent["option_data_json_rules_values"] if text] == filters
        assert "transport" not in str(sent)
    saved = app.post("/harvest/new", data={**sent, "save": "only"}, headers=header)
    assert "Saved." in saved.body
    [source] = model.Session.query(HarvestSource)
    assert json.loads(source.config) == {"include_values": [value]}
    assert model.Package.get(source.id).owner_org == owner["id"]
