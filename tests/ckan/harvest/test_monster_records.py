"""Monster records: imported by real consumers, within limits, with a problem for each cut."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model

from ckanext.ukharvest.harvest.model import Record, RecordProblem
from tests.ckan.harvesting import Portal, figures
from tests.ckan.monsters import RESOURCES, SERVERS
from tests.contract import SERVERS as CONTRACT
from tests.publisher import Publisher
from tests.publishing.records import Item

LIMITS = {"resources": "20", "tags": "30", "text": "5000"}


def _limited(test: Any) -> Any:
    """Set low limits, so that CKAN, which takes a second for 200 resources, has little to do."""
    for name, value in LIMITS.items():
        test = pytest.mark.ckan_config(f"ckanext.ukharvest.limits.{name}", value)(test)
    return test


@_limited
@pytest.mark.parametrize("type_name", SERVERS)
def test_monsters_are_imported_within_the_limits(
    portal: Portal, publisher: Publisher, type_name: str
) -> None:
    source = portal.source(publisher.url(SERVERS[type_name](publisher)), type_name)
    job = portal.run(source)
    datasets = portal.datasets()
    assert figures(job) == {"added": len(datasets)}, (
        job["gather_error_summary"],
        job["object_error_summary"],
    )
    assert len(datasets) == {"data_json": 13, "gemini-single": 3}[type_name]
    (plain,) = [each for each in datasets if each["title"] == "Plain"]
    (huge,) = [each for each in datasets if each["title"].startswith("Roads")]
    (odd,) = [each for each in datasets if each["title"].startswith("Odd")]
    assert len(plain["resources"]) <= 2
    assert len(odd["resources"]) <= 2
    assert 990 < len(huge["title"]) <= 1000
    assert 4900 < len(huge["notes"]) <= 5000
    assert len(huge["resources"]) == 20 < RESOURCES
    assert len(huge["tags"]) in (0, 30)
    assert set(portal.search_names()) == {each["name"] for each in datasets}
    told = _messages(huge["id"])
    assert {"long-text", "too-many-resources"} <= set(told)
    assert " characters" in told["long-text"]
    assert not {"long-text", "too-many-resources"} & set(_messages(plain["id"]))
    assert figures(portal.run(source)) == {"not modified": len(datasets)}


def _messages(package_id: str) -> dict[str, str]:
    rows = (
        model.Session.query(RecordProblem.code, RecordProblem.message)
        .join(Record, Record.id == RecordProblem.record_id)
        .filter(Record.package_id == package_id)
    )
    return dict(rows.all())


@pytest.mark.in_process
def test_a_changed_limit_imports_again_what_it_touches(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [Item(0, "Long", "x" * 80), Item(1, "Short", "y" * 10)]
    source = portal.source(publisher.url(CONTRACT["data_json"](publisher, records).path))
    assert figures(portal.run(source)) == {"added": 2}
    monkeypatch.setitem(tk.config, "ckanext.ukharvest.limits.text", "50")
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 1}
    assert [len(each["notes"]) for each in portal.datasets()] == [50, 10]
    assert figures(portal.run(source)) == {"not modified": 2}
