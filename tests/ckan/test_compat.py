"""Checks at the start of CKAN, the tables, and what compat repairs."""

from __future__ import annotations

import io
import subprocess
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import redis
import sqlalchemy as sa
from ckan import model, plugins
from ckan.exceptions import CkanConfigurationException
from ckan.tests.helpers import call_action
from ckanext.harvest import queue, utils
from ckanext.harvest.harvesters import HarvesterBase
from ckanext.harvest.interfaces import IHarvester

from ckanext.ukharvest import compat, config, patches
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.harvest.http_client import open_client
from tests.ckan.harvesting import Portal, write_ini
from tests.ckan.processes import finish
from tests.mutants import ROOT
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "harvest ukharvest ukharvest_data_json",
            ["'ukharvest'", "before 'harvest'", "ckan.plugins"],
            id="behind-harvest",
        ),
        pytest.param(
            "ukharvest harvest ukharvest_data_json",
            ["'ukharvest_data_json'", "before 'harvest'"],
            id="type-behind-harvest",
        ),
        pytest.param(
            "ukharvest spatial_metadata ukharvest_data_json harvest",
            ["'ukharvest_data_json'", "'spatial_metadata'"],
            id="behind-spatial",
        ),
        pytest.param(
            "ukharvest_data_json harvest", ["needs the plugin 'ukharvest'"], id="without-ukharvest"
        ),
    ],
)
def test_a_wrong_order_of_plugins_is_an_error_at_start(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch, line: str, words: list[str]
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.plugins", line.split())
    with pytest.raises(CkanConfigurationException) as caught:
        config.check_plugins()
    assert all(word in str(caught.value) for word in words)


def test_behind_dcat_the_error_at_start_is_the_same(ini: str, tmp_path: Path) -> None:
    """It looks for validators while it is imported, and CKAN then finds no others."""
    line = {"ckan.plugins": "dcat ukharvest ukharvest_data_json harvest"}
    other = write_ini(ini, line, tmp_path / "other.ini")
    done = finish(["-c", other, "ukharvest", "types"], tmp_path, check=False)
    assert done.returncode == 1
    assert "'ukharvest' must stand before 'dcat' in the line ckan.plugins" in done.stderr


class AnotherDataJson(HarvesterBase):
    """A harvester of another package that claims one of our type names."""

    plugins.implements(IHarvester)

    def info(self) -> dict[str, str]:
        return {"name": "data_json", "title": "Other", "description": "Other"}


def test_a_second_plugin_of_one_type_name_is_an_error_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = plugins.core._get_service

    def find(name: str) -> Any:
        return AnotherDataJson(name=name) if name == "another_data_json" else real(name)

    monkeypatch.setattr(plugins.core, "_get_service", find)
    with pytest.raises(CkanConfigurationException) as caught:
        plugins.load("another_data_json")
    plugins.unload("another_data_json")
    assert "'another_data_json'" in str(caught.value)
    assert "'ukharvest_data_json'" in str(caught.value)
    assert "'data_json'" in str(caught.value)


def test_a_wrong_network_in_the_ini_names_the_setting(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.allow_private", "10.1.0.1/16")
    with pytest.raises(CkanConfigurationException, match=r"http\.allow_private.*10\.1\.0\.1/16"):
        config.check_settings()


def test_wrong_secret_names_the_setting_and_the_forms(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = "ckanext.ukharvest.credentials.council"
    monkeypatch.setitem(ckan_config, setting, "https://data.example.org basic S3cret-mark")
    with pytest.raises(CkanConfigurationException, match=setting) as caught:
        config.check_settings()
    assert "https://host basic user:password" in str(caught.value)
    assert "S3cret" not in str(caught.value)


def test_missing_secret_is_an_error_beside_its_option() -> None:
    with pytest.raises(ConfigError) as caught:
        open_client("nobody")
    assert caught.value.field == "credential"
    assert "ckanext.ukharvest.credentials.nobody" in caught.value.message


def test_migration_needs_ckanext_harvest_first(
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    def tables() -> set[str]:
        found = sa.inspect(model.meta.engine).get_table_names()
        return {name for name in found if name.startswith("ukharvest_")}

    ours = {
        f"ukharvest_{name}" for name in ("source", "record", "problem", "job", "version", "worker")
    }
    assert ours <= tables()
    model.Session.remove()
    ckan("db", "downgrade", "-p", "ukharvest", "-v", "base")
    assert not ours & tables()
    with model.meta.engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE harvest_source RENAME TO harvest_source_away"))
    try:
        failed = ckan("db", "upgrade", "-p", "ukharvest", check=False)
        assert failed.returncode != 0
        assert "ckan db upgrade -p harvest" in failed.stdout + failed.stderr
    finally:
        with model.meta.engine.begin() as connection:
            connection.execute(sa.text("ALTER TABLE harvest_source_away RENAME TO harvest_source"))
        ckan("db", "upgrade", "-p", "ukharvest")
    assert ours <= tables()


def test_the_model_and_the_migration_agree() -> None:
    inspector = sa.inspect(model.meta.engine)
    for name, table in model.meta.metadata.tables.items():
        if name.startswith("ukharvest_"):
            made = {column["name"]: column["nullable"] for column in inspector.get_columns(name)}
            assert made == {column.name: column.nullable for column in table.columns}


# ckanext-harvest#581, consumers die after 5 s of idleness with redis-py 8.
def test_issue_581_a_consumer_outlives_the_time_out_of_redis() -> None:
    connection = queue.get_gather_consumer().redis
    timeout = connection.connection_pool.make_connection().socket_timeout
    assert timeout is None or timeout > config.BLOCK_SECONDS


def test_redis_behind_a_unix_socket_can_be_connected(ckan_config: Any, tmp_path: Path) -> None:
    ckan_config["ckan.redis.url"] = f"unix://{tmp_path}/redis.sock"
    pool = queue.get_gather_consumer().redis.connection_pool
    timeout = pool.make_connection().socket_timeout
    assert timeout is None or timeout > config.BLOCK_SECONDS


def test_issue_581_a_consumer_outlives_a_lost_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)

    class Lossy:
        calls = 0

        def blpop(self, _key: str, timeout: float = 0) -> tuple[str, str] | None:
            assert timeout, "waits for ever"
            self.calls += 1
            if self.calls == 1:
                raise redis.ConnectionError
            if self.calls == 2:
                raise redis.TimeoutError
            return None if self.calls == 3 else ("", '{"harvest_job_id": "x"}')

        def set(self, *_args: object) -> None:
            """Set as Redis does."""

    consumer = queue.RedisConsumer(Lossy(), "site:harvest_job_id")
    _method, _channel, body = next(consumer.consume(queue="any"))
    assert body == '{"harvest_job_id": "x"}'


def applied(monkeypatch: pytest.MonkeyPatch, *faults: patches.Patch) -> dict[str, list[str]]:
    """Apply these faults alone; return their names and the functions that were never tested."""
    monkeypatch.setattr(patches, "FAULTS", faults)
    monkeypatch.setattr(patches, "HOOKS", ())
    monkeypatch.setattr(compat, "applied_patches", {})
    monkeypatch.setattr(compat, "omitted_patches", {})
    patches.apply_patches()
    return compat.applied_patches


def test_fault_is_patched_below_its_mended_version_only(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [
        patches.Patch(f"until {version}", {}, str, mended_in=version)
        for version in ("1.0", metadata.version("ckanext-harvest"), "1000", "")
    ]
    assert [*applied(monkeypatch, *faults)] == ["until 1000", "until "]


def test_function_of_unknown_source_is_replaced_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    function = "ckanext.harvest.utils.purge_queues"
    monkeypatch.setattr(utils, "purge_queues", utils.purge_queues)  # puts it back afterwards
    fault = patches.Patch("purge", {function: "0123456789ab"}, lambda _stock: len)
    assert applied(monkeypatch, fault) == {"purge": [function]}
    assert utils.purge_queues is len


def test_statements_of_unknown_source_are_left_to_ckan(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced, asked = "ckanext.harvest.utils.purge_queues", "ckanext.harvest.utils.list_jobs"
    stock = utils.purge_queues
    monkeypatch.setattr(utils, "purge_queues", stock)
    hook = patches.Patch("purge", {replaced: ""}, lambda _stock: len, relies_on={asked: "0123"})
    assert applied(monkeypatch, hook) == {}
    assert compat.omitted_patches == {"purge": [asked]}
    assert utils.purge_queues is stock
    (warning,) = [finding.message for finding in services.patches() if finding.level == "warning"]
    assert f"{asked} is not as in the versions tested" in warning


def test_replaced_functions_are_those_that_were_tested() -> None:
    assert len(compat.applied_patches) == len(patches.FAULTS) + len(patches.HOOKS)
    # If this fails: read what changed there, change the patch, then add the hash.
    assert [*filter(None, compat.applied_patches.values())] == []
    assert compat.omitted_patches == {}


def test_each_fault_has_a_page_for_its_maintainers() -> None:
    pages = {path.stem for path in (ROOT / "docs/upstream").glob("*.md")}
    assert {fault.page for fault in patches.FAULTS} <= pages


def test_command_prints_what_each_job_did() -> None:
    output = io.StringIO()
    utils._print_harvest_job({"id": "1", "stats": {"added": 7351}}, output)
    assert "added: 7351" in output.getvalue()


# ckanext-harvest#581, a source loses its fields in the index of CKAN 2.12.
def test_issue_581_a_harvest_source_keeps_its_fields_after_a_run(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve("/data.json", {"dataset": [{"identifier": "1", "title": "One"}]})
    source = portal.source(
        publisher.url("/data.json"),
        frequency="WEEKLY",
        config={"not_overwrite": ["notes"], "paging": "none"},
    )
    portal.run(source)
    shown = call_action("harvest_source_show", id=source)
    assert shown["source_type"] == "data_json"
    assert shown["frequency"] == "WEEKLY"
    assert "not_overwrite" in shown["config"]
    call_action("harvest_source_patch", {"ignore_auth": True}, id=source, title="New title")
    found = call_action("package_search", fq="dataset_type:harvest +source_type:data_json")
    assert [each["title"] for each in found["results"]] == ["New title"]


def test_the_settings_are_declared(ini: str) -> None:
    text = (Path(config.__file__).parent / "config_declaration.yaml").read_text()
    source = Path(config.__file__).read_text()
    for line in text.splitlines():
        if "- key:" in line and "<name>" not in line:
            key = line.split("key:")[1].strip()
            assert key.removeprefix("ckanext.ukharvest.") in source


def test_the_form_of_a_schema_comes_behind_ours(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in ("scheming_datasets ukharvest harvest", "ukharvest scheming_datasets harvest"):
        monkeypatch.setitem(ckan_config, "ckan.plugins", names)
        if names.startswith("ukharvest"):
            config.check_plugins()
            continue
        with pytest.raises(CkanConfigurationException, match="in front of 'scheming_datasets'"):
            config.check_plugins()
