"""Checks of /harvest/check: what they find, who may start and see them, limits and the end."""

from __future__ import annotations

import datetime as dt
import json
import socket
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.reading.budget import Budget
from tests.ckan.harvesting import Portal
from tests.ckan.previews.asked_checks import FORM, as_user, checked, errors_of, send
from tests.ckan.previews.checked_files import INVENTORY, TABLE, TABLE_SCHEMA
from tests.ckan.previews.previewing import PATH, work
from tests.publisher import PLACE, SOURCES, Publisher
from tests.publishing.files import workbook
from tests.reading.full_datasets import FULL, GUIDE_LIST, datasets

pytestmark = pytest.mark.in_process

API = "/api/3/action/ukharvest_source_preview_create"
GEMINI = next((SOURCES / "gemini-2.3").glob("*.xml")).read_bytes()
RDF = next((SOURCES / "dcat-rdfxml").glob("*.rdf")).read_bytes()
DATASETS = (SOURCES / "table" / "datasets.csv").read_bytes().rpartition(b"\n,,A row")[0]
DATA_JSON = json.dumps(datasets(3, **FULL)).encode()
JSON_SCHEMA = json.dumps(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["name"],
    }
)
XSD = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="park">'
    '<xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence>'
    "</xs:complexType></xs:element></xs:schema>"
)
GEOJSON = '{"type": "FeatureCollection", "features": []}'
HOSTILE = "<svg onload=alert(1)>"  # markup of HTML would be left out of a title


def rows() -> list[SourcePreview]:
    model.Session.remove()
    return list(model.Session.query(SourcePreview).order_by(SourcePreview.created))


def contents() -> list[Any]:
    columns = sa.select(SourcePreview.content, SourcePreview.schema_content)
    return [tuple(row) for row in model.Session.execute(columns)]


@pytest.mark.parametrize(
    ("content", "type_", "label"),
    [
        pytest.param(INVENTORY, "inventory", "Inventory XML", id="inventory"),
        pytest.param(DATA_JSON, "data_json", "data.json", id="data.json"),
        pytest.param(json.dumps(GUIDE_LIST).encode(), "data_json", "data.json", id="list"),
        pytest.param(GEMINI, "gemini-single", "GEMINI", id="gemini"),
        pytest.param(RDF, "dcat_rdf", "DCAT", id="dcat"),
        pytest.param(DATASETS, "dataset_table", "Table of datasets", id="table"),
    ],
)
def test_each_way_finds_out_the_type(
    app: CKANTestApp,
    editor: dict[str, str],
    publisher: Publisher,
    content: bytes,
    type_: str,
    label: str,
) -> None:
    is_latin = content is RDF
    content = content.replace(PLACE.encode(), publisher.base.encode())
    publisher.serve("/document", content)
    ways = (
        {"text": content.decode("iso-8859-1" if is_latin else "utf-8")},
        {"upload": ("file", content)},
        {"url": publisher.url("/document")},
    )
    results = []
    for way in ways:
        found, page = checked(app, editor, **way)
        assert (found["source_type"], found["way"]) == (type_, next(iter(way)))
        assert label in page
        assert "This works" in found["heading"]
        results.append([each["title"] for each in found["result"]["sample"]])
        assert bool(found["result"]["asked"]) == ("url" in way)
        assert results[-1][0] in html.fromstring(page).text_content()
    assert results[0] == results[1] == results[2]
    assert contents() == [(None, None)] * 3


def test_uploaded_workbook_is_a_table_of_datasets(app: CKANTestApp, editor: dict[str, str]) -> None:
    rows = workbook([["identifier", "title"], ["p1", "Parks"], ["p2", ""]])
    found, page = checked(app, editor, upload=("datasets.xlsx", rows))
    assert (found["source_type"], found["way"]) == ("dataset_table", "upload")
    assert "Parks" in page
    assert "row 3, column title: empty" in html.fromstring(page).text_content()


def test_a_chosen_type_and_one_that_it_is_not(
    app: CKANTestApp, editor: dict[str, str], publisher: Publisher
) -> None:
    found, page = checked(app, editor, text=DATA_JSON.decode(), source_type="inventory")
    assert found["heading"] == "This does not work yet"
    assert "The answer looks like data.json, not Inventory XML." in page
    assert "use_type" not in page
    found, page = checked(app, editor, text="once upon a time")
    assert found["result"]["error"]["code"] == "unknown-source-type"
    assert "Format not recognised" in page
    found, _ = checked(app, editor, url=publisher.url("/nothing"), source_type="data_json")
    assert found["result"]["error"]["code"] == "bad-status"


