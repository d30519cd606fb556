"""Fixtures of the link check's tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.links import check as link_check
from tests.ckan.harvesting import Portal
from tests.ckan.links.place import Place
from tests.publisher import Publisher


@pytest.fixture
def place(portal: Portal, publisher: Publisher) -> Place:
    return Place(portal, publisher)


@pytest.fixture(autouse=True)
def _at_once(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_check, "LIMITS", replace(link_check.LIMITS, delay=0.0))
    call_action("job_clear")


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock on by this many days."""
    now, moved = tables.utcnow, [timedelta(0)]

    def later() -> datetime:
        return now() + moved[0]

    def move_on(days: float) -> None:
        moved[0] += timedelta(days=days)

    monkeypatch.setattr(tables, "utcnow", later)
    return move_on
