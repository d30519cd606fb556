"""Fixtures of the tests that need CKAN: a clean database, harvest sources, real consumers."""

from __future__ import annotations

import functools
import hashlib
import socket
import subprocess
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from aiosmtpd.controller import Controller
from ckan import model
from ckan.common import config
from ckan.lib import jinja_extensions, search
from ckan.lib.redis import connect_to_redis
from ckan.model import user
from ckan.plugins import core as plugin_loading
from ckan.plugins import load_all, unload_all
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest import queue
from jinja2 import FileSystemBytecodeCache
from redis import utils as redis_utils
from redis.connection import parse_url
from sqlalchemy.exc import OperationalError

from ckanext.ukharvest.core.http import client
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.consumers.failures import is_deadlock
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.patches import polling
from tests.ckan.browser import (  # noqa: F401
    chromium_process,
    manager,
    own_settings,
    plain,
    served,
    site,
    visitor,
)
from tests.ckan.catalogues import catalogue
from tests.ckan.entry_points import entry_points
from tests.ckan.harvesting import Consumers, Portal, Workers
from tests.ckan.inbox import Inbox
from tests.ckan.people import Person, member, with_headers
from tests.ckan.places import busy_place, people, place  # noqa: F401
from tests.ckan.portal_copies import OF_PROCESSES, SourceMaker
from tests.ckan.processes import FAULTY_PROGRAM, finish
from tests.ckan.shards import files_of, files_of_shard
from tests.publisher import Publisher

HERE = Path(__file__).parent
# Tests of how work is shared, lost and given back; CI runs them with batches of several sizes.
# Not those whose consumers have an ini of their own, nor those with a size of their own
# (``has_own_size``): they would run the same once more.
ENGINE = files_of(
    {
        "adoption": "actions adoption",
        "deletions": "actions cli",
        "harvest/batch": "import_stage",
        "harvest": "clearing missing_records",
        "harvest/consumers": "failures",
        "harvest/gather": "gather_state",
        "harvest/hooks": "plugin_hooks stock_hooks",
        "harvest/index": "pending_index search_index",
        "harvest/identity": "precedence routes",
        "harvest/records": "pending",
        "harvest/run": "stopping",
        "patches": "queue_callbacks",
        "testing": "portal",
    }
)
# Tests of what differs between versions of CKAN: writer, index, forms, extras, permissions,
# patches, consumers, adoption, sweeper, start-up. CI runs them on the oldest version too.
COMPAT = files_of(
    {
        "adoption": "actions adoption ports stock_leftovers",
        "": "compat dataset_schema fields form plugin",
        "datasets": "actions form_scheming",
        "deletions": "actions cli",
        "harvest/batch": "batch_transaction dataset_writer import_stage",
        "harvest": "clearing database languages lists missing_records portal_copies rabbitmq",
        "harvest/consumers": "claims failures held_jobs workers",
        "harvest/gather": "gather_state",
        "harvest/hooks": "plugin_hooks stock_hooks",
        "harvest/index": "pending_index search_index",
        "harvest/identity": "precedence routes",
        "harvest/records": "changes pending record_history",
        "harvest/run": "prune stopping sweeper",
        "harvest/sources": "dataset_adoption remote_groups",
        "harvest_actions": "actions auth",
        "harvesters": "csw_bindings profiles",
        "lib": "other_harvesters schema",
        "patches": "queue_callbacks",
        "portal": "journey languages",
        "security": "access access_routes access_table ids",
        "sources": "approvals form own_site rules steps",
        "testing": "portal",
    }
)
# The contract is run for all source types once. Elsewhere (batches of other sizes, the oldest CKAN)
# one type for each shape of source is enough: a document, a file for each record, pages of records.
SHAPES = {"data_json", "gemini-waf", "oaipmh"}
BATCH_SIZE = "ckanext.ukharvest.batch_size"
# The same in all tests: stored hashes of datasets, which copies of portals keep, depend on it.
ORGANIZATION_ID = "0a1c7c1e-5a35-4d6b-9a39-5d0b0f4a3c52"
_shared_apps: dict[str, Any] = {}  # by the settings of their tests
_port = [0]  # of the last publisher in tests with copies of portals


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.ckan)
            is_shared = item.path in ENGINE and not has_own_size(item)
            if is_shared and is_of_shapes(item) and not is_browsed(item):
                item.add_marker(pytest.mark.engine)
            # Browsers see the pages of the oldest version in the journey.
            is_once = is_browsed(item) and item.path.name != "test_journey.py"
            if item.path in COMPAT and is_of_shapes(item) and not is_once:
                item.add_marker(pytest.mark.compat)
    yield  # pytest takes out what -m and -k do not name
    # Tests that can share their consumers run in a row: starting them takes seconds.
    items.sort(key=lambda item: (is_in_process(item), consumed_with(item), str(item.path)))
    if shard := config.getoption("shard"):
        chosen = files_of_shard(items, shard)
        others = [item for item in items if item.path not in chosen]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item.path in chosen]