def test_data_with_their_schema(
    app: CKANTestApp, editor: dict[str, str], publisher: Publisher
) -> None:
    publisher.serve("/table.csv", TABLE)
    publisher.serve("/schema.json", TABLE_SCHEMA)
    ways = (
        {"text": TABLE, "schema_url": publisher.url("/schema.json")},
        {
            "upload": ("table.csv", TABLE.encode()),
            "schema_upload": ("schema.json", TABLE_SCHEMA.encode()),
            "source_type": "data",
        },
        {"url": publisher.url("/table.csv"), "schema_url": publisher.url("/schema.json")},
    )
    for way in ways:
        found, page = checked(app, editor, **way)
        report = found["result"]["report"]
        assert (found["source_type"], found["type_label"]) == ("data", "Data with a schema")
        assert found["heading"] == report["summary"] == "3 errors in 4 rows"
        assert [each["row"] for each in report["findings"]] == [3, 4, 5]
        assert "3 errors in 4 rows" in page
        assert "£2" in page
    assert contents() == [(None, None)] * 3


@pytest.mark.parametrize(
    ("text", "schema", "heading"),
    [
        ('{"name": "Wold"}', JSON_SCHEMA, "Valid"),
        ('{"title": "Wold"}', JSON_SCHEMA, "1 error"),
        ("<park><name>Wold</name></park>", XSD, "Valid"),
        ("<park><title>Wold</title></park>", XSD, "1 error"),
        (GEOJSON, "", "Valid"),
        (TABLE, "{", "Not checked: "),
    ],
)
def test_other_data(
    app: CKANTestApp, editor: dict[str, str], text: str, schema: str, heading: str
) -> None:
    more = {"schema_upload": ("schema", schema.encode())} if schema else {}
    found, page = checked(app, editor, text=text, **more)
    assert found["heading"].startswith(heading)
    assert heading in page


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "url"),
        ({"url": "https://data.example/a", "text": "{}"}, "url"),
        ({"text": "{}", "upload": ("a", b"{}")}, "upload"),
        ({"upload": ("a", b"")}, "upload"),
        ({"text": "{}", "source_type": "nonsense"}, "source_type"),
        (
            {"text": "{}", "source_type": "inventory", "schema_url": "https://a.example"},
            "source_type",
        ),
        (
            {"text": "{}", "schema_url": "https://a.example", "schema_upload": ("a", b"{}")},
            "schema_url",
        ),
        ({"url": "file:///etc/passwd"}, "url"),
        ({"url": "http://169.254.169.254/latest"}, "url"),
        ({"text": "{}", "schema_url": "http://[::ffff:10.0.0.1]/"}, "schema_url"),
        ({"text": "{}\0"}, "text"),
    ],
)
def test_check_form_shows_the_error_at_its_field(
    app: CKANTestApp, editor: dict[str, str], fields: dict[str, Any], field: str
) -> None:
    answer = send(app, editor, **fields)
    assert answer.status_code == 200
    page = html.fromstring(answer.body)
    assert page.xpath("//*[@role='alert']//li/a/@href") == [f"#field-{field}"]
    assert page.get_element_by_id(f"field-{field}").get("aria-invalid") == "true"
    assert rows() == []


def test_the_form_keeps_what_was_typed_and_shows_it_as_text(
    app: CKANTestApp, editor: dict[str, str]
) -> None:
    sent = {"text": HOSTILE, "url": f"https://a.example/{HOSTILE}", "source_type": "inventory"}
    answer = send(app, editor, **sent)
    assert HOSTILE not in answer.body
    page = html.fromstring(answer.body)
    assert page.get_element_by_id("field-text").value.strip() == HOSTILE
    assert page.get_element_by_id("field-source_type").value == "inventory"
    link = app.get(f"{FORM}?url=https%3A%2F%2Fa.example%2F&source_type=data", **as_user(editor))
    filled = html.fromstring(link.body)
    assert filled.get_element_by_id("field-url").get("value") == "https://a.example/"
    assert filled.get_element_by_id("field-source_type").value == "data"


