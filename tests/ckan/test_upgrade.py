"""Our code is newer than the tables, or older: pages work, commands and consumers report it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
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
from ckanext.ukharvest.logic import action
from ckanext.ukharvest.model import Assessment, DataCheck, Record, Worker, schema_version
from ckanext.ukharvest.model.schema_version import State
from ckanext.ukharvest.operations.doctor import services
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures, work_off
from tests.ckan.migrations import Ckan, drop_tables, set_revision, table_names, tables_before
from tests.ckan.people import member
from tests.ckan.processes import PROGRAM, Process
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
COMMAND = "ckan db upgrade -p ukharvest"
PATIENCE = 120.0  # seconds
Session = model.Session
UNRELEASED = "0014"
ADVICE = "made by an unreleased commit: drop the “ukharvest_” tables"
RENAME = sa.text("ALTER TABLE ukharvest_record RENAME import_rules_hash TO salt")


def test_code_knows_the_revisions_of_the_migrations() -> None:
    assert schema_version.REVISIONS[-1] in services._heads("ukharvest")
    assert schema_version.load() is schema_version.State.CURRENT


@pytest.fixture(params=["none", "unreleased"])
def behind(request: pytest.FixtureRequest, ckan: Ckan) -> Iterator[Callable[[], None]]:
    """Removes the tables, or makes them as one of an unreleased commit left them."""

    def take_back() -> None:
        Session.remove()
        if request.param == "none":
            ckan("db", "downgrade", "-p", "ukharvest")
            schema_version.watch.forget()
            return
        with model.meta.engine.begin() as connection:
            connection.execute(RENAME)
        set_revision(UNRELEASED)

    yield take_back
    drop_tables()
    ckan("db", "upgrade", "-p", "ukharvest")
    schema_version.watch.forget()


def test_all_tables_come_from_an_empty_database(ckan: Ckan) -> None:
    first = schema_version.REVISIONS[0]
    with tables_before(first, ckan):
        assert table_names() == {schema_version.TABLE}
        assert schema_version.load() is State.BEHIND
    tables = {name for name in model.meta.metadata.tables if name.startswith("ukharvest_")}
    assert table_names() == {*tables, schema_version.TABLE}
    assert schema_version.load() is State.CURRENT


@pytest.mark.parametrize(
    ("revision", "state"),
    [
        ("", State.BEHIND),
        (UNRELEASED, State.UNRELEASED),
        ("0100", State.BEHIND),
        ("0101", State.UNRELEASED),  # merged into 0200
        ("0200", State.CURRENT),
        ("0201", State.AHEAD),
    ],
)
def test_revision_shows_which_code_made_the_tables(
    revision: str, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_version, "REVISIONS", ("0100", "0200"))
    assert schema_version.state_of([revision] if revision else []) is state


def test_upgrade_refuses_tables_of_an_unreleased_commit(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    set_revision(UNRELEASED)
    try:
        for words in (["upgrade", "-p", "ukharvest"], ["upgrade"], ["pending-migrations"]):
            failed = ckan("db", *words, check=False)
            assert failed.returncode != 0, words
            for text in (ADVICE, schema_version.TABLE, COMMAND, UNRELEASED):
                assert text in failed.stderr, words
            assert "Traceback" not in failed.stdout + failed.stderr, words
        [finding] = services.migrations()
        assert UNRELEASED in finding.message
        assert ADVICE in finding.what_to_do
    finally:
        drop_tables()
        ckan("db", "upgrade", "-p", "ukharvest")
        schema_version.watch.forget()
    assert list(services.migrations()) == []
    before = {each["id"] for each in portal.datasets()}
    assert figures(portal.run(source)) == {"updated": 2}
    assert {each["id"] for each in portal.datasets()} == before


def test_upgrade_does_not_advise_to_drop_newer_tables(ckan: Ckan) -> None:
    set_revision("9999")
    try:
        failed = ckan("db", "upgrade", "-p", "ukharvest", check=False)
        assert failed.returncode != 0
        assert "newer version of ckanext-ukharvest" in failed.stderr
        assert "drop" not in failed.stderr
        [finding] = services.migrations()
        assert "install that version" in finding.what_to_do
    finally:
        set_revision(schema_version.REVISIONS[-1])


@pytest.mark.parametrize("is_there", [True, False])
def test_upgrade_says_that_tables_have_no_version(
    portal: Portal, publisher: Publisher, ckan: Ckan, *, is_there: bool
) -> None:
    """As after a backup of some tables, or tables that another command made."""
    publisher.serve(PATH, catalogue(2))
    portal.run(portal.source(publisher.url(PATH)))
    set_revision("")
    if not is_there:
        execute(f"DROP TABLE {schema_version.TABLE}")
    try:
        failed = ckan("db", "upgrade", "-p", "ukharvest", check=False)
        assert failed.returncode != 0
        for text in ("without their version", schema_version.TABLE, "backup", "drop", COMMAND):
            assert text in failed.stderr
        assert "Traceback" not in failed.stdout + failed.stderr
        assert "already exists" not in failed.stdout + failed.stderr
        [finding] = services.migrations()
        assert "without their version" in finding.what_to_do
    finally:
        if not is_there:
            execute(f"CREATE TABLE {schema_version.TABLE} (version_num varchar(32) PRIMARY KEY)")
        set_revision(schema_version.REVISIONS[-1])
    assert Session.query(Record).count() == 2


def execute(statement: str) -> None:
    with model.meta.engine.begin() as connection:
        connection.execute(sa.text(statement))


def test_rows_from_before_their_organisation_was_stored(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    elsewhere, third = factories.Organization()["id"], factories.Organization()["id"]
    publisher.serve(PATH, catalogue(3))
    portal.run(source := portal.source(publisher.url(PATH)))
    act("package_patch", id=portal.datasets()[0]["id"], owner_org=elsewhere)
    before = portal.datasets()
    with tables_before("0101", ckan):
        Session.execute(
            sa.text("UPDATE ukharvest_source SET sync_state = sync_state - 'owner_org'")
        )
        Session.commit()
    assert figures(portal.run(source)) == {"not modified": 3}
    assert portal.datasets() == before
    act("harvest_source_patch", id=source, owner_org=third)
    assert figures(portal.run(source)) == {"updated": 3}
    assert [each["owner_org"] for each in portal.datasets()] == [third] * 3


def test_upgrade_leaves_remote_organisations_unknown(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(source := portal.source(publisher.url(PATH)))
    options = sa.text("UPDATE harvest_source SET config = :config WHERE id = :id")
    with tables_before("0101", ckan):
        Session.execute(options, {"config": '{"remote_orgs": "create"}', "id": source})
        Session.commit()
    assert [row.owner_org for row in Session.query(Record)] == [""]


def test_weekly_summaries_go_on_after_the_upgrade(portal: Portal, ckan: Ckan) -> None:
    source = portal.source("https://data.example/data.json")
    act("ukharvest_mail_update", source_id=source, addresses=["a@b.example"], weekly="needed")
    with tables_before("0105", ckan):
        execute("""UPDATE ukharvest_source SET mail = mail || '{"weekly": "always"}'""")
    assert act("ukharvest_mail_show", source_id=source)["weekly"] == "needed"


def header(user: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": str(user["token"])}


def test_pages_work_without_our_tables(
    portal: Portal,
    publisher: Publisher,
    app: CKANTestApp,
    organization: dict[str, str],
    behind: Callable[[], None],
) -> None:
    publisher.serve(PATH, catalogue(2))
    portal.run(portal.source(publisher.url(PATH), name="parking"))
    sysadmin, editor = factories.SysadminWithToken(), member(organization)
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
    drop_tables()
    ckan("db", "upgrade", "-p", "ukharvest")
    app.get("/harvest/help", status=200)
    with_tables = factories.Dataset()["id"]
    assert Session.get(Assessment, with_tables) is not None


# Consumers.


@pytest.fixture
def revision() -> Iterator[Callable[[str], None]]:
    """Sets the revision that is stored in the database."""
    yield set_revision
    set_revision(schema_version.REVISIONS[-1])


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


OUTDATED = {
    "": COMMAND,
    UNRELEASED: ADVICE,
    "9999": "The database has been upgraded since this consumer started",
}


def test_consumer_on_other_tables_takes_no_message(
    portal: Portal,
    publisher: Publisher,
    revision: Callable[[str], None],
    start: Callable[[str], Consumer],
) -> None:
    publisher.serve(PATH, catalogue(2))
    job_id = act("ukharvest_run_create", source_id=portal.source(publisher.url(PATH)))["id"]
    for number, text in OUTDATED.items():
        revision(number)
        consumer = start("gather")
        assert consumer.end() != 0, number
        assert text in consumer.output, number
        assert messages("gather", job_id) == (1, 0), number
        assert publisher.requests == [], number
    revision(schema_version.REVISIONS[-1])
    work_off()
    assert figures(portal.finish(job_id)) == {"added": 2}


def test_consumer_returns_a_message_during_an_upgrade(
    portal: Portal,
    publisher: Publisher,
    revision: Callable[[str], None],
    start: Callable[[str], Consumer],
) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH))
    job_id = portal.create_job(source)
    portal.gather(job_id)
    ids = portal.waiting(job_id)
    for number, text in OUTDATED.items():
        queue.purge_queues()
        consumer = start("fetch")
        until(beats, consumer)
        revision(number)
        portal.send(ids)
        assert consumer.end() != 0, number
        assert text in consumer.output, number
        assert messages("fetch", *ids) == (2, 0), number
        assert len(portal.waiting(job_id)) == 2, number
        assert beats() == 0, number
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


def test_data_checks_go_with_their_resource(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    resource_id = portal.datasets()[0]["resources"][0]["id"]
    own = {"url": "https://a.example/1.csv", "schema_url": "https://a.example/s.json"}
    Session.add(DataCheck(resource_id=resource_id, verdict="valid", **own))
    Session.commit()
    Session.execute(
        sa.text("DELETE FROM resource_view WHERE resource_id = :id"), {"id": resource_id}
    )
    Session.execute(sa.text("DELETE FROM resource WHERE id = :id"), {"id": resource_id})
    assert Session.query(DataCheck).count() == 0
    Session.rollback()
