"""Hooks of other extensions before a dataset is saved, and hooks that we do not call."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator
from typing import Any

import ckan.plugins as p
import pytest
from ckan import model

from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.patches import polling
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture(params=[False, True], ids=["one by one", "batch"])
def in_both_ways(request: pytest.FixtureRequest, portal: Portal) -> Iterator[None]:
    """Records are imported one by one, and in a batch."""
    if not request.param:
        yield
        return
    with Heart("fetch") as heart, polling.use_heart(heart):
        yield


def serve(publisher: Publisher, *titles: str) -> str:
    rows = [dataset(number, title=title) for number, title in enumerate(titles)]
    publisher.serve(PATH, catalogue(rows))
    return publisher.url(PATH)


def errors(job: dict[str, Any]) -> str:
    return " ".join(each["message"] for each in job["object_error_summary"])


def written_at() -> dt.datetime:
    model.Session.remove()
    return model.Session.query(Record.written).scalar()


@pytest.mark.usefixtures("second", "in_both_ways")
def test_a_hook_changes_datasets(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = portal.source(serve(publisher, "Parks"))
    assert figures(portal.run(source)) == {"added": 1}
    with portal_with("", "second_hook"):
        assert figures(portal.run(source)) == {"updated": 1}
        [found] = portal.datasets()
        assert found["title"] == "Parks (data_json)"
        assert found["name"] == "parks"
        assert extras(found)["area"] == "North"
        assert [each["name"] for each in found["resources"]] == ["Table 0", "Guide"]
        assert figures(portal.run(source)) == {"not modified": 1}

        act("package_patch", id=found["id"], version="By hand")
        serve(publisher, "Country parks")
        assert figures(portal.run(source)) == {"updated": 1}
        [changed] = portal.datasets()
        assert (changed["title"], changed["version"]) == ("Country parks (data_json)", "By hand")
        assert (changed["id"], changed["name"]) == (found["id"], "parks")
        ids = [each["id"] for each in changed["resources"]]
        assert ids == [each["id"] for each in found["resources"]]

        plugin = type(p.get_plugin("second_hook"))
        monkeypatch.setattr(plugin, "dataset_hook_version", lambda _self: 2)
        written = written_at()
        assert figures(portal.run(source)) == {"not modified": 1}
        assert written_at() > written, "a new version saves all again"
        assert figures(portal.run(source)) == {"not modified": 1}
    # The plugin is gone: what it supplied goes too.
    assert figures(portal.run(source)) == {"updated": 1}
    [found] = portal.datasets()
    assert (found["title"], found["version"]) == ("Country parks", "By hand")
    assert "area" not in extras(found)
    assert [each["name"] for each in found["resources"]] == ["Table 0"]


@pytest.mark.usefixtures("second", "in_both_ways")
def test_a_hook_skips_records(portal: Portal, publisher: Publisher, caplog: Any) -> None:
    with portal_with("", "second_hook"):
        source = portal.source(serve(publisher, "Parks", "Parks elsewhere"))
        with caplog.at_level(logging.INFO):
            job = portal.run(source)
        assert figures(job) == {"added": 1, "not modified": 1}
        assert "second_hook: of another council" in caplog.text
        assert len(portal.datasets()) == 1
        assert figures(portal.run(source)) == {"not modified": 2}
        serve(publisher, "Parks elsewhere", "Parks elsewhere")
        for missed in (0, 1):
            portal.run(source)
            row = model.Session.query(Record).filter(Record.package_id.isnot(None)).one()
            assert (row.outcome, row.missed_runs) == ("skipped", missed), missed
            model.Session.remove()


@pytest.mark.usefixtures("second", "in_both_ways")
def test_failed_hook_fails_its_record_alone(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "failing_hook"):
        source = portal.source(serve(publisher, "Parks 0", "Parks 1", "Parks 2"))
        job = portal.run(source)
        assert figures(job) == {"added": 2, "errored": 1}
        assert "the plugin failing_hook of this portal failed (ZeroDivisionError)" in errors(job)
        assert "secret" not in errors(job)
        row = model.Session.query(Record).filter_by(outcome="errored").one()
        assert row.error["code"] == "hook-failed"
        assert row.title == "Parks 1"


@pytest.mark.usefixtures("second")
def test_a_hook_that_returns_a_dict_is_refused(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "returning_hook"):
        job = portal.run(portal.source(serve(publisher, "Parks")))
        assert "the plugin returning_hook of this portal failed (TypeError)" in errors(job)


@pytest.mark.usefixtures("second")
def test_a_hook_without_a_version_fails_the_run(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_self: Any) -> int:
        raise KeyError("version")

    with portal_with("", "second_hook"):
        monkeypatch.setattr(type(p.get_plugin("second_hook")), "dataset_hook_version", fails)
        job = portal.run(portal.source(serve(publisher, "Parks")))
        told = " ".join(each["message"] for each in job["gather_error_summary"])
        assert "the plugin second_hook of this portal failed (KeyError)" in told
    assert portal.datasets() == []
