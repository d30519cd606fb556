"""Harvested updates in the activity stream of CKAN 2.12: where the source changed, nowhere else."""

from __future__ import annotations

import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.skipif(
        not tk.check_ckan_version(min_version="2.12"), reason="CKAN 2.11 lists every write"
    ),
]

PATH = "/data.json"


@pytest.fixture
def with_activities(
    clean: None, migrate_db_for: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """ckanext-activity with its tables, which other tests do without."""
    # Its migrations configure logging, which would switch off all loggers for the tests after it.
    monkeypatch.setattr(logging.config, "fileConfig", lambda *_args: None)
    with portal_with("", "activity"):
        migrate_db_for("activity")
        yield


def serve(publisher: Publisher, *rows: dict[str, Any]) -> str:
    publisher.serve(PATH, catalogue(rows))
    return publisher.url(PATH)


def stream(package_id: str) -> list[str]:
    """Return the types of a dataset's activities, the oldest first."""
    model.Session.remove()
    rows = act("package_activity_list", id=package_id, include_hidden_activity=True)
    return [row["activity_type"].partition(" ")[0] for row in reversed(rows)]


@pytest.mark.usefixtures("with_activities")
def test_updates_appear_where_the_source_changed(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(serve(publisher, dataset(0)))
    assert figures(portal.run(source)) == {"added": 1}
    [found] = portal.datasets()
    assert stream(found["id"]) == ["new"]

    portal.run(source)
    assert figures(portal.run(source, force=True)) == {"updated": 1}
    assert stream(found["id"]) == ["new"], "unchanged, and a forced run"

    act("harvest_source_patch", id=source, config='{"default_tags": ["council"]}')
    assert figures(portal.run(source)) == {"updated": 1}
    assert stream(found["id"]) == ["new"], "only the options changed"

    serve(publisher, dataset(0, keyword=["Roads", "Parking"]))
    assert figures(portal.run(source)) == {"not modified": 1}
    assert stream(found["id"]) == ["new"], "the same in another order"

    serve(publisher, dataset(0, title="Parks"))
    assert figures(portal.run(source)) == {"updated": 1}
    assert stream(found["id"]) == ["new", "changed"]


@pytest.mark.usefixtures("with_activities")
def test_adoption_is_no_news(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(serve(publisher, dataset(0)))
    portal.run(source)
    [found] = portal.datasets()
    model.Session.query(Record).update({"fingerprint": "", "import_rules_hash": ""})
    model.Session.commit()
    serve(publisher, dataset(0, title="Parks"))
    assert figures(portal.run(source)) == {"updated": 1}
    assert stream(found["id"]) == ["new"]
