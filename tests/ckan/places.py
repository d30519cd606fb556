"""A portal with something of each kind, and users of each role."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.model import Pending, Record
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.records.pending import SourceRequest
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.previews import jobs as preview_jobs
from tests.ckan.access import Headers, headers_of_roles
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.routes import Place
from tests.publisher import Publisher

Session = model.Session


@pytest.fixture
def people(
    organization: dict[str, str], tables: None, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Headers]:
    # As CKAN sets it; the tests' ini lets every user create datasets without an organisation.
    monkeypatch.setitem(ckan_config, "ckan.auth.create_unowned_dataset", False)
    return headers_of_roles(organization["id"])


@pytest.fixture
def place(portal: Portal, publisher: Publisher, organization: dict[str, str]) -> Place:
    """The ids that the table names: a source with one dataset, a private and a failed one."""
    failed = dataset(2, title="")
    publisher.serve("/data.json", catalogue([dataset(0), dataset(1, modified="soon"), failed]))
    publisher.serve("/other.json", catalogue(1))
    source = portal.source(publisher.url("/data.json"), name="somewhere")
    hidden = portal.source(publisher.url("/other.json"), name="hidden", private=True)
    run = portal.run(source)["id"]
    shown, private = portal.datasets()
    act("package_patch", id=private["id"], private=True)
    objects = {
        each.package_id: each.id
        for each in Session.query(HarvestObject).filter_by(harvest_job_id=run)
    }
    record = Session.query(Record).filter_by(source_id=source, package_id=shown["id"]).one()
    tested = {"source_type": "data_json", "url": publisher.url("/other.json")}
    moved = {"source_type": "data_json", "url": publisher.url("/moved.json"), "config": ""}
    move = source_previews.add_source_test("nobody", HarvestSource.get(source), **moved).id
    publisher.serve("/moved.json", catalogue([dataset(0), dataset(1), failed]))
    preview_jobs.run(move)
    pair = Pending(source_id=source, kind="duplicate", guid=record.guid, new_guid=private["id"])
    Session.add(pair)
    options = {"kept": shown["id"], "gone": None, "record_id": None, "name": "", "title": "Weirs"}
    join = decision_log.add_decision(source, "nobody", DecisionKind.JOINED, options=options).id
    asked = SourceRequest(tested["url"], "data_json", "", asked_by="nobody")
    pending.save_request(hidden, asked)
    pair_id, record_id, guid = pair.id, record.id, record.guid
    Session.commit()
    return {
        "pair": pair_id,
        "join": join,
        "url": publisher.url("/other.json"),
        "organization": organization["id"],
        "source": source,
        "private source": hidden,
        "run": run,
        "dataset": shown["id"],
        "private dataset": private["id"],
        "resource": shown["resources"][0]["id"],
        "private resource": private["resources"][0]["id"],
        "object": objects[shown["id"]],
        "private object": objects[private["id"]],
        "failed object": objects[None],
        "record": record_id,
        "guid": guid,
        "dry run": act("ukharvest_source_preview_create", source_id=source)["id"],
        "preview": act("ukharvest_source_preview_create", **tested)["id"],
        "check": act("ukharvest_source_preview_create", text="{}")["id"],
        "moved url": publisher.url("/moved.json"),
        "move": move,
    }


@pytest.fixture
def busy_place(
    place: Place,
    portal: Portal,
    publisher: Publisher,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Place:
    """The place with pending deletions and a run that has not started."""
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.delete.after_runs", 1)
    publisher.serve("/data.json", catalogue([dataset(2, title="")]))
    portal.run(place["source"])
    assert act("ukharvest_pending_list", source_id=place["source"])["count"] == 2
    job = HarvestJob()
    job.source_id = place["source"]
    job.save()
    place["open run"] = job.id
    return place
