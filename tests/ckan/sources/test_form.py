"""The form of a harvest source: add, edit, errors, permissions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob, HarvestSource
from lxml import html

from ckanext.ukharvest.harvest.model import SourceState
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.harvesting import Portal
from tests.ckan.sources.source_forms import fields

pytestmark = pytest.mark.in_process

URL = "https://data.example.gov.uk/data.json"
SENT = {
    "source_type": "data_json",
    "url": URL,
    "title": "Open data of Somewhere",
    "owner_org": "",
    "frequency": "WEEKLY",
    "time": "02:30",
    "days": ["tue", "fri"],
    "options_of": ["data_json", "common"],
    "option_data_json_paging": "none",
    "option_common_default_tags": "open data\nsomewhere",
    "save": "only",
}
STATEMENTS = 40  # of the form's page, for a sysadmin


def post(app: CKANTestApp, user: dict[str, Any], path: str = "/harvest/new", **sent: Any) -> Any:
    headers = {"Authorization": user["token"]}
    return app.post(path, data={**SENT, **sent}, headers=headers, follow_redirects=False)


def get(app: CKANTestApp, user: dict[str, Any], path: str = "/harvest/new") -> Any:
    return app.get(path, headers={"Authorization": user["token"]})


def source_named(name: str) -> HarvestSource:
    model.Session.expire_all()
    package = model.Package.get(name)
    assert package is not None
    return HarvestSource.get(package.id)


def form_errors(answer: Any) -> dict[str, str]:
    """Return the errors of the summary, by the field that they link to."""
    links = html.fromstring(answer.body).xpath("//*[@id='form-errors']//a")
    return {link.get("href").removeprefix("#field-"): link.text_content() for link in links}


@contextmanager
def statements() -> Iterator[list[str]]:
    found: list[str] = []

    def record(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.append(statement)

    sa.event.listen(model.meta.engine, "before_cursor_execute", record)
    try:
        yield found
    finally:
        sa.event.remove(model.meta.engine, "before_cursor_execute", record)


def test_an_editor_adds_a_source_without_writing_json(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    answer = post(app, editor, owner_org=organization["id"])
    assert answer.status_code == 302
    assert answer.location.endswith("/harvest/open-data-of-somewhere")
    source = source_named("open-data-of-somewhere")
    assert (source.url, source.type, source.frequency) == (URL, "data_json", "WEEKLY")
    config = {"paging": "none", "default_tags": ["open data", "somewhere"]}
    assert json.loads(source.config) == config
    state = model.Session.get(SourceState, source.id)
    assert state.schedule["time"] == "02:30"
    assert state.schedule["days"] == ["tue", "fri"]
    assert model.Package.get(source.id).owner_org == organization["id"]
    assert not model.Session.query(HarvestJob).count()


def test_new_source_emails_its_author_on_failure(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    asked = fields(get(app, editor))
    assert (asked["mail_me"], asked["asks_mail"]) == (["true"], ["1"])
    post(app, editor, owner_org=organization["id"], asks_mail="1", mail_me="true")
    source = source_named("open-data-of-somewhere")

    def mails() -> tuple[list[str], list[str], list[str]]:
        shown = call_action("ukharvest_mail_show", source_id=source.id)
        chosen = [each["name"] for each in shown["people"] if each["chosen"]]
        return chosen, shown["events"], shown["addresses"]

    assert mails() == ([editor["name"]], ["failed", "recovered", "held"], [])
    path = f"/harvest/edit/{source.id}"
    assert fields(get(app, editor, path))["mail_me"] == ["true"]
    others = {"people": [editor["id"]], "addresses": ["a@somewhere.example"], "events": ["failed"]}
    call_action("ukharvest_mail_update", source_id=source.id, **others)
    # A client that does not know the box changes nothing.
    own = {"id": source.id, "owner_org": organization["id"]}
    assert post(app, editor, path, **own).status_code == 302
    assert mails() == ([editor["name"]], ["failed"], ["a@somewhere.example"])
    assert post(app, editor, path, **own, asks_mail="1").status_code == 302
    assert mails() == ([], ["failed"], ["a@somewhere.example"])
    assert "mail_me" not in fields(get(app, editor, path))


def test_the_first_run_starts_with_it(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    answer = post(app, editor, owner_org=organization["id"], save="run")
    job = model.Session.query(HarvestJob).one()
    assert job.source_id == source_named("open-data-of-somewhere").id
    page = get(app, editor, urlsplit(answer.location).path)
    assert "Scheduled" in page.body
    assert "within 10 minutes" not in page.body  # consumers look for runs themselves


def test_nothing_is_preselected_and_every_type_is_explained(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    page = html.fromstring(get(app, editor).body)
    types = page.xpath("//input[@name='source_type']")
    assert {each.get("value") for each in types} == {
        each["name"] for each in call_action("harvesters_info_show")
    }
    assert not [each for each in types if "checked" in each.attrib]
    for each in types:
        assert page.xpath(f"//*[@id='{each.get('aria-describedby')}']")[0].text_content().strip()
    for name, kind in TYPES.items():
        (box,) = page.xpath(f"//input[@name='source_type'][@value='{name}']")
        assert box.get("data-example") == kind.url_example
        assert kind.line in page.xpath(f"//*[@id='line-{name}']")[0].text_content()
        links = page.xpath(f"//*[@id='line-{name}']/a[@download]/@href")
        assert len(links) == bool(kind.template)
        assert all(app.get(link).body.startswith("identifier,title,") for link in links)
    # A link fills in visible fields, and nothing below "More options".
    given = {"title": "Mine", "name": "n", "config": "{}", "option_common_default_groups": "g"}
    found = fields(get(app, editor, f"/harvest/new?{urlencode(given)}"))
    assert [found.get(name, [""]) for name in given] == [["Mine"], *[[""]] * 3]


def test_form_errors_follow_the_order_of_the_page(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    factories.Organization(users=[{"name": editor["name"], "capacity": "editor"}])
    wrong = {"source_type": "", "url": "", "title": " ", "time": "2am", "notes": "Kept <b>"}
    answer = post(app, editor, **wrong)
    assert list(form_errors(answer).items()) == [
        ("source_type", "Choose what you publish"),
        ("url", "Enter the URL of the catalogue"),
        ("title", "Enter a title"),
        ("owner_org", "Choose an organisation"),
        ("time", "Enter a time such as 02:00, or leave it empty"),
    ]
    page = html.fromstring(answer.body)
    assert page.xpath("//title")[0].text_content().strip().startswith("Error: Add a harvest source")
    for name in form_errors(answer):
        assert page.xpath(f"//*[@id='field-{name}']"), name
        assert page.xpath(f"//*[@id='error-{name}']"), name
    kept = fields(answer)
    assert kept["notes"] == ["Kept <b>"]
    assert kept["days"] == ["tue", "fri"]
    assert kept["option_common_default_tags"] == ["open data\nsomewhere"]
    assert not model.Session.query(HarvestSource).count()


ADDRESSES = {
    "data.example.gov.uk": "Start the URL with https:// or http://",
    "ftp://data.example.gov.uk/": "only http and https addresses are, not ftp",
    "http://10.0.0.8/data.json": "inside a private network. A sysadmin can allow it",
    "https://user:secret@data.example.gov.uk/": "holds a user name or password",
    "javascript:alert(1)": "Start the URL with",
    "https://data example/": "",
}


@pytest.mark.parametrize("url", [url for url, words in ADDRESSES.items() if words])
def test_unreadable_url_is_refused_with_an_example(
    url: str, app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    answer = post(app, editor, url=url, owner_org=organization["id"])
    assert ADDRESSES[url] in form_errors(answer)["url"]
    assert fields(answer)["url"] == [url]


def test_wrong_options_are_reported_at_their_fields(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    sent = {"option_data_json_paging": "some", "option_common_credential": "unknown"}
    answer = post(app, editor, owner_org=organization["id"], **sent)
    assert "one of: auto, none" in form_errors(answer)["option_data_json_paging"]
    sent["option_data_json_paging"] = "none"
    answer = post(app, editor, owner_org=organization["id"], **sent)
    assert "no usable secret" in form_errors(answer)["option_common_credential"]


def test_source_form_shows_the_stored_values(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any], sysadmin: dict[str, Any]
) -> None:
    post(app, editor, owner_org=organization["id"], notes="Whom to *ask*")
    source = source_named("open-data-of-somewhere")
    before = call_action("harvest_source_show", id=source.id), source.config
    path = "/harvest/edit/open-data-of-somewhere"
    for user in (editor, sysadmin):
        page = get(app, user, path)
        sent = fields(page)
        assert "source_type" not in sent
        answer = app.post(
            path, data=sent, headers={"Authorization": user["token"]}, follow_redirects=False
        )
        assert answer.status_code == 302, form_errors(answer)
        source = source_named("open-data-of-somewhere")
        after = call_action("harvest_source_show", id=source.id), source.config
        assert {**after[0], "metadata_modified": ""} == {**before[0], "metadata_modified": ""}
        assert after[1] == before[1]
    state = model.Session.get(SourceState, source.id)
    assert state.schedule["days"] == ["tue", "fri"]
    sent |= {"title": ["Another"], "option_data_json_paging": ["auto"], "days": []}
    app.post(path, data=sent, headers={"Authorization": sysadmin["token"]})
    source = source_named("open-data-of-somewhere")
    assert json.loads(source.config) == {"default_tags": ["open data", "somewhere"]}
    assert source.title == "Another"


def test_editor_schedules_a_source_by_a_cron_expression(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    own = {"owner_org": organization["id"]}
    answer = post(app, editor, **own, frequency="CRON", cron="*/10 * * * *")
    assert form_errors(answer) == {"cron": "On this site, starts must be at least 60 min apart."}
    assert fields(answer)["cron"] == ["*/10 * * * *"]
    assert form_errors(post(app, editor, **own, frequency="ALWAYS")) == {
        "frequency": "Only sysadmins can choose this."
    }
    assert not model.Session.query(HarvestSource).count()
    answer = post(app, editor, **own, frequency="CRON", cron="30 6 * * MON")
    page = html.fromstring(get(app, editor, urlsplit(answer.location).path).body)
    assert page.xpath("//dd/code/text()") == ["30 6 * * mon"]
    (starts,) = page.xpath("//dt[.='Next starts']/following-sibling::dd[1]")
    assert len(starts.xpath("time")) == 5
    assert source_named("open-data-of-somewhere").frequency == "DAILY"
    path = "/harvest/edit/open-data-of-somewhere"
    sent = fields(get(app, editor, path))
    assert (sent["frequency"], sent["cron"]) == (["CRON"], ["30 6 * * mon"])
    for more in ({"title": ["Mine"]}, {"frequency": ["HOURLY"]}, {"frequency": ["WEEKLY"]}):
        sent |= more
        assert app.post(path, data=sent, headers=editor["headers"]).status_code == 200
        shown = call_action("ukharvest_source_show", source_id="open-data-of-somewhere")
        assert [shown["frequency"]] == sent["frequency"]
    assert shown["schedule"]["cron"] == ""
    with pytest.raises(tk.ValidationError, match="Only sysadmins"):
        call_action(
            "ukharvest_schedule_update",
            {"user": editor["name"], "ignore_auth": False},
            source_id=shown["id"],
            frequency="ALWAYS",
        )


@pytest.mark.ckan_config("ckanext.ukharvest.schedule.least_minutes", "90")
def test_form_does_not_offer_what_the_portal_does_not_allow(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    offered = html.fromstring(get(app, editor).body).xpath("//input[@name='frequency']/@value")
    assert offered == ["MANUAL", "DAILY", "WEEKLY", "BIWEEKLY", "MONTHLY", "CRON"]
    answer = post(app, editor, owner_org=organization["id"], frequency="HOURLY")
    assert "at least 90 min apart" in form_errors(answer)["frequency"]


def test_editor_does_not_remove_sysadmin_options(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any], sysadmin: dict[str, Any]
) -> None:
    factories.Group(name="transport")
    groups = {"option_common_default_groups": "transport"}
    post(app, sysadmin, owner_org=organization["id"], **groups)
    path = "/harvest/edit/open-data-of-somewhere"
    page = get(app, editor, path)
    assert "default_groups" not in page.body
    sent = {**fields(page), "title": ["Of an editor"]}
    app.post(path, data=sent, headers=editor["headers"])
    source = source_named("open-data-of-somewhere")
    assert source.title == "Of an editor"
    assert json.loads(source.config)["default_groups"] == ["transport"]
    post(app, editor, owner_org=organization["id"], title="Mine", url=f"{URL}?2", **groups)
    assert "default_groups" not in json.loads(source_named("mine").config)


def test_url_of_another_source_needs_a_confirmation(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    post(app, editor, owner_org=organization["id"])
    again = {"owner_org": organization["id"], "title": "Twice", "option_data_json_paging": "auto"}
    answer = post(app, editor, **again)
    assert "/harvest/open-data-of-somewhere" in answer.body
    assert model.Package.get("twice") is None
    assert post(app, editor, **again, same_address="true").status_code == 302
    source_named("twice")
    same = {**again, "title": "Thrice", "same_address": "true"}
    assert "already has this URL and these options" in form_errors(post(app, editor, **same))["url"]


def test_a_name_that_is_a_page_is_not_a_sources(
    app: CKANTestApp, portal: Portal, editor: dict[str, Any]
) -> None:
    sent = {"owner_org": portal.organization_id}
    assert "is the name of a page" in form_errors(post(app, editor, **sent, name="stars"))["name"]
    assert post(app, editor, **sent, title="Stars").location.endswith("/harvest/stars-source")
    fields = {"title": "By API", "url": URL, "source_type": "data_json"}
    for name in ("object", "admin", "about"):
        answer = app.post(
            "/api/3/action/harvest_source_create",
            json={**fields, "name": name, "owner_org": portal.organization_id},
            headers=editor["headers"],
        )
        assert "is the name of a page" in answer.json["error"]["name"][0]


def test_form_is_shown_to_those_with_the_right(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any], monkeypatch: Any
) -> None:
    for name in ("create_unowned_dataset", "create_dataset_if_not_in_organization"):
        monkeypatch.setitem(tk.config, f"ckan.auth.{name}", False)
    post(app, editor, owner_org=organization["id"])
    stranger = factories.UserWithToken()
    for path in ("/harvest/new", "/harvest/edit/open-data-of-somewhere"):
        assert "/user/login" in app.get(path, follow_redirects=False).location
        assert get_status(app, stranger, path) == 403
        sent = {"title": "Of a stranger", "owner_org": organization["id"]}
        assert post(app, stranger, path, **sent).status_code == 403
    assert source_named("open-data-of-somewhere").title == SENT["title"]
    assert model.Package.get("of-a-stranger") is None
    assert get_status(app, editor, "/harvest/edit/nothing-of-the-kind") == 404


def get_status(app: CKANTestApp, user: dict[str, Any], path: str) -> int:
    headers = {"Authorization": user["token"]}
    return int(app.get(path, headers=headers, follow_redirects=False).status_code)


HOSTILE = "\"><script>alert(1)</script>'‮ javascript:alert(1) " + "x" * 2000


def test_hostile_texts_stay_texts(
    app: CKANTestApp, organization: dict[str, str], editor: dict[str, Any]
) -> None:
    names = [name for name in fields(get(app, editor)) if name not in ("save", "options_of")]
    answer = post(app, editor, **dict.fromkeys(names, HOSTILE), source_type=HOSTILE)
    assert "<script>alert" not in answer.body
    answer = post(app, editor, **dict.fromkeys(names, HOSTILE), source_type="data_json")
    assert "<script>alert" not in answer.body
    assert fields(answer)["title"] == [HOSTILE]
    assert answer.status_code == 200


def test_source_form_is_small_with_few_questions(
    app: CKANTestApp, portal: Portal, sysadmin: dict[str, Any]
) -> None:
    get(app, sysadmin)
    with statements() as asked:
        answer = get(app, sysadmin)
    assert len(asked) <= STATEMENTS
    assert len(answer.body.encode()) < 200_000
    assert len(re.findall(r"<h1\b", answer.body)) == 1


def test_rare_options_stand_under_more_options_alone(
    app: CKANTestApp, sysadmin: dict[str, Any]
) -> None:
    page = html.fromstring(get(app, sysadmin).body)
    (more,) = page.xpath("//details[normalize-space(summary) = 'More options']")
    for kind, name in (
        ("ckan", "left_out_types"),
        ("gemini-csw", "require_location"),
        ("dcat_rdf", "themes_as_tags"),
    ):
        (field,) = page.xpath(f"//*[@name = 'option_{kind}_{name}']")
        assert more in field.iterancestors()
        assert kind in [part.get("data-options-of") for part in field.iterancestors()]