def is_browsed(item: pytest.Item) -> bool:
    """Tell whether a test opens pages in a browser."""
    return "chromium_process" in getattr(item, "fixturenames", ())


def is_of_shapes(item: pytest.Item) -> bool:
    """Tell whether a test is for no source type, or for one of ``SHAPES``."""
    callspec = getattr(item, "callspec", None)
    return callspec is None or callspec.params.get("type_name", "data_json") in SHAPES


def is_in_process(item: pytest.Item) -> bool:
    return item.get_closest_marker("in_process") is not None


def has_own_size(item: pytest.Item) -> bool:
    """Tell whether a test is marked with the size of its consumers' batches."""
    return any(mark.args[0] == BATCH_SIZE for mark in item.iter_markers("ckan_config"))


def settings(item: pytest.Item) -> dict[str, str]:
    """Return the settings that a test is marked with, and the batch size that was asked for."""
    size = item.config.getoption("batch_size")
    given = {BATCH_SIZE: size} if size else {}
    return {**given, **{mark.args[0]: mark.args[1] for mark in item.iter_markers("ckan_config")}}


def consumed_with(item: pytest.Item) -> list[tuple[str, str]]:
    """Return the settings of the consumers for a test."""
    return [] if is_in_process(item) else sorted(settings(item).items())


@pytest.fixture(scope="session")
def ini(request: pytest.FixtureRequest) -> Iterator[str]:
    """Path of the ini that the tests run with; commands get it too, so no test may change it."""
    path = Path(request.config.getoption("ckan_ini"))
    before = path.read_text("utf-8")
    yield str(path)
    assert path.read_text("utf-8") == before


