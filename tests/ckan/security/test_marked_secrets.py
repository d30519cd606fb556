"""A marked secret in each form: sent to its publisher, and found nowhere on the portal.

The publisher repeats it wherever it can: in records, links to the next page, redirects, headers
and error pages. Afterwards all pages, API answers, mails, log lines, values in Redis, the index
and every column of every table are searched.
"""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from ckan import model
from ckan.cli.cli import ckan as ckan_command
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.core.http.credentials import parse_credential
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from tests.ckan.access import Headers
from tests.ckan.access_rows import TABLE, call
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import Inbox
from tests.ckan.marked import (
    FORMS,
    LOGIN,
    MARK,
    VISIBLE,
    Echo,
    index_documents,
    mail_text,
    marks,
    redis_values,
    stored_rows,
)
from tests.ckan.previews.previewing import work
from tests.ckan.routes import READ, filled
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.timeout(180)]

COMMANDS = (["doctor"], ["sources"], ["runs", "marked"], ["run", "marked", "--dry-run"])
STORED = {"package", "resource", "harvest_object", "ukharvest_record", "ukharvest_trial", "index"}
SHOWN = {
    *("anonymous /dataset/", "anonymous /harvest/marked", "sysadmin /harvest/marked/problems.csv"),
    *("harvest_object_show", "ukharvest_record_list", "run", "mail"),
    "harvest_gather_error",
}
Place = dict[str, str]


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    with Echo() as serving:
        yield serving


def harvest(portal: Portal, echo: Echo, other: Publisher, ckan_config: Any) -> str:
    """Run, preview and dry-run a source in every mode; return its id."""
    config = {"credential": "marked"}
    source = portal.source(echo.url("/start"), name="marked", config=config)
    mail = {"addresses": ["data@somewhere.example"], "events": ["failed", "recovered", "held"]}
    act("ukharvest_mail_update", source_id=source, **mail, weekly="needed")
    ckan_config["ckanext.ukharvest.http.read_timeout"] = 0.2
    other.serve("/", "nothing here")
    echo.elsewhere = other.base + "/"
    modes = ("fine", "garbage", "refused", "fault", "half", "hang", "cut", "elsewhere", "fine")
    for echo.mode in modes:
        job = portal.run(source, force=True)
        assert (job["ukharvest"]["outcome"] == "errors") == (echo.mode == "fine"), echo.mode
    for echo.mode in ("fine", "garbage"):
        act("ukharvest_source_preview_create", source_id=source)
        work()
        tested = {"source_type": "data_json", "url": echo.url("/start"), "id": source}
        act("ukharvest_source_preview_create", **tested, config=json.dumps(config))
        work()
    return source


def answers(
    app: CKANTestApp, place: Place, people: dict[str, Headers]
) -> Iterator[tuple[str, str]]:
    """Return what pages and read-only actions answer to a sysadmin, and some to everybody."""
    dataset_pages = ("/dataset/{}", "/dataset/activity/{}", "/api/3/action/package_show?id={}")
    urls = [filled(route, place).replace("somewhere", "marked") for route in READ]
    urls += [page.format(place["dataset"]) for page in dataset_pages]
    urls += ["/dataset/", "/api/3/action/package_search?fl=*", "/ukharvest/metrics?token=let-me-in"]
    for role, url in itertools.product(("anonymous", "sysadmin"), urls):
        answer = app.get(url, headers=people[role], follow_redirects=False)
        assert answer.status_code < 500, url
        yield f"{role} {url}", f"{answer.headers}\n{answer.body}"
    actions = [row.action for row in TABLE]
    for row in TABLE[: actions.index("ukharvest_notice_update")]:
        answer = call(app, row, place, people["sysadmin"])
        text = answer.body if answer.status_code != 200 else json.dumps(answer.json)
        yield row.action, f"{text}\n{answer.body}"


