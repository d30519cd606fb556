"""Pages of tests, with scripts and without."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

import lxml.html
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal, figures, statements
from tests.ckan.previews.previewing import PATH, as_, count, work
from tests.ckan.sources.source_forms import fields as all_fields
from tests.publisher import Publisher
from tests.reading.full_datasets import FULL, datasets

pytestmark = pytest.mark.in_process


def page(app: CKANTestApp, user: dict[str, str], address: str, **form: str) -> Any:
    headers = {"Authorization": user["token"]}
    if not form:
        return app.get(address, headers=headers)
    return app.post(address, data=form, headers=headers, follow_redirects=False)


@pytest.fixture
def typed(publisher: Publisher, organization: dict[str, str]) -> dict[str, str]:
    return {
        "source_type": "data_json",
        "url": publisher.url(PATH),
        "title": "Half a tit",
        "notes": "<b>typed</b>",
        "options_of": "data_json",
        "test": "new",
    }


def preview_id(text: str) -> str:
    found = re.search(r"/harvest/test/([0-9a-f-]{36})", text)
    assert found
    return found[1]


def started(app: CKANTestApp, user: dict[str, str], **form: str) -> str:
    """Test a form; return the id of the test."""
    answer = page(app, user, "/harvest/test", **form)
    assert answer.status_code == 302, answer.body
    return preview_id(answer.location)


def fields(answer: Any) -> dict[str, str]:
    form = lxml.html.fromstring(answer.body).get_element_by_id("source-form")
    return {name: value.removeprefix("\n") for name, value in form.form_values()}


def test_form_is_as_it_was_after_its_test(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str]
) -> None:
    typed |= {"option_data_json_paging": "none", "frequency": "WEEKLY", "asks_mail": "1"}
    id_ = started(app, editor, **typed)
    waiting = page(app, editor, f"/harvest/test/{id_}").body
    assert "No background worker answers." in waiting
    assert "Reload this page for the latest" in waiting
    work()
    shown = page(app, editor, f"/harvest/test/{id_}").body
    assert "This works" in shown
    assert "First records" in shown
    assert count(SourcePreview) == [1]
    back = page(app, editor, f"/harvest/test/{id_}/add")
    assert "&lt;b&gt;typed&lt;/b&gt;" in back.body
    assert (
        fields(back).items()
        >= {
            "title": "Half a tit",
            "notes": "<b>typed</b>",
            "source_type": "data_json",
            "url": typed["url"],
            "option_data_json_paging": "none",
            "frequency": "WEEKLY",
        }.items()
    )
    assert "mail_me" not in fields(back)
    used = (
        f"/harvest/test/{id_}/add?use_url=https%3A%2F%2Fexample.gov.uk%2Fother.json&use_type=ckan"
    )
    changed = fields(page(app, editor, used))
    assert changed["url"] == "https://example.gov.uk/other.json"
    assert changed["source_type"] == "ckan"
    assert changed["title"] == "Half a tit"


def test_form_of_a_saved_source_is_as_it_was_after_its_test(
    app: CKANTestApp, portal: Portal, editor: dict[str, str], typed: dict[str, str]
) -> None:
    source = portal.source(typed["url"], name="rivers", config={"paging": "none"})
    sent = {**typed, "id": source, "option_data_json_paging": "auto"}
    id_ = started(app, editor, **sent)
    work()
    assert "Back to the form" in page(app, editor, f"/harvest/test/{id_}").body
    back = page(app, editor, f"/harvest/test/{id_}/add")
    form = lxml.html.fromstring(back.body).get_element_by_id("source-form")
    assert form.action == "/harvest/edit/rivers"
    shown = fields(back)
    assert (shown["id"], shown["title"]) == (source, "Half a tit")
    assert shown["option_data_json_paging"] == "auto"
    stranger = factories.UserWithToken()
    other = page(app, stranger, f"/harvest/test/{id_}/add")
    assert "Half a tit" not in other.body


def test_filters_are_chosen_from_what_the_source_holds(
    app: CKANTestApp, portal: Portal, editor: dict[str, str], publisher: Publisher
) -> None:
    """The choice goes into the form's fields; a run then leaves out the others."""
    offices = ("Parks", "Roads <x>", "Roads <x>")
    told = [dataset(number, publisher={"name": offices[number]}) for number in range(3)]
    publisher.serve(PATH, {"dataset": told})
    typed = {"source_type": "data_json", "url": publisher.url(PATH), "title": "Offices"}
    id_ = started(app, editor, **typed)
    work()
    shown = page(app, editor, f"/harvest/test/{id_}").body
    assert "Organisation (2)" in shown
    assert "2 left" in shown
    assert "Roads &lt;x&gt;" in shown
    assert "Roads <x>" not in shown
    choice = {"chosen": "yes", "only": "include_values\torganisation:Roads <x>"}
    chosen = page(app, editor, f"/harvest/test/{id_}/add?{urlencode(choice)}")
    assert 'value="include_values:organisation" selected' in chosen.body
    assert "\nRoads &lt;x&gt;</textarea>" in chosen.body
    sent = {**all_fields(chosen), "owner_org": portal.organization_id, "save": "only"}
    assert page(app, editor, "/harvest/new", **sent).status_code == 302
    [saved] = model.Session.query(HarvestSource)
    config = {"include_values": ["organisation:Roads <x>"]}
    assert json.loads(saved.config) == config
    # What is ticked replaces what was chosen before; what the records do not have stays.
    sent = {**all_fields(page(app, editor, "/harvest/edit/offices"))}
    id_ = started(app, editor, **sent)
    work()
    choice["only"] = "include_values\torganisation:Parks"
    again = page(app, editor, f"/harvest/test/{id_}/add?{urlencode(choice)}").body
    assert "\nParks</textarea>" in again
    assert "\nRoads &lt;x&gt;</textarea>" not in again
    source = portal.source(publisher.url("/again.json"), config=config)
    publisher.serve("/again.json", {"dataset": told})
    job = portal.run(source)
    assert figures(job) == {"added": 2, "not modified": 1}


