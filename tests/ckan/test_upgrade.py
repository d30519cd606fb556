"""Our code is newer than the tables, or older: pages work, commands and consumers report it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest import queue

from ckanext.ukharvest import logic
from ckanext.ukharvest.core.link_evidence import Evidence
from ckanext.ukharvest.logic import action
from ckanext.ukharvest.model import (
    Assessment,
    DataCheck,
    Link,
    Record,
    RecordProblem,
    Worker,
    checks,
    link_evidence,
    link_results,
    schema_version,
    source_previews,
    utcnow,
)
from ckanext.ukharvest.operations.doctor import services
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures, work_off
from tests.ckan.processes import PROGRAM, Process
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.ours]

PATH = "/data.json"
COMMAND = "ckan db upgrade -p ukharvest"
PATIENCE = 120.0  # seconds
Session = model.Session
Ckan = Callable[..., subprocess.CompletedProcess[str]]


def test_the_revisions_that_the_code_knows_are_those_of_the_migrations() -> None:
    assert schema_version.REVISIONS[-1] in services._heads("ukharvest")
    assert schema_version.load() is schema_version.State.CURRENT


@pytest.fixture(params=["0006", "base"])
def behind(request: pytest.FixtureRequest, ckan: Ckan) -> Iterator[Callable[[], None]]:
    """Takes the tables back to those of the release before, or removes all."""

    def take_back() -> None:
        Session.remove()
        ckan("db", "downgrade", "-p", "ukharvest", "-v", request.param)
        schema_version.watch.forget()

    yield take_back
    Session.remove()
    ckan("db", "upgrade", "-p", "ukharvest")
    schema_version.watch.forget()


def test_stored_problems_of_schemas_get_the_code_of_today(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    (record_id,) = Session.scalars(sa.select(Record.id))
    for code in ("element-order", "gemini-04-short"):
        Session.add(RecordProblem(record_id=record_id, code=code, message="as it was"))
    Session.commit()
    Session.remove()
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0007")
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    found = Session.execute(sa.select(RecordProblem.code, RecordProblem.message))
    assert sorted(map(tuple, found)) == [
        ("gemini-04-short", "as it was"),
        ("schema-fault", "as it was"),
    ]


def test_stored_problems_of_rejected_records_are_those_of_lost_ones(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue([dataset(0, modified="soon"), dataset(1, modified="soon")]))
    portal.run(portal.source(publisher.url(PATH)))
    first = Session.scalars(sa.select(Record).order_by(Record.guid)).first()
    first.outcome = "errored"
    Session.commit()
    Session.remove()
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0009")
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    found = sa.select(RecordProblem.lost, RecordProblem.current).join(Record).order_by(Record.guid)
    assert [tuple(row) for row in Session.execute(found)] == [(True, True), (False, True)]


def test_links_that_were_checked_before_their_states_were_stored(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    checked = utcnow()
    found = {"checked": checked, "due": checked + timedelta(days=30)}
    urls = (
        "https://Data.example:8443/files/0.csv",
        "https://maps.example/wms",
        "https://a.example",
    )
    Session.remove()
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0011")
        rows = [
            {"url": urls[0], "format": "CSV", "why": "", **found},
            {"url": urls[1], "format": "", "why": "it answered 404", **found},
            {"url": urls[2], "format": "", "why": "", "checked": None, "due": checked},
        ]
        Session.execute(
            sa.text(
                "INSERT INTO ukharvest_link (url, url_digest, format, why, checked, due)"
                " VALUES (:url, sha256(convert_to(:url, 'UTF8')), :format, :why, :checked, :due)"
            ),
            rows,
        )
        Session.commit()
        Session.remove()
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    links = {link.url: link for link in Session.query(Link)}
    assert [links[url].state for url in urls] == ["works", "", ""]
    assert [links[url].host for url in urls] == ["data.example", "maps.example", "a.example"]
    assert [links[url].worked for url in urls] == [checked, None, None]
    assert [links[url].tried for url in urls] == [checked, checked, None]
    assert [links[url].failed_since for url in urls] == [None, None, None]
    assert not any(links[url].rescore for url in urls)
    # What was found before counts for stars at the next calculation.
    assert link_evidence.load(urls)[urls[0]] == Evidence("CSV", "")
    assert link_results.find(urls[1]) is links[urls[1]]


def test_rows_from_before_their_organisation_was_stored(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    elsewhere, third = factories.Organization()["id"], factories.Organization()["id"]
    publisher.serve(PATH, catalogue(3))
    portal.run(source := portal.source(publisher.url(PATH)))
    act("package_patch", id=portal.datasets()[0]["id"], owner_org=elsewhere)
    before = portal.datasets()
    Session.remove()
    revisions = schema_version.REVISIONS
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", revisions[revisions.index("0101") - 1])
        Session.execute(
            sa.text("UPDATE ukharvest_source SET validators = validators - 'owner_org'")
        )
        Session.commit()
        Session.remove()
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    assert figures(portal.run(source)) == {"not modified": 3}
    assert portal.datasets() == before
    act("harvest_source_patch", id=source, owner_org=third)
    assert figures(portal.run(source)) == {"updated": 3}
    assert [each["owner_org"] for each in portal.datasets()] == [third] * 3


def test_previews_stay_and_checks_go_with_their_columns(clean: None, ckan: Ckan) -> None:
    """Rows as the commit before writes them, also after the upgrade, before it is restarted."""
    insert = sa.text(
        "INSERT INTO ukharvest_trial (id, user_name, state, created)"
        " VALUES (:id, 'ed', 'waiting', now())"
    )
    ids = sa.text("SELECT id FROM ukharvest_trial ORDER BY id")
    Session.remove()
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0013")
        Session.execute(insert, {"id": "before"})
        Session.commit()
        Session.remove()
        ckan("db", "upgrade", "-p", "ukharvest")
        Session.execute(insert, {"id": "between"})
        checks.add("ed", source_type="", url="", given={"way": "text"}, content=b"{}")
        assert [source_previews.get(id_).given for id_ in ("before", "between")] == [None, None]
        assert checks.count_under_way() == 1
        Session.remove()
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0013")
        assert list(Session.scalars(ids)) == ["before", "between"]
    finally:
        Session.remove()  # its locks would keep the migration waiting
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()


def header(user: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": str(user["token"])}


def test_pages_work_without_our_tables_and_sysadmins_are_told(
    portal: Portal,
    publisher: Publisher,
    app: CKANTestApp,
    organization: dict[str, str],
    behind: Callable[[], None],
) -> None:
    publisher.serve(PATH, catalogue(2))
    portal.run(portal.source(publisher.url(PATH), name="parking"))
    sysadmin, editor = factories.SysadminWithToken(), factories.UserWithToken()
    of = {"id": organization["id"], "username": editor["name"], "role": "editor"}
    call_action("organization_member_create", {"user": sysadmin["name"]}, **of)
    first, _second = portal.datasets()
    name, resource = first["name"], first["resources"][0]["id"]
    behind()

    pages = ["/", "/dataset/", f"/dataset/{name}", f"/dataset/{name}/resource/{resource}"]
    pages += ["/harvest/", "/organization/", "/organization/somewhere-council", "/group/", "/about"]
    pages += ["/dataset/?q=dataset&vocab_ukharvest_theme=x", "/feeds/dataset.atom"]
    for page in pages:
        body = app.get(page, status=200).body
        assert COMMAND not in body, page
        assert COMMAND not in app.get(page, headers=header(editor), status=200).body, page
    pages += [f"/dataset/edit/{name}", "/dataset/new", "/ckan-admin/", "/dashboard/datasets"]
    pages += [f"/dataset/{name}/resource/{resource}/edit", f"/user/{editor['name']}"]
    for page in pages:
        body = app.get(page, headers=header(sysadmin), status=200).body
        assert page.endswith(".atom") or COMMAND in body, page
        assert app.get(page, headers=header(editor)).status_code in (200, 403), page
    for page in ("/harvest/parking", "/harvest/parking/job", "/harvest/new", "/harvest/help"):
        assert "being upgraded" in app.get(page, status=503).body, page
    for page in ("/ckan-admin/ukharvest", "/harvest/clear/parking", "/harvest/edit/parking"):
        assert COMMAND in app.get(page, headers=header(sysadmin), status=503).body, page

    edits(app, editor, name, organization["id"])
    actions(app, sysadmin, name)


def edits(app: CKANTestApp, editor: dict[str, Any], name: str, owner_org: str) -> None:
    """Make, change and delete datasets as on a portal without us."""

    def post(action: str, **fields: Any) -> dict[str, Any]:
        answer = app.post(f"/api/3/action/{action}", json=fields, headers=header(editor))
        assert answer.status_code == 200, answer.body
        return dict(answer.json["result"] or {})

    resources = [{"url": "https://www.example.gov.uk/a.csv", "format": "CSV"}]
    made = post("package_create", name="by-hand", owner_org=owner_org, resources=resources)
    post("package_patch", id=made["id"], title="By hand")
    post("resource_patch", id=made["resources"][0]["id"], description="Whole numbers")
    post("package_patch", id=name, notes="Edited")
    sent = {"title": "By form", "name": "by-form", "owner_org": owner_org, "save": ""}
    sent |= {"_ckan_phase": "dataset_new_1", "pkg_name": ""}
    app.post("/dataset/new", data=sent, headers=header(editor), follow_redirects=False, status=302)
    assert call_action("package_search", q="title:hand")["count"] == 1
    post("package_delete", id="by-form")


def actions(app: CKANTestApp, sysadmin: dict[str, Any], name: str) -> None:
    """Check that our actions say what to do, and that those others need work without us."""

    def get(action: str, status: int, **args: str) -> str:
        url = f"/api/3/action/{action}"
        answer = app.get(url, query_string=args, headers=header(sysadmin), status=status)
        return str(answer.body)

    assert COMMAND in get("ukharvest_source_show", 409, source_id="parking")
    for own in action.__all__:
        if own.startswith("ukharvest_") and own not in logic.guarded_actions.NEED_NO_TABLE:
            with pytest.raises(tk.ValidationError, match=COMMAND):
                act(own)
    for refused in logic.guarded_actions.REFUSED:
        with pytest.raises(tk.ValidationError, match=COMMAND):
            act(refused)
    source = json.loads(get("package_show", 200, id="parking"))["result"]["id"]
    (job,) = json.loads(get("harvest_job_list", 200, source_id=source))["result"]
    get("harvest_job_show", 200, id=job["id"])
    get("harvest_source_show", 200, id="parking")
    get("harvest_source_show_status", 200, id=source)
    app.get("/api/3/action/harvest_source_show_status", query_string={"id": source}, status=200)
    app.get("/api/3/action/package_search", query_string={"q": "*:*"}, status=200)


def test_commands_say_what_to_do(behind: Callable[[], None], ckan: Ckan) -> None:
    behind()
    for words in (["ukharvest", "sources"], ["ukharvest", "run", "parking"], ["harvester", "run"]):
        result = ckan(*words, check=False)
        assert result.returncode != 0, words
        assert COMMAND in result.stderr, words
    result = ckan("ukharvest", "doctor", check=False)
    assert result.returncode == 2
    assert COMMAND in result.stdout


def test_after_the_migration_all_is_back_without_a_restart(
    app: CKANTestApp, behind: Callable[[], None], ckan: Ckan, monkeypatch: Any
) -> None:
    monkeypatch.setattr(schema_version, "SECONDS", 0.0)
    behind()
    app.get("/harvest/help", status=503)
    ckan("db", "upgrade", "-p", "ukharvest")
    app.get("/harvest/help", status=200)
    with_tables = factories.Dataset()["id"]
    assert Session.get(Assessment, with_tables) is not None


# Consumers.


@pytest.fixture
def revision() -> Iterator[Callable[[str], None]]:
    """Sets the revision that is stored in the database."""

    def put(number: str) -> None:
        Session.remove()
        statement = sa.text(f"UPDATE {schema_version.TABLE} SET version_num = :number")  # noqa: S608
        with model.meta.engine.begin() as connection:
            connection.execute(statement, {"number": number})

    yield put
    put(schema_version.REVISIONS[-1])


# The pause before a consumer of another version ends is shorter than on a portal.
QUICK = (
    "from ckanext.ukharvest.patches import consumer_heartbeats\n"
    f"consumer_heartbeats.PAUSE = 1.0\n{PROGRAM}"
)


class Consumer:
    """One consumer's process, and its output."""

    def __init__(self, ini: str, kind: str, log: Path) -> None:
        self.log = log
        words = ["-c", ini, "harvester", f"{kind}-consumer"]
        self.process = Process(words, program=QUICK, output=log)

    def end(self) -> int:
        return self.process.wait(PATIENCE)

    @property
    def output(self) -> str:
        return self.log.read_text("utf-8")