def ids(source: str) -> Place:
    """Return the ids that the tables of actions and routes name, of this source."""
    from ckanext.harvest.model import HarvestJob, HarvestObject

    from ckanext.ukharvest.harvest.model import Record

    query = model.Session.query
    record = query(Record).filter(Record.source_id == source, Record.package_id.isnot(None)).first()
    package = act("package_show", id=record.package_id)
    jobs = query(HarvestJob).filter_by(source_id=source).order_by(HarvestJob.created).all()
    objects = query(HarvestObject).filter_by(harvest_source_id=source)
    shown = objects.filter_by(package_id=package["id"]).first()
    failed = objects.filter(HarvestObject.package_id.is_(None)).first()
    found = dict.fromkeys(("dataset", "private dataset"), package["id"])
    found |= dict.fromkeys(("resource", "private resource"), package["resources"][0]["id"])
    found |= dict.fromkeys(("object", "private object"), shown.id)
    preview = query(SourcePreview).filter_by(source_id=source).first()
    return found | {
        "source": source,
        "private source": source,
        "organization": package["owner_org"],
        "run": jobs[1].id,
        "open run": jobs[0].id,
        "failed object": failed.id,
        "record": record.id,
        "guid": record.guid,
        "preview": preview.id,
        "dry run": preview.id,
        "move": preview.id,
        "check": act("ukharvest_source_preview_create", text="{}")["id"],
        "url": "",
    }


@pytest.mark.parametrize("form", FORMS)
def test_a_marked_secret_is_found_nowhere(
    form: str,
    app: CKANTestApp,
    cli: Any,
    portal: Portal,
    publisher: Echo,
    server: Inbox,
    people: dict[str, Headers],
    ckan_config: Any,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, publisher.sent = FORMS[form]
    text = f"{publisher.base} {given}"
    assert parse_credential(text).value in (MARK, f"Basic {LOGIN}")
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.credentials.marked", text)
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.metrics.token", "let-me-in")
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.read_timeout", 5)
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "urllib3.connectionpool"):  # the ini of CKAN may have switched it off
        caplog.set_level(logging.DEBUG, name)
        monkeypatch.setattr(logging.getLogger(name), "disabled", False)
    with Publisher() as other, app.flask_app.test_request_context():
        source = harvest(portal, publisher, other, ckan_config)
        foreign = [f"{each.path}\n{each.headers}" for each in other.requests]
    assert foreign
    assert all(publisher.sent in f"{each.path}\n{each.headers}" for each in publisher.requests)
    said = [*stored_rows(), *index_documents(ckan_config), *redis_values()]
    if form == "query":  # pages show what is stored: once is enough
        said += answers(app, ids(source), people)
        for words in COMMANDS:
            said.append((words[0], cli.invoke(ckan_command, ["ukharvest", *words]).output))
    mails = server.new_mails()
    assert "Failing" in str([each["Subject"] for each in mails])
    assert "urllib3.connectionpool" in caplog.text
    said += [("mail", mail_text(each)) for each in mails]
    said += [("log", caplog.text), *(("other server", each) for each in foreign)]
    found = [(where, marks(each)) for where, each in said if marks(each)]
    assert not found, "\n".join(map(str, found))
    # The search finds the word beside the secrets, where records and errors are stored and shown.
    assert {where for where, each in said if VISIBLE in each} >= STORED | (
        SHOWN if form == "query" else set()
    )


def test_next_link_with_the_key_is_followed_with_one_key(
    portal: Portal, publisher: Echo, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, publisher.sent = FORMS["query"]
    setting = "ckanext.ukharvest.credentials.marked"
    monkeypatch.setitem(ckan_config, setting, f"{publisher.base} {given}")
    url = publisher.url("/rdf")
    source = portal.source(url, "dcat_rdf", config={"credential": "marked"})
    assert portal.run(source)["stats"]["added"] == 2
    paths = [request.path for request in publisher.requests]
    assert paths == [f"/rdf?{publisher.sent}", f"/rdf?page=2&{publisher.sent}"]
    assert [row for row in stored_rows() if marks(row[1])] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"url": f"https://council:{quote(MARK, safe='')}@data.example.gov.uk/"},
        {"config": json.dumps({"api_key": MARK})},
    ],
    ids=["in the URL", "as an option"],
)
def test_a_secret_that_the_form_refuses_is_not_repeated(
    fields: dict[str, str], app: CKANTestApp, portal: Portal, people: dict[str, Headers]
) -> None:
    form = {
        "name": "roads",
        "title": "Roads",
        "url": "https://data.example.gov.uk/",
        "source_type": "ckan",
        "owner_org": portal.organization_id,
        **fields,
    }
    url = "/api/3/action/harvest_source_create"
    answer = app.post(url, json=form, headers=people["editor"])
    assert answer.status_code == 409
    assert marks(answer.body) == []
    assert [row for row in (*stored_rows(), *redis_values()) if marks(row[1])] == []
