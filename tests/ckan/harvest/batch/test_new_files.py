"""Files that come later, and files that move: their views, and jobs of plugins that load them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests.helpers import call_action

from ckanext.ukharvest.datasets.map_view import MapViewPlugin
from ckanext.ukharvest.harvest.model import HeldJob, RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.views.default_views", ["ukharvest_map_view"]),
]
PATH = "/data.json"
FILES = "https://data.example"


@pytest.fixture(autouse=True)
def loader(clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another extension loads files."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "second_package"))
    jobs.get_queue().empty()
    with portal_with("file_loader"):
        yield
    jobs.get_queue().empty()


def file(path: str, name: str = "") -> dict[str, str]:
    return {"downloadURL": f"{FILES}/{path}", "title": name or path, "format": "GeoJSON"}


def serve(publisher: Publisher, *files: list[dict[str, str]]) -> None:
    """Serve a dataset for each list of files."""
    rows = [dataset(number, distribution=rows) for number, rows in enumerate(files)]
    publisher.serve(PATH, catalogue(rows))


def queued() -> list[str]:
    """Return what the loader has queued since it was last asked."""
    titles = (job.meta["title"] for job in jobs.get_queue().jobs)
    titles = sorted(title.replace(FILES, "") for title in titles if FILES in title)
    assert not model.Session.query(HeldJob).count()
    jobs.get_queue().empty()
    return titles


def views(resource: dict[str, Any]) -> list[str]:
    return [view["view_type"] for view in call_action("resource_view_list", id=resource["id"])]


def test_later_files_get_views_and_jobs(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(publisher.url(PATH))
    serve(publisher, [file("a")], [file("b")])
    portal.run(source)
    queued()  # what CKAN does for the files of new datasets is its own

    serve(publisher, [file("a"), file("a2")], [file("b2"), file("b3"), file("b")])
    assert figures(portal.run(source)) == {"updated": 2}
    found = [resource for each in portal.datasets() for resource in each["resources"]]
    assert [views(resource) for resource in found] == [["ukharvest_map_view"]] * 5
    assert queued() == ["create /a2", "create /b2", "create /b3"]

    assert figures(portal.run(source, force=True)) == {"updated": 2}
    assert [len(views(resource)) for resource in found] == [1] * 5
    assert queued() == []


def test_moved_files_are_loaded_again(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(publisher.url(PATH))
    serve(publisher, [file("2023", "Table")], [file("b")], [file("c", "Chart")])
    portal.run(source)
    before = [each["resources"][0] for each in portal.datasets()]
    call_action("resource_patch", id=before[0]["id"], datastore_active=True)
    queued()

    serve(publisher, [file("v2/2023", "Table")], [file("b")], [file("new/c", "Chart")])
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    after = [each["resources"][0] for each in portal.datasets()]
    assert [each["id"] for each in after] == [each["id"] for each in before]
    assert [views(each) for each in after] == [["ukharvest_map_view"]] * 3
    assert after[0]["datastore_active"]
    assert queued() == ["move /new/c", "move /v2/2023"]


def test_refusing_plugin_costs_no_record(portal: Portal, publisher: Publisher) -> None:
    source = portal.source(publisher.url(PATH))
    serve(publisher, [file("a", "Table")])
    portal.run(source)
    queued()
    serve(publisher, [file("v2/a", "Table"), file("b", "refused"), file("c")])
    assert figures(portal.run(source)) == {"updated": 1}
    [found] = portal.datasets()
    assert [each["name"] for each in found["resources"]] == ["Table", "refused", "c"]
    assert queued() == ["create /c", "move /v2/a"]


def _store_twice() -> None:
    """Break a constraint as a plugin does that adds rows."""
    for _ in range(2):
        model.Session.add(model.SystemInfo("a plugin's", ""))
    model.Session.flush()


@pytest.mark.parametrize(
    ("fail", "error"),
    [
        (lambda: int("none"), "ValueError"),
        (lambda: model.Session.execute(sa.text("SELECT missing")), "ProgrammingError"),
        (_store_twice, "IntegrityError"),
    ],
)
def test_refused_views_are_a_problem_of_the_record(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, fail: Any, error: str
) -> None:
    source = portal.source(publisher.url(PATH))
    serve(publisher, [file("a", "Table")])
    portal.run(source)
    queued()

    def refuse(*_args: Any) -> bool:
        return bool(fail())

    monkeypatch.setattr(MapViewPlugin, "can_view", refuse)
    serve(publisher, [file("v2/a", "Table"), file("b")])
    assert figures(portal.run(source)) == {"updated": 1}
    found = model.Session.query(RecordProblem).filter_by(code="view-not-created").one()
    assert error in found.message
    assert queued() == ["create /b", "move /v2/a"]
