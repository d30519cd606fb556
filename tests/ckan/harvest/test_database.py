"""Upgrades of the tables, and what says that they are not those of the code."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from ckan import model

from ckanext.ukharvest.data_checks.model import DataCheck
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import State
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, figures
from tests.ckan.migrations import Ckan, drop_tables, set_revision, table_names, tables_before
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
    assert database.REVISIONS[-1] in services._heads("ukharvest")
    assert database.load_schema_version() is database.State.CURRENT


@pytest.fixture(params=["none", "unreleased"])
def behind(request: pytest.FixtureRequest, ckan: Ckan) -> Iterator[Callable[[], None]]:
    """Removes the tables, or makes them as one of an unreleased commit left them."""

    def take_back() -> None:
        Session.remove()
        if request.param == "none":
            ckan("db", "downgrade", "-p", "ukharvest")
            return
        with model.meta.engine.begin() as connection:
            connection.execute(RENAME)
        set_revision(UNRELEASED)

    yield take_back
    drop_tables()
    ckan("db", "upgrade", "-p", "ukharvest")


def test_all_tables_come_from_an_empty_database(ckan: Ckan) -> None:
    first = database.REVISIONS[0]
    with tables_before(first, ckan):
        assert table_names() == {database.TABLE}
        assert database.load_schema_version() is State.BEHIND
    assert database.load_schema_version() is State.CURRENT


def test_migrations_make_the_tables_of_the_models() -> None:
    def is_ours(_item: object, name: str, kind: str, *_more: object) -> bool:
        is_table = name.startswith("ukharvest_") and name != database.TABLE
        return is_table if kind == "table" else True

    options = {"include_object": is_ours, "compare_type": True, "compare_server_default": True}
    with model.meta.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, model.meta.metadata) == []


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
    monkeypatch.setattr(database, "REVISIONS", ("0100", "0200"))
    assert database.state_of([revision] if revision else []) is state


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
            for text in (ADVICE, database.TABLE, COMMAND, UNRELEASED):
                assert text in failed.stderr, words
            assert "Traceback" not in failed.stdout + failed.stderr, words
        [finding] = services.migrations()
        assert UNRELEASED in finding.message
        assert ADVICE in finding.what_to_do
    finally:
        drop_tables()
        ckan("db", "upgrade", "-p", "ukharvest")
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
        set_revision(database.REVISIONS[-1])


@pytest.mark.parametrize("is_there", [True, False])
def test_upgrade_says_that_tables_have_no_version(
    portal: Portal, publisher: Publisher, ckan: Ckan, *, is_there: bool
) -> None:
    """As after a backup of some tables, or tables that another command made."""
    publisher.serve(PATH, catalogue(2))
    portal.run(portal.source(publisher.url(PATH)))
    set_revision("")
    if not is_there:
        execute(f"DROP TABLE {database.TABLE}")
    try:
        failed = ckan("db", "upgrade", "-p", "ukharvest", check=False)
        assert failed.returncode != 0
        for text in ("without their version", database.TABLE, "backup", "drop", COMMAND):
            assert text in failed.stderr
        assert "Traceback" not in failed.stdout + failed.stderr
        assert "already exists" not in failed.stdout + failed.stderr
        [finding] = services.migrations()
        assert "without their version" in finding.what_to_do
    finally:
        if not is_there:
            execute(f"CREATE TABLE {database.TABLE} (version_num varchar(32) PRIMARY KEY)")
        set_revision(database.REVISIONS[-1])
    assert Session.query(Record).count() == 2


def execute(statement: str) -> None:
    with model.meta.engine.begin() as connection:
        connection.execute(sa.text(statement))


def test_each_process_says_at_its_start_what_to_run(behind: Callable[[], None], ckan: Ckan) -> None:
    assert COMMAND not in ckan("ukharvest", "types").stderr
    behind()
    assert COMMAND in ckan("ukharvest", "types").stderr
    result = ckan("ukharvest", "doctor", check=False)
    assert result.returncode == 2
    assert COMMAND in result.stdout


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
