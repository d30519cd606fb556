"""Guids, titles and parameters that try to become SQL, Solr syntax, log lines, headers or paths."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from urllib.parse import quote, urlencode

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import Inbox, choose, marked_up, plain
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher, Response
from tests.security.markup import live_parts
from tests.security.payloads import LINES, MARKUP, ODD_TEXTS, QUERIES, SENT

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Session = model.Session
PARAMETERS = ("q", "code", "field", "outcome", "page", "sort", "organization", "type", "health")
PARAMETERS += ("version", "ext_west", "clear", "mode", "format", "token", "from", "to", "stars")


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source whose guids are the hostile texts; the last has a wrong date, a problem."""
    made = [
        dataset(number, identifier=text, title=f"T {number}", modified="never")
        for number, text in enumerate([*QUERIES.values(), *MARKUP.values()])
    ]
    return ready_source(PATH, catalogue(made), name="somewhere")


@pytest.fixture
def sysadmin() -> dict[str, str]:
    return {"Authorization": factories.SysadminWithToken()["token"]}


# SQL and Solr


def test_each_guid_stays_one_record_through_all_stages(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    asked = sorted(
        text.replace("\r\n", "\n").strip() for text in (*QUERIES.values(), *MARKUP.values())
    )
    assert sorted(row[0] for row in Session.query(Record.guid)) == asked
    assert len(portal.datasets()) == len(portal.search_names()) == len(asked)
    found = act("ukharvest_record_list", source_id=source, limit=100)
    assert sorted(each["guid"] for each in found["results"]) == asked
    for guid in asked:  # a filter finds the text itself, and not what it would mean
        found = act("ukharvest_record_list", source_id=source, q=guid)
        assert [each["guid"] for each in found["results"]] == [guid]
    portal.run(source)
    assert len(portal.datasets()) == len(asked)
    publisher.serve(PATH, catalogue([dataset(0, identifier=asked[0], title="T 0")]))
    portal.run(source)
    portal.run(source)
    held = act("ukharvest_pending_list", source_id=source)
    assert len(held["results"]) == len(asked) - 1
    decision = {"source_id": source, "decision": "approve", "version": held["version"]}
    act("ukharvest_pending_decide", **decision)
    assert len(portal.datasets()) == 1
    current = Session.query(HarvestObject).filter_by(current=True)
    assert [each.guid for each in current] == [asked[0]]


def test_sql_wildcards_are_matched_literally(portal: Portal, publisher: Publisher) -> None:
    made = [dataset(n, identifier=f"r{n}", title=t) for n, t in enumerate(("100%", "a_b", "axb"))]
    publisher.serve(PATH, catalogue(made))
    source = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source)
    for text, titles in {"%": ["100%"], "_": ["a_b"], "\\": [], "a_b": ["a_b"], "'": []}.items():
        found = act("ukharvest_record_list", source_id=source, q=text)
        assert [each["title"] for each in found["results"]] == titles, text
    assert act("ukharvest_source_list", q="%")["count"] == 0
    assert act("ukharvest_source_list", q="_")["count"] == 0


def hostile_paths(app: CKANTestApp, values: dict[str, str], texts: Iterable[str]) -> Iterator[str]:
    """Yield the paths of our pages with each text in their query, and in place of a name."""
    adapter = app.flask_app.url_map.bind("test.ckan.net")
    for rule in app.flask_app.url_map.iter_rules():
        if not rule.endpoint.startswith("ukharvest") or "GET" not in (rule.methods or ()):
            continue
        of = "dataset" if rule.rule.startswith("/dataset") else "somewhere"
        given = {**values, "id": values["run"] if "/job/" in rule.rule else values[of]}
        if "/record/" in rule.rule:
            given["id"] = values["record"]
        path = adapter.build(rule.endpoint, {name: given.get(name, "x") for name in rule.arguments})
        for text in texts:
            query = dict.fromkeys(PARAMETERS[: 2 if len(text) > 2000 else None], text)
            yield f"{path}?{urlencode(query, errors='surrogatepass')}"
            if rule.arguments:
                path_of = adapter.build(rule.endpoint, dict.fromkeys(rule.arguments, "TEXT"))
                sent = quote(text[:5000], safe="", errors="surrogatepass")
                yield path_of.replace("TEXT", sent)


