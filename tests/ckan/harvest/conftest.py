"""Fixtures of several tests of the harvest."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta

import pytest

from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvesters import plugins
from ckanext.ukharvest.source_types.portals import DATA_JSON
from tests.ckan.harvest.folders import Folder
from tests.ckan.harvest.sweeping import Move


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Folder:
    reader = Folder(5)
    kind = dataclasses.replace(DATA_JSON, reader=reader, reference_is_address=True)
    monkeypatch.setattr(plugins.ukharvest_data_json, "source_type", kind)
    return reader


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Move:
    """Move the sweeper's clock on by this many seconds."""
    now, database_time = tables.utcnow, tables.database_time
    moved = timedelta(0)

    def later() -> datetime:
        return now() + moved

    def move_on(seconds: float) -> None:
        nonlocal moved
        moved += timedelta(seconds=seconds)

    monkeypatch.setattr(tables, "utcnow", later)
    monkeypatch.setattr(tables, "database_time", lambda: database_time() + moved)
    return move_on
