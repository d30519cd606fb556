"""What hooks of other extensions can read and set, identify records by, and do after a run."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories

from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.harvest.run import after_run, sweeper
from ckanext.ukharvest.interfaces import AddedValues, HarvestedRecord
from tests.ckan.adoption.stock_harvests import Stock, ids, numbered
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, extras, figures, tick
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
ID = "https://data.example/id/00000"


@pytest.fixture
def hook(clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The class of a plugin whose methods each test replaces."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "second_package"))
    with portal_with("", "empty_hook"):
        yield type(p.get_plugin("empty_hook"))


def set_method(patch: pytest.MonkeyPatch, hook: Any, name: str, method: Any) -> None:
    patch.setattr(hook, name, method, raising=False)


def test_hook_gets_the_raw_record(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw: list[Any] = []

    def save(_self: Any, record: HarvestedRecord, _source: Any, _package: Any) -> None:
        raw.append(record.raw)

    set_method(monkeypatch, hook, "before_dataset_save", save)
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    assert raw[-1].media_type == "application/json"
    assert raw[-1].tree["identifier"] == ID
    turtle = (
        "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n"
        f'<{ID}/rdf> a dcat:Dataset ; dct:title "Parks" ; dct:identifier "1" .'
    )
    publisher.serve("/catalog.ttl", turtle, headers={"Content-Type": "text/turtle"})
    portal.run(portal.source(publisher.url("/catalog.ttl"), "dcat_rdf"))
    assert raw[-1].media_type == "application/n-triples"
    assert "Parks" in {str(each) for each in raw[-1].graph.objects()}
    with pytest.raises(ValueError, match="no tree"):
        _none = raw[-1].tree


def test_hook_sets_core_fields_and_a_new_datasets_name(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = factories.Organization()
    factories.Group(name="transport")

    def save(_self: Any, record: Any, _source: Any, package: dict[str, Any]) -> None:
        package |= {"name": "from-hook", "private": True, "license_id": "cc-by"}
        package |= {"owner_org": other["id"], "author": "Hook", "groups": [{"name": "transport"}]}

    set_method(monkeypatch, hook, "before_dataset_save", save)
    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH))
    assert figures(portal.run(source_id)) == {"added": 2}
    datasets = portal.datasets()
    assert [each["name"] for each in datasets] == ["from-hook", "from-hook-2"]
    for each in datasets:
        assert (each["private"], each["license_id"], each["author"]) == (True, "cc-by", "Hook")
        assert each["owner_org"] == other["id"]
        assert [group["name"] for group in each["groups"]] == ["transport"]
    act("package_patch", id=datasets[0]["id"], private=False, name="by-hand")
    publisher.serve(PATH, catalogue([dataset(n, description="New") for n in range(2)]))
    assert figures(portal.run(source_id)) == {"updated": 2}
    first = act("package_show", id=datasets[0]["id"])
    assert (first["name"], first["private"], first["notes"]) == ("by-hand", False, "New")


def test_hook_adds_to_lists_and_replaces_none(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(_self: Any, _record: Any, _source: Any, package: dict[str, Any]) -> None:
        package["tags"] = AddedValues([{"name": "from-hook"}])
        package["extras"].append({"key": "contributors", "value": AddedValues(["one"])})

    set_method(monkeypatch, hook, "before_dataset_save", save)
    publisher.serve(PATH, catalogue(1))
    source_id = portal.source(publisher.url(PATH))
    assert figures(portal.run(source_id)) == {"added": 1}
    (made,) = portal.datasets()
    assert json.loads(extras(made)["contributors"]) == ["one"]
    own = [each for each in made["extras"] if each["key"] != "contributors"]
    own.append({"key": "contributors", "value": '["by hand", "one"]'})
    act("package_patch", id=made["id"], extras=own, tags=[{"name": "by-hand"}])
    publisher.serve(PATH, catalogue([dataset(0, description="New")]))
    assert figures(portal.run(source_id)) == {"updated": 1}
    (made,) = portal.datasets()
    assert json.loads(extras(made)["contributors"]) == ["by hand", "one"]
    assert {each["name"] for each in made["tags"]} == {"by-hand", "from-hook"}
    assert figures(portal.run(source_id)) == {"not modified": 1}


def of_swiss(_self: Any, record: Any, source: Any) -> str:
    """Return an identity with the organisation in it, as a Swiss portal has."""
    return f"{record.guid.rpartition('/')[2]}@parking"


def test_own_identities_match_adopted_datasets(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH))
    stock = [{**each, "identifier": f"{n:05}@parking"} for n, each in enumerate(numbered(4))]
    Stock(source_id, portal.organization_id).fill(stock)
    before = ids(portal)
    set_method(monkeypatch, hook, "record_guid", of_swiss)
    assert figures(portal.run(source_id)) == {"updated": 4}
    assert ids(portal) == before
    rows = {row.guid: row.own_guid for row in model.Session.query(Record)}
    assert rows == {f"https://data.example/id/{n:05}": f"{n:05}@parking" for n in range(4)}
    assert {extras(each)["guid"] for each in portal.datasets()} == {*rows.values()}
    references = {extras(each)["harvest_source_reference"] for each in portal.datasets()}
    assert references == {*rows}
    assert figures(portal.run(source_id)) == {"not modified": 4}
    publisher.serve(PATH, catalogue([dataset(n) for n in range(3)]))
    assert figures(portal.run(source_id)) == {"not modified": 3, "missing": 1}
    assert figures(portal.run(source_id)) == {"not modified": 3, "deleted": 1}


def test_own_identities_match_without_content_in_the_list(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH))
    stock = [{**each, "identifier": f"{n:05}@parking"} for n, each in enumerate(numbered(2))]
    Stock(source_id, portal.organization_id).fill(stock)
    before = ids(portal)
    set_method(monkeypatch, hook, "record_guid", of_swiss)
    # As of a source whose listing has no content: only the import knows the identities.
    monkeypatch.setattr(
        "ckanext.ukharvest.harvest.sources.source_config.Setting.old_guids", lambda *_args: ()
    )
    assert figures(portal.run(source_id)) == {"updated": 2}
    assert ids(portal) == before


def test_an_identity_given_twice_fails_the_second_record(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_method(monkeypatch, hook, "record_guid", lambda *_args: "the-same")
    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH))
    job = portal.run(source_id)
    assert figures(job) == {"added": 1, "errored": 1}
    assert "gives it to this record and to another one" in json.dumps(job["object_error_summary"])
    set_method(monkeypatch, hook, "record_guid", lambda *_args: 5)
    publisher.serve(PATH, catalogue([dataset(0, description="New")]))
    failed = portal.run(source_id)
    assert "the plugin empty_hook of this portal failed" in json.dumps(
        failed["object_error_summary"]
    )


def due() -> list[Any]:
    model.Session.remove()
    query = sa.select(JobReport.plugins_due).where(JobReport.plugins_due.isnot(None))
    return list(model.Session.scalars(query))


def work() -> None:
    """Do what is queued for ``ckan jobs worker``."""
    queue = jobs.get_queue()
    for job in list(queue.jobs):
        queue.remove(job)
        if job.func_name.endswith("call_plugins"):
            job.func(*job.args)


def test_plugins_are_told_of_a_run_at_least_once(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    ends: list[BaseException | None] = [KeyboardInterrupt(), ValueError("down"), None]

    def told(_self: Any, source: Any, run_id: str, changed: Any, deleted: Any) -> None:
        assert not model.Session().in_transaction()
        calls.append((source.name, run_id, sorted(changed), list(deleted)))
        if end := ends.pop(0) if ends else None:
            raise end

    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH), name="parking")
    portal.run(source_id)
    assert due() == [], "no plugin has the method"
    set_method(monkeypatch, hook, "after_run", told)
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, description="New"), dataset(2)]))
    job = portal.run(source_id)
    assert (calls, due()) == ([], [{"empty_hook": 0}])
    with pytest.raises(KeyboardInterrupt):  # the worker is killed
        work()
    assert due() == [{"empty_hook": 1}]
    tick()
    work()
    assert due() == [{"empty_hook": 2}]
    tick()
    work()
    assert due() == []
    changed = sorted(each["id"] for each in portal.datasets() if each["title"] != "Dataset 00000")
    assert calls == [("parking", job["id"], changed, [])] * 3
    tick()
    work()
    assert len(calls) == 3
    gone = next(each["id"] for each in portal.datasets() if each["title"] == "Dataset 00002")
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, description="New")]))
    for _run in range(2):
        portal.run(source_id)
        work()
    assert calls[-1][2:] == ([], [gone])


def test_plugins_are_told_of_runs_that_people_end(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By approving deletions, and by stopping a run."""
    calls: list[Any] = []
    set_method(monkeypatch, hook, "after_run", lambda *args: calls.append(args[2:]))
    publisher.serve(PATH, catalogue(4))
    source_id = portal.source(publisher.url(PATH))
    stopped = portal.create_job(source_id)
    portal.gather(stopped)
    for object_id in portal.waiting(stopped)[:2]:
        portal.deliver(object_id)
    act("ukharvest_run_stop", id=stopped)
    tick()
    work()
    imported = [each["id"] for each in portal.datasets()]
    assert [(job_id, sorted(changed), gone) for job_id, changed, gone in calls] == [
        (stopped, sorted(imported), [])
    ]
    publisher.serve(PATH, catalogue([dataset(9)]))
    for _run in range(2):
        portal.run(source_id)
    work()
    job_id = act("ukharvest_pending_decide", source_id=source_id, decision="approve")["job_id"]
    work()
    assert [(call[0], sorted(call[2])) for call in calls[3:]] == [(job_id, sorted(imported))]


@pytest.mark.parametrize("end", [ValueError, KeyboardInterrupt], ids=["fails", "is killed"])
def test_a_plugin_that_always_fails_is_given_up(
    hook: Any, portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, end: Any
) -> None:
    calls = []

    def fail(*_args: Any) -> None:
        calls.append(end)
        raise end

    set_method(monkeypatch, hook, "after_run", fail)
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH)))
    for _try in range(after_run.MOST_TRIES + 1):
        sweeper.run_step(after_run.enqueue_left_calls)
        with contextlib.suppress(KeyboardInterrupt):
            work()
    assert (due(), len(calls)) == ([], after_run.MOST_TRIES)
