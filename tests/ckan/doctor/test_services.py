"""The doctor finds faults of what harvesting depends on: plugins, settings, tables, Redis, Solr."""

from __future__ import annotations

from typing import Any

import ckan.plugins as p
import pysolr
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.doctor import services
from tests.ckan.doctor.findings import assert_one

pytestmark = pytest.mark.in_process


# ckanext-harvest#581, consumers end after 5 s with redis-py 8.
def test_a_redis_that_does_not_answer_is_found_at_once(
    monkeypatch: pytest.MonkeyPatch, ckan_config: Any
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.redis.url", "redis://127.0.0.1:9/0")
    assert_one(services.redis_queue(), "error", "Redis does not answer", "ckan.redis.url")


def test_a_wrong_order_of_plugins_is_found(
    monkeypatch: pytest.MonkeyPatch, ckan_config: Any
) -> None:
    line = "harvest ukharvest ukharvest_data_json"
    monkeypatch.setitem(ckan_config, "ckan.plugins", line.split())
    assert_one(services.plugins(), "error", "'ukharvest' must stand before 'harvest'")


def test_a_source_that_nobody_harvests_is_found(source: str) -> None:
    HarvestSource.get(source).type = "datajson"
    model.Session.commit()
    assert_one(
        services.source_types(),
        "error",
        "1 active source ",
        "'datajson'",
        "'data_json'",
    )


def test_risky_settings_are_found(monkeypatch: pytest.MonkeyPatch, ckan_config: Any) -> None:
    assert [each.level for each in services.settings()] in ([], ["info"])
    monkeypatch.setitem(ckan_config, "ckan.search.solr_commit", False)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}http.allow_private", "0.0.0.0/0")
    assert_one(
        services.settings(),
        "warning",
        "http.allow_private has 0.0.0.0/0",
        "10.1.0.0/16",
    )
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}http.allow_private", "10.0.0.0/8")
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.after_runs", 1)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.max_share", 1.0)
    assert_one(services.settings(), "warning", "without asking", "delete.max_share")
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}delete.after_runs", 2)
    monkeypatch.setitem(ckan_config, f"{config.PREFIX}proxy", "http://proxy:3128")
    assert_one(services.settings(), "info", "proxy")


def test_patches_in_force_are_named_with_their_issue() -> None:
    named = [finding.message for finding in services.patches()]
    assert len(named) == len(compat.applied_patches)
    assert any("ckanext-harvest#581" in message for message in named)


def test_replaced_function_of_unknown_source_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compat.applied_patches, "rabbits", ["ckanext.harvest.queue.get_consumer"])
    (warning,) = [finding.message for finding in services.patches() if finding.level == "warning"]
    assert "ckanext.harvest.queue.get_consumer was replaced (rabbits)" in warning


def test_a_migration_that_was_forgotten_is_found() -> None:
    assert list(services.migrations()) == []
    model.Session.execute(sa.text("UPDATE ukharvest_alembic_version SET version_num = '0001'"))
    try:
        assert_one(services.migrations(), "error", "0001", "ckan db upgrade -p ukharvest")
    finally:
        model.Session.rollback()


def test_a_solr_that_does_not_answer_or_lacks_fields_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(services.solr()) == []
    monkeypatch.setattr(p, "plugin_loaded", lambda _name: True)
    monkeypatch.setattr(services, "SPATIAL_FIELDS", {"solr-bbox": {"id", "minnx"}})
    assert_one(services.solr(), "error", "lacks the fields minnx", "solr-bbox")
    nobody = pysolr.Solr("http://127.0.0.1:9/solr/ckan")
    monkeypatch.setattr(search, "make_connection", lambda: nobody)
    assert_one(services.solr(), "error", "Solr does not answer", "solr_url")