@pytest.fixture(scope="session")
def ckan(
    ini: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``ckan`` in a process of its own, as on the command line."""

    def run(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = ["-c", ini, *words]
        return finish(command, tmp_path_factory.mktemp("ckan"), check=check)

    return run


@pytest.fixture(scope="session")
def plugins() -> Iterator[list[str]]:
    """The plugins of the ini, loaded once and not, as by CKAN's fixture, for each test."""
    load_all()
    yield list(config["ckan.plugins"])
    unload_all()


@pytest.fixture(scope="session", autouse=True)
def less_work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Save work that CKAN does once on a portal but repeatedly in tests.

    Each app compiles its templates (a second for a page), each user's password is hashed with
    25,000 rounds (30 ms), before each test every table is looked for and emptied by statements
    of its own (40 ms), and redis-py 8 reads its own version from files for each connection (8 ms).
    Each app, and each set of plugins, looks for the plugins among all distributions (400 ms), and
    has an engine of its own, whose connections stay open until Python finds its cycles: PostgreSQL
    allows 100.
    """
    folder = tmp_path_factory.mktemp("templates")
    real = jinja_extensions.get_jinja_env_options
    init_model = model.init_model

    def options() -> dict[str, Any]:
        found = real()
        # A template's path decides what it extends, so each set of plugins has its own cache.
        paths = hashlib.sha256("\n".join(found["loader"].searchpath).encode()).hexdigest()
        cached = folder / paths
        cached.mkdir(exist_ok=True)
        return {**found, "bytecode_cache": FileSystemBytecodeCache(str(cached))}

    def replace_engine(engine: sa.engine.Engine) -> None:
        before = model.meta.engine
        init_model(engine)
        if before is not None:
            before.dispose()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja_extensions, "get_jinja_env_options", options)
        patch.setattr(model, "init_model", replace_engine)
        patch.setattr(plugin_loading, "entry_points", entry_points)
        patch.setattr(user, "pbkdf2_sha512", user.pbkdf2_sha512.using(rounds=1))
        patch.setattr(model.repo, "delete_all", empty_tables)
        patch.setattr(redis_utils, "get_lib_version", functools.cache(redis_utils.get_lib_version))
        yield


def empty_tables(but: Container[str] = ()) -> None:
    """Empty the tables that CKAN's ``delete_all`` empties, in one round trip.

    Consumers may be importing what the test before has left: a deadlock with them is tried again.
    """
    model.Session.remove()
    try:
        _delete_rows(but)
    except OperationalError as exc:
        if not is_deadlock(exc):
            raise
        model.Session.rollback()
        _delete_rows(but)
    model.Session.commit()


def _delete_rows(but: Container[str]) -> None:
    connection = model.Session.connection()
    made = {*sa.inspect(connection).get_table_names()} - {"alembic_version"}
    names = [each.name for each in reversed(model.repo.metadata.sorted_tables)]
    delete = "; ".join(
        f'DELETE FROM "{name}"' for name in names if name in made and name not in but
    )  # noqa: S608
    connection.exec_driver_sql(delete)


@pytest.fixture(scope="session")
def made_before(plugins: list[str]) -> None:
    """Let CKAN's ``clean_db`` keep the tables that bin/test made, and only empty them.

    At its first call it drops tables that it did not make, and commands are needed to make them
    again.
    """
    made = set(sa.inspect(model.meta.engine).get_table_names())
    if made.issuperset(model.repo.metadata.tables):
        model.repo.tables_created_and_initialised = True


@pytest.fixture
def tables(
    made_before: None, clean_db: None, ckan: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The tables, made by the README's commands unless bin/test made them.

    CKAN's fixture drops its own with ours, but not the records of migrations.
    """
    made = set(sa.inspect(model.meta.engine).get_table_names())
    if "ukharvest_claim" in made:
        return
    with model.meta.engine.begin() as connection:
        for plugin, table in (("harvest", "harvest_source"), ("ukharvest", "ukharvest_record")):
            if table not in made:
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {plugin}_alembic_version"))
    ckan("db", "upgrade", "-p", "harvest")
    ckan("db", "upgrade", "-p", "ukharvest")


@pytest.fixture
def pooled(tables: None, ckan_config: Any) -> None:
    """CKAN's migrations leave an engine that opens a connection for each transaction."""
    if isinstance(model.meta.engine.pool, sa.pool.NullPool):
        model.init_model(sa.engine_from_config(dict(ckan_config)))


@pytest.fixture
def app(
    request: pytest.FixtureRequest, plugins: list[str], make_app: Callable[[], CKANTestApp]
) -> CKANTestApp:
    """CKAN's application with a client for the test.

    Tests without their own plugins share one if their settings are the same and they are of one
    file, or without settings: making it takes a second.
    """
    is_stock = config["ckan.plugins"] == plugins
    key = own_settings(request.node)
    if is_stock and key in _shared_apps:
        return CKANTestApp(_shared_apps[key])
    made = make_app()
    for other in filter(None, [*_shared_apps]):
        # What CKAN keeps of an application's settings beside it is now of this one.
        del _shared_apps[other]
    if is_stock:
        _shared_apps[key] = made.app
    return made


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client retry failed requests without pauses, as the consumers do."""
    monkeypatch.setattr(client, "_BACKOFF", 0.01)


@pytest.fixture(autouse=True)
def clean(
    request: pytest.FixtureRequest,
    plugins: list[str],
    ckan_config: Any,
    workers: Workers,
    pooled: None,
    clean_index: None,
) -> None:
    """Every test begins with an empty portal."""
    if is_in_process(request.node):
        workers.stop()
    queue.purge_queues()
    empty_redis()


def empty_redis() -> None:
    """Delete messages, saved results, counters and turns that the test before has left.

    All of the number that the ini names, as the tests' own; without a number, the site's own keys.
    """
    connection = connect_to_redis()
    if "db" in parse_url(config["ckan.redis.url"]):
        connection.flushdb()
    elif keys := [*connection.scan_iter(http_client.redis_key("*"))]:
        connection.delete(*keys)


def empty_portal() -> None:
    """Begin anew, as each test does, with the organisation of most sources."""
    empty_tables(but=OF_PROCESSES)
    search.clear_all()
    queue.purge_queues()
    empty_redis()
    make_organization()


@pytest.fixture(autouse=True)
def in_batches(
    request: pytest.FixtureRequest,
    clean: None,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Import in batches of the size that was asked for (``--batch-size``), in this process too."""
    size = settings(request.node).get(BATCH_SIZE)
    imports = is_in_process(request.node) and "portal" in request.fixturenames
    if not request.config.getoption("batch_size") or not imports:
        yield
        return
    monkeypatch.setitem(ckan_config, BATCH_SIZE, size)
    with Heart("fetch") as heart, polling.use_heart(heart):
        yield


@pytest.fixture
def consumer(portal: Portal) -> Iterator[Heart]:
    """This process, as a fetch consumer with heartbeats: it imports in batches."""
    with Heart("fetch") as heart, polling.use_heart(heart):
        yield heart


@pytest.fixture(scope="session")
def workers(ini: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Provides the consumers that process the portal's runs."""
    workers = Workers(ini, tmp_path_factory.mktemp("workers"))
    yield workers
    workers.stop()


@pytest.fixture
def organization() -> dict[str, str]:
    """The organisation of most sources."""
    return make_organization()


def make_organization() -> dict[str, str]:
    """Make an organisation as CKAN's action would, which takes 70 ms."""
    name, title = "somewhere-council", "Somewhere Council"
    site_user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    made = model.Group(name=name, title=title, type="organization", is_organization=True)
    made.id = ORGANIZATION_ID
    model.Session.add(made)
    model.Session.flush()
    maker = model.User.get(site_user)
    member = model.Member(group_id=made.id, table_id=maker.id, table_name="user", capacity="admin")
    model.Session.add(member)
    model.Session.commit()
    return {"id": made.id, "name": name, "title": title}


@pytest.fixture
def editor(organization: dict[str, str]) -> Person:
    """An editor of the organisation of most sources."""
    return member(organization)


@pytest.fixture
def sysadmin() -> Person:
    """A sysadmin."""
    return with_headers(factories.SysadminWithToken(image_url=""))


@pytest.fixture
def portal(
    request: pytest.FixtureRequest, workers: Workers, organization: dict[str, str]
) -> Portal:
    """The portal as a test uses it.

    Real consumers process its runs. For a test marked ``in_process`` there are none: the stages are
    called in its own process, where it can patch, count and call them one by one.
    """
    if is_in_process(request.node):
        return Portal(organization["id"])
    return Portal(organization["id"], workers.running(settings(request.node)))


@pytest.fixture
def publisher(request: pytest.FixtureRequest) -> Iterator[Publisher]:
    """A publisher without routes.

    For tests with copies of portals it has the same port again if that is free: rows name it.
    """
    port = _port[0] if "ready_source" in request.fixturenames else 0
    try:
        server = Publisher(port=port)
    except OSError:
        server = Publisher()
    if "ready_source" in request.fixturenames:
        _port[0] = server.port
    with server:
        yield server


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source of three datasets that no run has read yet."""
    publisher.serve("/data.json", catalogue(3))
    return portal.source(publisher.url("/data.json"))


@pytest.fixture
def ready_source(
    request: pytest.FixtureRequest, portal: Portal, publisher: Publisher
) -> SourceMaker:
    """Make sources that were harvested once: by copies, but for the first test that asks for one.

    For tests marked ``in_process`` that patch and count nothing in the first run.
    """
    assert is_in_process(request.node)
    return SourceMaker(portal, publisher, settings(request.node))


@pytest.fixture
def faulty_consumers(ini: str) -> Iterator[Consumers]:
    """Real consumers whose code has the bugs of ``tests.ckan.bugs``."""
    with Consumers(ini, program=FAULTY_PROGRAM) as running:
        yield running


@pytest.fixture
def consumers(ini: str, workers: Workers) -> Iterator[Consumers]:
    """Real gather and fetch consumers for one test."""
    workers.stop()
    with Consumers(ini) as running:
        yield running


@pytest.fixture
def server(ckan_config: Any) -> Iterator[Inbox]:
    """A mail server on loopback with an empty inbox."""
    inbox = Inbox()
    with socket.create_server(("127.0.0.1", 0)) as found:
        host, port = found.getsockname()
    controller = Controller(inbox, hostname=host, port=port)
    controller.start()
    # Ten a day, also of those who run the tests often.
    user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
    http_client.delete_from_redis(f"mail-tests:{user}")
    before = ckan_config.get("smtp.server")
    ckan_config["smtp.server"] = f"{host}:{port}"
    yield inbox
    ckan_config["smtp.server"] = before
    controller.stop()


@pytest.fixture
def inbox(server: Inbox, app: CKANTestApp) -> Iterator[Inbox]:
    """The same, with an app, as a command has it."""
    with app.flask_app.test_request_context():
        yield server


@pytest.fixture
def second(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other extension is installed."""
    monkeypatch.syspath_prepend(str(HERE / "second_package"))