@pytest.fixture
def start(ini: str, tmp_path: Path) -> Iterator[Callable[[str], Consumer]]:
    started: list[Consumer] = []

    def begin(kind: str) -> Consumer:
        started.append(Consumer(ini, kind, tmp_path / f"{kind}-{len(started)}.log"))
        return started[-1]

    yield begin
    for each in started:
        each.process.kill()
        each.process.wait(30)


def until(condition: Callable[[], Any], consumer: Consumer) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert consumer.process.poll() is None, consumer.output
        assert time.monotonic() < deadline, consumer.output
        time.sleep(0.1)


def beats() -> int:
    Session.remove()
    return int(Session.query(Worker).count())


def messages(kind: str, *ids: str) -> tuple[int, int]:
    """Return how many messages are queued, and how many of these ids are under way."""
    consumer = getattr(queue, f"get_{kind}_consumer")()
    key = consumer.routing_key
    return consumer.redis.llen(key), consumer.redis.exists(*(f"{key}:{id_}" for id_ in ids))


OUTDATED = {"0006": COMMAND, "9999": "The database has been upgraded since this consumer started"}


@pytest.mark.parametrize("number", OUTDATED)
def test_a_consumer_that_is_started_on_other_tables_takes_no_message(
    portal: Portal,
    publisher: Publisher,
    revision: Callable[[str], None],
    start: Callable[[str], Consumer],
    number: str,
) -> None:
    publisher.serve(PATH, catalogue(2))
    job_id = act("ukharvest_run_create", source_id=portal.source(publisher.url(PATH)))["id"]
    revision(number)
    consumer = start("gather")
    assert consumer.end() != 0
    assert OUTDATED[number] in consumer.output
    assert messages("gather", job_id) == (1, 0)
    assert publisher.requests == []
    revision(schema_version.REVISIONS[-1])
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 2}