def test_missing_field_is_marked_without_javascript(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str]
) -> None:
    body = page(app, editor, "/harvest/test", **{**typed, "url": ""}).body
    assert '<a href="#field-url">Enter the URL of the catalogue</a>' in body
    assert "Choose an organisation" not in body
    assert count(SourcePreview) == [0]


def test_with_scripts_parts_of_the_page_come(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str]
) -> None:
    headers = {"Authorization": editor["token"], "HX-Request": "true"}
    id_ = started(app, editor, **typed)
    waiting = page(app, editor, f"/harvest/test/{id_}").body
    assert 'hx-trigger="every 1s' in waiting
    assert 'data-ukharvest-says="Waiting for a background worker"' in waiting
    address = re.search(r'hx-get="([^"]+)"', waiting)
    assert address
    same = app.get(address[1].replace("&amp;", "&"), headers=headers)
    assert same.status_code == 204
    work()
    done = app.get(f"/harvest/test/{id_}", headers=headers)
    assert (done.headers["HX-Refresh"], done.body) == ("true", "")
    wrong = page(app, editor, "/harvest/test", **{**typed, "url": "gopher://x"}).body
    assert 'href="#field-url"' in wrong


def test_only_posted_forms_with_their_token_start_anything(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str], portal: Portal
) -> None:
    source = portal.source(typed["url"])
    headers = {"Authorization": editor["token"]}
    for address in (
        "/harvest/test",
        f"/harvest/test/{source}/stop",
        f"/harvest/test/{source}/move",
        f"/harvest/{source}/check",
    ):
        assert app.get(address, headers=headers).status_code in (200, 404, 405)
    assert count(SourcePreview) == [0]
    stranger = factories.UserWithToken()
    assert page(app, stranger, "/harvest/test", **typed).status_code == 403
    assert page(app, stranger, f"/harvest/{source}/check").status_code == 403
    assert page(app, stranger, f"/harvest/{source}/check", a="b").status_code == 403
    assert app.post("/harvest/test", data=typed, follow_redirects=False).status_code in (302, 403)
    assert count(SourcePreview) == [0]


def test_the_check_of_a_source_has_a_page(
    app: CKANTestApp, editor: dict[str, str], publisher: Publisher, portal: Portal
) -> None:
    source = portal.source(publisher.url(PATH), name="rivers")
    assert 'id="check-source"' in page(app, editor, "/harvest/rivers/check").body
    answer = page(app, editor, "/harvest/rivers/check", a="b")
    assert answer.status_code == 302
    here = f"/harvest/test/{preview_id(answer.location)}"
    assert page(app, editor, "/harvest/rivers/check").request.path == here
    under_way = page(app, editor, here).body
    assert "Test in progress" in under_way
    assert "Reload this page for the latest" in under_way
    assert "Stop refreshing this page" in under_way
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in under_way
    work()
    with statements("ukharvest_trial") as sent:
        done = page(app, editor, here).body
    assert len(sent) <= 2
    assert len(done) < 200_000
    assert "In a run: " in done
    assert "http-equiv" not in done
    assert portal.datasets() == []
    assert source not in done.split("<body", 1)[1].split("as data", 1)[0]


def test_page_of_a_test_shows_how_to_fix_each_problem(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str], publisher: Publisher
) -> None:
    def fixes(path: str, heading: str) -> set[str]:
        paragraphs = lxml.html.fromstring(page(app, editor, path).body).iterfind(".//p")
        lines = (" ".join(each.text_content().split()) for each in paragraphs)
        return {line.removeprefix(heading).strip() for line in lines if line.startswith(heading)}

    catalogue = datasets(3, **FULL)
    del catalogue["dataset"][0]["title"]
    catalogue["dataset"][1]["modified"] = "yesterday"
    for answer, number in ((catalogue, 2), ("<!doctype html><title>Home</title>", 1)):
        publisher.serve(PATH, answer)
        id_ = started(app, editor, **typed)
        work()
        result = as_(editor, "ukharvest_source_preview_show", id=id_)["result"]
        tips = {each["tip"] for each in (*result["problems"], result["error"]) if each}
        assert len(tips) == number
        assert fixes(f"/harvest/test/{id_}", "How to fix it:") == tips
        french = fixes(f"/fr/harvest/test/{id_}", "Comment corriger :")
        assert len(french - tips - {""}) == number


def test_answer_from_inside_is_shown_to_sysadmins_alone(
    app: CKANTestApp, editor: dict[str, str], typed: dict[str, str], publisher: Publisher
) -> None:
    hostile = "<script>window.hurt = 1</script>"
    publisher.serve(PATH, f"<html><title>{hostile}</title>{hostile}")
    # The tests' publisher is in a private network that the settings allow.
    for user, is_shown in ((editor, False), (factories.SysadminWithToken(), True)):
        id_ = started(app, user, **typed)
        work()
        body = page(app, user, f"/harvest/test/{id_}").body
        assert "Web page instead of data" in body
        assert ("The start of the last answer" in body) is is_shown
        told = as_(user, "ukharvest_source_preview_show", id=id_)["result"]
        assert bool(told["asked"][0]["size"]) is is_shown
        assert "<script>window.hurt" not in body
