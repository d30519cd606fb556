"""ckanext-harvest's actions that clear and show, without losing other sources' data."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.harvest.model import JobReport, Pending, Record, RecordProblem, SourceState
from ckanext.ukharvest.harvest_actions import actions as harvest_actions
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.people import member
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH, OTHER = "/data.json", "/other.json"
Session = model.Session


@pytest.fixture
def source(publisher: Publisher, ready_source: SourceMaker) -> str:
    publisher.serve(PATH, catalogue(5), etag='"one"')
    return ready_source(PATH)


@pytest.fixture
def other(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(OTHER, catalogue([dataset(n) for n in range(100, 103)]))
    source = portal.source(publisher.url(OTHER))
    assert figures(portal.run(source)) == {"added": 3}
    return source


def rows(entity: Any, **where: Any) -> int:
    return int(Session.query(entity).filter_by(**where).count())


def test_clear_removes_the_sources_own_datasets_from_everywhere(
    portal: Portal, source: str, other: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr(harvest_actions, "BATCH", 2)
    Session.get(SourceState, source).schedule = {"time": "03:00"}
    Session.commit()
    packages = {each["id"] for each in portal.datasets()}
    assert act("harvest_source_clear", id=source) == {"id": source, "deleted": 5}
    left = {each["id"] for each in portal.datasets()}
    assert len(left) == 3
    assert len(portal.search_names()) == 3
    gone = packages - left
    assert not Session.query(model.Package).filter(model.Package.id.in_(gone)).count()
    for table in ("resource", "package_tag"):
        query = sa.text(f"SELECT count(*) FROM {table} WHERE package_id = ANY(:ids)")
        assert Session.execute(query, {"ids": list(gone)}).scalar() == 0
    for entity, column in (
        (Record, "source_id"),
        (JobReport, "source_id"),
        (HarvestJob, "source_id"),
        (HarvestObject, "harvest_source_id"),
    ):
        assert rows(entity, **{column: source}) == 0
        assert rows(entity, **{column: other})
    assert rows(RecordProblem) == 0
    state = Session.get(SourceState, source)
    assert (state.sync_state, state.resume) == (None, None)
    assert rows(Pending) == 0
    assert state.schedule == {"time": "03:00"}
    assert HarvestSource.get(source).active


def test_clear_leaves_a_dataset_that_another_source_claims(
    portal: Portal, source: str, other: str
) -> None:
    shared = Session.query(Record).filter_by(source_id=source).order_by(Record.guid).first()
    package_id = shared.package_id
    Session.query(Record).filter_by(source_id=other).order_by(
        Record.guid
    ).first().package_id = package_id
    Session.commit()
    assert act("harvest_source_clear", id=source)["deleted"] == 4
    assert package_id in {each["id"] for each in portal.datasets()}
    names = {each["name"] for each in portal.datasets()}
    assert set(portal.search_names()) == names
    found = call_action("package_search", fq=f'+harvest_source_id:"{source}"')
    assert found["count"] == 0


def test_clear_leaves_other_packages_that_are_to_be_deleted(portal: Portal, source: str) -> None:
    # The stock action removes every package in state to_delete
    theirs = factories.Dataset()
    Session.get(model.Package, theirs["id"]).state = "to_delete"
    Session.commit()
    act("harvest_source_clear", id=source)
    assert Session.get(model.Package, theirs["id"]).state == "to_delete"


def test_clear_removes_collaborators_views_and_relations(portal: Portal, source: str) -> None:
    # package_member has no cascade, so the stock action fails
    first, second, *_others = portal.datasets()
    user, group = factories.User(), factories.Group()
    act("package_patch", id=first["id"], groups=[{"name": group["name"]}])
    Session.add(
        model.PackageMember(
            package_id=first["id"],
            user_id=user["id"],
            capacity="editor",
            modified=first["metadata_modified"],
        )
    )
    Session.add(
        model.ResourceView(
            resource_id=first["resources"][0]["id"], title="View", view_type="text_view", order=0
        )
    )
    Session.add(
        model.PackageRelationship(
            subject=model.Package.get(first["id"]),
            object=model.Package.get(second["id"]),
            type="depends_on",
        )
    )
    Session.commit()
    assert act("harvest_source_clear", id=source)["deleted"] == 5
    assert portal.datasets() == []
    assert portal.search_names() == []


def test_clear_of_a_source_that_only_another_harvester_ever_ran(
    portal: Portal, source: str, other: str
) -> None:
    Session.query(Record).delete()
    Session.commit()
    assert act("harvest_source_clear", id=source)["deleted"] == 5
    assert len(portal.datasets()) == 3


@pytest.mark.parametrize("keep_current", [False, True])
@pytest.mark.parametrize("action", ["harvest_source", "harvest_sources"])
def test_history_clear_keeps_current_objects(
    action: str, keep_current: bool, portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(n, description="New.") for n in range(5)]))
    assert figures(portal.run(source)) == {"updated": 5}
    broken = [dataset(n, description="New.") for n in range(4)]
    publisher.serve(PATH, catalogue([*broken, dataset(4, title="")]))
    assert figures(portal.run(source)) == {"not modified": 4, "errored": 1}
    fields = {"keep_current": keep_current}
    if action == "harvest_source":
        fields["id"] = source
    act(f"{action}_job_history_clear", **fields)
    assert rows(HarvestObject, harvest_source_id=source) == 5
    assert rows(HarvestObject, harvest_source_id=source, current=True) == 5
    assert rows(HarvestJob, source_id=source) == 1
    assert len(portal.datasets()) == len(portal.search_names()) == 5


def test_history_clear_leaves_a_job_that_runs(portal: Portal, source: str) -> None:
    job_id = portal.create_job(source)
    portal.gather(job_id, force=True)
    act("harvest_source_job_history_clear", id=source)
    assert len(portal.waiting(job_id)) == 5
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 5}


@pytest.fixture
def people(organization: dict[str, str]) -> dict[str, str]:
    """role → user name; "" is anonymous."""
    names = {"": "", "stranger": factories.User()["name"]}
    for role in ("member", "editor"):
        names[role] = member(organization, role)["name"]
    return names


def readers(people: dict[str, str], **fields: Any) -> list[str]:
    found = []
    for role, name in people.items():
        context = {"user": name, "model": model, "session": Session}
        try:
            tk.get_action("harvest_object_show")(context, dict(fields))
        except tk.NotAuthorized:
            continue
        found.append(role)
    return found


def test_object_is_readable_if_its_dataset_is(
    portal: Portal, source: str, people: dict[str, str]
) -> None:
    # ckanext-harvest shows every object to everybody
    first, second, *_others = portal.datasets()
    context = {"ignore_auth": True, "user": factories.Sysadmin()["name"]}
    call_action("package_patch", dict(context), id=first["id"], private=True)
    objects = {obj.package_id: obj.id for obj in Session.query(HarvestObject)}
    everybody = ["", "stranger", "member", "editor"]
    assert readers(people, id=objects[second["id"]]) == everybody
    assert readers(people, dataset_id=second["name"]) == everybody
    assert readers(people, id=objects[first["id"]]) == ["member", "editor"]
    assert readers(people, dataset_id=first["id"]) == ["member", "editor"]
    assert readers(people, id=first["id"], attr="package_id") == ["member", "editor"]
    # Naming a readable dataset beside an object does not give access to the object.
    both = {"id": objects[first["id"]], "dataset_id": second["id"]}
    assert readers(people, **both) == ["member", "editor"]
    # Without a dataset: users who may update the source.
    HarvestObject.get(objects[second["id"]]).package_id = None
    Session.commit()
    assert readers(people, id=objects[second["id"]]) == ["editor"]
    with pytest.raises(tk.ObjectNotFound):
        readers(people, id="nothing")
    with pytest.raises(tk.ObjectNotFound):
        readers(people, id="nothing", attr="package_id")


def test_clear_passes_over_tables_that_were_never_made(portal: Portal, source: str) -> None:
    # An extension is installed and imported without its migration: its table with a key to packages
    # is in the model, but not in the database.
    never = sa.Table(
        "never_made",
        model.meta.metadata,
        sa.Column("package_id", sa.UnicodeText, sa.ForeignKey("package.id")),
    )
    try:
        assert act("harvest_source_clear", id=source)["deleted"] == 5
    finally:
        model.meta.metadata.remove(never)
    assert portal.datasets() == []


def seen() -> set[Any]:
    return set(Session.query(Record.guid, Record.last_seen, Record.last_seen_job_id))


def edit_title(package_id: str) -> None:
    act("package_patch", id=package_id, title="Typed by a person")


def test_stock_import_command_imports_records_again(
    portal: Portal, source: str, ckan: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before, last_seen = portal.datasets(), seen()
    (job,) = call_action("harvest_job_list", source_id=source)
    edit_title(before[0]["id"])
    assert "5 objects reimported" in ckan("harvester", "import", source).stdout
    titles = {each["id"]: each["title"] for each in portal.datasets()}
    assert titles == {each["id"]: each["title"] for each in before}
    assert figures(portal.job(job["id"])) == {"added": 5}
    assert seen() == last_seen


def test_stock_import_action_forces_no_later_import(portal: Portal, source: str) -> None:
    package = portal.datasets()[0]
    edit_title(package["id"])
    assert act("harvest_objects_import", source_id=source) == 5
    assert portal.datasets()[0]["title"] == package["title"]
    edit_title(package["id"])
    obj = Session.query(HarvestObject).filter_by(package_id=package["id"], current=True).one()
    assert queue.get_harvester("data_json").import_stage(obj) is True
    assert act("package_show", id=package["id"])["title"] == "Typed by a person"