@pytest.mark.parametrize("number", OUTDATED)
def test_a_consumer_that_waits_during_an_upgrade_puts_its_message_back(
    portal: Portal,
    publisher: Publisher,
    revision: Callable[[str], None],
    start: Callable[[str], Consumer],
    number: str,
) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH))
    job_id = portal.create_job(source)
    portal.gather(job_id)
    consumer = start("fetch")
    until(beats, consumer)
    time.sleep(schema_version.SECONDS + 1)  # it waits for a message now, and has checked before
    revision(number)
    ids = portal.waiting(job_id)
    portal.send(ids)
    assert consumer.end() != 0
    assert OUTDATED[number] in consumer.output
    assert messages("fetch", *ids) == (2, 0)
    assert len(portal.waiting(job_id)) == 2
    assert beats() == 0
    revision(schema_version.REVISIONS[-1])
    again = start("fetch")
    until(lambda: not portal.waiting(job_id), again)
    until(lambda: messages("fetch", *ids) == (0, 0), again)
    assert figures(portal.finish(job_id)) == {"added": 2}


def test_a_callback_leaves_its_message_unacknowledged(
    portal: Portal, publisher: Publisher, revision: Callable[[str], None], monkeypatch: Any
) -> None:
    """RabbitMQ has its own loop, and redelivers unacknowledged messages."""

    class Channel:
        def basic_ack(self, _tag: str) -> None:
            raise AssertionError

    monkeypatch.setattr(schema_version, "SECONDS", 0.0)
    monkeypatch.setattr("ckanext.ukharvest.patches.consumer_heartbeats.PAUSE", 0.0)
    publisher.serve(PATH, catalogue(1))
    job_id = portal.create_job(portal.source(publisher.url(PATH)))
    portal.gather(job_id)
    (object_id,) = portal.waiting(job_id)
    revision("9999")
    for kind, body in (
        ("gather", {"harvest_job_id": job_id}),
        ("fetch", {"harvest_object_id": object_id}),
    ):
        text = json.dumps(body)
        with pytest.raises(SystemExit):
            getattr(queue, f"{kind}_callback")(Channel(), queue.FakeMethod(text), None, text)
    revision(schema_version.REVISIONS[-1])
    portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 1}


def test_checks_of_data_come_with_their_tables_and_go_with_their_resource(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    resource_id = portal.datasets()[0]["resources"][0]["id"]
    Session.remove()
    try:
        ckan("db", "downgrade", "-p", "ukharvest", "-v", "0012")
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    own = {"url": "https://a.example/1.csv", "schema_url": "https://a.example/s.json"}
    Session.add(DataCheck(resource_id=resource_id, verdict="valid", **own))
    Session.commit()
    Session.execute(
        sa.text("DELETE FROM resource_view WHERE resource_id = :id"), {"id": resource_id}
    )
    Session.execute(sa.text("DELETE FROM resource WHERE id = :id"), {"id": resource_id})
    assert Session.query(DataCheck).count() == 0
    Session.rollback()