def test_hostile_texts_are_shown_as_text(app: CKANTestApp, editor: dict[str, str]) -> None:
    document = json.dumps(datasets(1, **{**FULL, "title": HOSTILE, "keyword": [HOSTILE]}))
    name = f"{HOSTILE}\u202e.json"
    found, page = checked(app, editor, upload=(name, document.encode()), source_type="data_json")
    assert found["result"]["sample"][0]["title"] == HOSTILE
    assert HOSTILE not in page
    table = f"Supplier,Amount,Date\nA,{HOSTILE},2026-05-31\n"
    schema = TABLE_SCHEMA.replace("Supplier", HOSTILE)
    _, page = checked(app, editor, text=table, schema_upload=(name, schema.encode()))
    assert HOSTILE not in page
    assert "&lt;svg onload=alert(1)&gt;" in page


def test_visitors_may_only_where_the_ini_says_so(app: CKANTestApp, clean: None) -> None:
    assert app.get(FORM, follow_redirects=False).status_code == 302  # to log in
    assert send(app, None, text="{}").status_code in (302, 403)
    assert app.post(API, json={"text": "{}"}, status=None).status_code == 403
    assert "/harvest/check" not in app.get("/harvest").body
    assert rows() == []


def test_a_visitor_checks_a_text_and_sends_the_link(app: CKANTestApp, visitors: None) -> None:
    assert f'href="{FORM}"' in app.get("/harvest").body
    found, page = checked(app, None, text=INVENTORY.decode())
    assert "This works" in found["heading"]
    link = html.fromstring(page).get_element_by_id("check-address").get("value")
    assert link.endswith(f"/harvest/test/{found['id']}")
    assert "can see the result until" in page
    shown = app.get(f"/api/3/action/ukharvest_source_preview_show?id={found['id']}").json["result"]
    assert shown["heading"] == found["heading"]


def test_a_visitor_learns_nothing_of_the_network_inside(
    app: CKANTestApp, visitors: None, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests' ini allows 127.0.0.1, to those who may add sources."""
    look_up = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **how: Any) -> Any:
        if host == "wiki.council.example" and "type" in how:
            return look_up("127.0.0.1", *args, **how)
        if host == "nothing.council.example" and "type" in how:
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return look_up(host, *args, **how)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    answer = send(app, None, url=publisher.url(PATH))
    assert "not allowed here" in errors_of(answer)[0]
    texts = []
    for host in ("wiki.council.example", "nothing.council.example"):
        found, page = checked(app, None, url=f"http://{host}/a", source_type="data_json")
        assert found["result"]["error"]["code"] == "blocked"
        texts.append(found["result"]["error"]["message"].replace(host, ""))
        assert "allow_private" not in page
    assert texts[0] == texts[1]
    member = factories.UserWithToken()  # may not add sources
    assert "not allowed here" in errors_of(send(app, member, url=publisher.url(PATH)))[0]
    assert publisher.requests == []


def test_document_too_large_is_refused_unread(
    app: CKANTestApp,
    editor: dict[str, str],
    publisher: Publisher,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config, "CHECK_MEGABYTES", 1)
    monkeypatch.setattr(preview_jobs, "BUDGET", Budget(megabytes=1))
    large = b" " * (1 << 20) + b"{}"
    for fields in ({"text": large.decode()}, {"upload": ("a", large)}):
        answer = send(app, editor, **fields)
        assert "larger than 1 MB" in errors_of(answer)[0]
    answer = send(app, editor, upload=("a", large * 3))
    assert answer.status_code == 413
    assert "larger than 1 MB" in answer.body
    answer = app.post(API, json={"text": "{}" * (2 << 20)}, status=None, **as_user(editor))
    assert (answer.status_code, answer.json["success"]) == (413, False)
    publisher.serve("/large.json", large)
    found, page = checked(app, editor, url=publisher.url("/large.json"), source_type="data_json")
    assert found["heading"] == "Stopped"
    assert "This is more than a test can read." in page
    assert len(rows()) == 1