@pytest.mark.parametrize(
    ("texts", "is_sysadmin"),
    [
        pytest.param([*SENT.values(), "9" * 25], True, id="some"),
        # giants: each odd text, and visitors
        pytest.param(ODD_TEXTS, True, id="all", marks=pytest.mark.giant),
        pytest.param(ODD_TEXTS, False, id="all-visitor", marks=pytest.mark.giant),
    ],
)
@pytest.mark.timeout(1200)
def test_no_page_answers_500(
    app: CKANTestApp,
    portal: Portal,
    source: str,
    sysadmin: dict[str, str],
    texts: list[str],
    is_sysadmin: bool,
) -> None:
    values = {"name": "somewhere", "source": "somewhere", "extension": "json"}
    values |= {"dataset": portal.datasets()[0]["name"], "somewhere": "somewhere"}
    values["record"] = Session.query(Record.id).first()[0]
    values["run"] = act("ukharvest_run_list", source=source)["results"][0]["id"]
    wrong, asked, asking = [], 0, sysadmin if is_sysadmin else {}
    for path in hostile_paths(app, values, texts):
        asked += 1
        try:
            answer = app.get(path, headers=asking, follow_redirects=False)
        except Exception as exc:  # noqa: BLE001 - what would be a server error
            Session.rollback()
            wrong.append(f"{path[:100]}: {type(exc).__name__}: {exc!s:.100}")
            continue
        wrong += [f"{path[:100]}: {answer.status_code}"] if answer.status_code >= 500 else []
        if "html" in answer.headers.get("Content-Type", ""):
            wrong += [f"{path[:100]}: {each}" for each in live_parts(answer.body)]
    assert not wrong, "\n".join(wrong)
    assert asked > 150


# Log lines, mail headers, spreadsheets, files


def test_no_guid_or_title_forges_a_line_of_the_log(
    portal: Portal, publisher: Publisher, caplog: pytest.LogCaptureFixture
) -> None:
    forged = "".join(LINES.values())
    made = [
        dataset(n, identifier=f"{n}{forged}", title=f"T{forged}", accessLevel=level)
        for n, level in enumerate(("public", "non-public"))
    ]
    publisher.serve(PATH, catalogue([*made, dataset(3, identifier=f"3{forged}", title="")]))
    source = portal.source(publisher.url(PATH))
    with caplog.at_level(logging.DEBUG, "ckanext"):
        portal.run(source)
        portal.run(source, force=True)
    lines = [each.getMessage() for each in caplog.records if "ukharvest" in each.name]
    assert lines
    assert [each for each in lines if set(each) & set("\n\r\x1b\x9b\x07\u202e")] == []


def test_no_title_becomes_a_header_or_markup_of_a_mail(
    portal: Portal,
    publisher: Publisher,
    inbox: Inbox,
) -> None:
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source)
    choose(source)
    title = LINES["header"] + LINES["terminal"] + MARKUP["element"] + MARKUP["double quotes"]
    Session.query(model.Package).filter_by(id=source).update({"title": title})
    Session.commit()
    publisher.serve(PATH, Response(f"<title>{title}</title>".encode()))
    portal.run(source)
    [mail] = inbox.new_mails()
    assert mail["Bcc"] is None
    assert mail.get_all("To") == ["team@somewhere.example"]
    assert not set(mail["Subject"]) & set("\r\n\x1b")
    assert "hurt" in marked_up(mail)
    assert live_parts(marked_up(mail)) == []
    assert "hurt" in plain(mail)
    assert "\x1b" not in plain(mail)


def test_no_name_of_a_file_leaves_its_folder(
    app: CKANTestApp, portal: Portal, source: str, sysadmin: dict[str, str]
) -> None:
    for shown in portal.datasets():
        answer = app.get(f"/dataset/{shown['name']}/source-record.json", headers=sysadmin)
        disposition = answer.headers["Content-Disposition"]
        assert disposition == f'inline; filename="{shown["name"]}.json"'
        assert set(disposition) <= set(' abcdefghijklmnopqrstuvwxyz0123456789-_;=".')