def test_stop(app: CKANTestApp, editor: dict[str, str], visitors: None) -> None:
    path = send(app, editor, text=INVENTORY.decode()).headers["Location"]
    fragment = {"HX-Request": "true"}
    assert "Waiting for a background worker" in app.get(path, headers=fragment).body
    assert app.post(f"{path}/stop", follow_redirects=False, status=None).status_code == 404
    assert contents() != [(None, None)]
    app.post(f"{path}/stop", follow_redirects=False, **as_user(editor))
    assert contents() == [(None, None)]
    work()
    page = app.get(path).body
    assert "Stopped" in page
    assert "Test again" in page
    assert app.get(path, headers=fragment).headers["HX-Refresh"] == "true"


def test_a_check_ends_after_a_day(app: CKANTestApp, editor: dict[str, str], visitors: None) -> None:
    found, _ = checked(app, editor, text=INVENTORY.decode())
    path = send(app, None, text=INVENTORY.decode()).headers["Location"]
    created, expires = (dt.datetime.fromisoformat(found[key]) for key in ("created", "expires"))
    assert expires - created == dt.timedelta(days=1)
    lost, old = utcnow() - source_previews.GIVEN_UP_AFTER * 2, utcnow() - source_previews.KEPT
    waiting = model.Session.query(SourcePreview).filter_by(state="waiting")
    waiting.update({"created": lost})
    model.Session.commit()
    assert "No background worker finished the test." in app.get(path).body
    sweeper.sweep()
    assert contents() == [(None, None)] * 2
    model.Session.query(SourcePreview).update({"created": old - dt.timedelta(seconds=1)})
    model.Session.commit()
    assert app.get(path, status=None).status_code == 404
    sweeper.sweep()
    assert rows() == []


def test_tests_of_sources_and_checks_leave_each_other_alone(
    app: CKANTestApp, editor: dict[str, str], publisher: Publisher
) -> None:
    path = send(app, editor, text=INVENTORY.decode()).headers["Location"]
    headers = as_user(editor)["headers"]
    test = {"source_type": "data_json", "url": publisher.url(PATH)}
    preview = "/api/3/action/ukharvest_source_preview"
    started = app.post(f"{preview}_create", json=test, headers=headers).json["result"]
    assert [each.state for each in rows()] == ["waiting", "waiting"]
    answer = app.post(f"{preview}_stop", json={"id": started["id"]}, status=None)
    assert answer.status_code == 403
    assert "Test in progress" in app.get(f"/harvest/test/{started['id']}").body
    assert "Test in progress" in app.get(path).body
    app.post(f"{preview}_create", json=test, headers=headers)
    assert sorted(each.state for each in rows()) == ["stopped", "waiting", "waiting"]


def test_name_check_is_reserved_but_old_source_is_reachable(
    app: CKANTestApp, editor: dict[str, str], portal: Portal, publisher: Publisher
) -> None:
    source = portal.source(publisher.url(PATH), name="before")
    given = {"url": publisher.url("/b"), "source_type": "data_json", "name": "check"}
    headers = as_user(editor)["headers"]
    for action, more in (
        ("create", {"title": "Check", "owner_org": portal.organization_id}),
        ("patch", {"id": source}),
    ):
        sent = {**given, **more}
        url = f"/api/3/action/harvest_source_{action}"
        answer = app.post(url, json=sent, headers=headers, status=None)
        assert answer.status_code == 409
        assert '"check" is the name of a page; choose another' in answer.json["error"]["name"][0]
    model.Session.query(model.Package).filter_by(id=source).update({"name": "check"})
    model.Session.commit()
    for path in (f"/harvest/{source}", "/harvest/check/datasets"):
        assert app.get(path, headers=headers, follow_redirects=False).status_code < 400
    page = html.fromstring(app.get(FORM, headers=headers).body)
    assert page.xpath(f"//a[@href='/harvest/{source}']/text()")
    model.Session.query(model.Package).filter_by(id=source).update({"private": True})
    model.Session.commit()
    stranger = as_user(factories.UserWithToken())
    assert source not in app.get(FORM, **stranger).body
    patched = {"id": source, "name": "check", "title": "Another title"}
    answer = app.post("/api/3/action/harvest_source_patch", json=patched, headers=headers)
    assert answer.json["result"]["name"] == "check"


def test_a_worker_that_cannot_do_it_says_so(
    app: CKANTestApp, editor: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(preview_jobs, "check_data", fail)
    found, page = checked(app, editor, text=GEOJSON)
    assert found["result"]["over"] == "fault"
    assert "You do not need to change the source." in page
    assert "secret detail" not in page
