"""Who has to do what, and that the source's page and the list of sources say the same."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.link_states import LinkFault, LinkResult
from ckanext.ukharvest.harvest.model import Link, utcnow
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.run import outcomes
from ckanext.ukharvest.links import jobs as link_jobs
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.inbox import Inbox
from tests.ckan.people import member, person
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


def tasks(user: dict[str, Any]) -> list[dict[str, Any]]:
    model.Session.remove()
    context = {"user": user["name"], "ignore_auth": False}
    listed = call_action("ukharvest_to_do_list", context)
    assert listed["count"] == len(listed["results"])
    return list(listed["results"])


def texts(user: dict[str, Any]) -> list[str]:
    return [task["text"] for task in tasks(user)]


def shown(source: str) -> dict[str, Any]:
    model.Session.remove()
    return dict(call_action("ukharvest_source_show", source_id=source))


def check_same(user: dict[str, Any], source: str, label: str) -> dict[str, Any]:
    """Fail unless the only task says what the source's page and the list say; return it."""
    (task,) = tasks(user)
    page = shown(source)
    assert (task["text"], task["label"]) == (page["heading"], label)
    assert task["source"]["name"] == page["name"]
    (row,) = call_action("ukharvest_source_list", health=page["health"])["results"]
    assert row["name"] == page["name"]
    return task


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source of twelve datasets that were harvested."""
    publisher.serve(PATH, catalogue(12))
    made = portal.source(publisher.url(PATH), name="parking")
    portal.run(made)
    return made


def test_nothing_is_to_do_where_all_is_well(source: str, editor: dict[str, Any]) -> None:
    assert tasks(editor) == []


def test_a_failing_source_is_to_do_until_it_works(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    task = check_same(editor, source, "Correct the URL")
    assert task["text"].startswith("Failing: ")
    assert task["url"] == "/harvest/edit/parking"
    assert task["since"][:19] == shown(source)["failing_since"][:19]
    publisher.serve(PATH, catalogue(12))
    portal.run(source)
    assert tasks(editor) == []


def test_a_single_failure_that_passes_is_not_to_do(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, b"", status=503)
    for number in range(3):
        assert tasks(editor) == [], number
        portal.run(source)
    assert "Failing" in texts(editor)[0]


def test_what_waits_for_a_decision_is_to_do(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(2))
    portal.run(source)
    assert check_same(editor, source, "Run now")["text"] == "Many records missing: 10 of 12"
    portal.run(source)
    task = check_same(editor, source, "Review the deletions")
    assert task["url"] == "/harvest/parking/deletions"
    assert task["text"] == "Waiting for a decision: 10 datasets would be deleted"
    assert (
        task["since"]
        == call_action("ukharvest_pending_list", source_id=source)["since"][:19] + "+00:00"
    )
    act("ukharvest_pending_decide", source_id=source, decision="keep")
    assert tasks(editor) == []


def test_an_empty_source_is_to_do(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(0))
    portal.run(source)
    check_same(editor, source, "Run now")


def test_failed_records_are_to_do_for_editors_and_most_of_them_for_sysadmins(
    portal: Portal,
    publisher: Publisher,
    source: str,
    editor: dict[str, Any],
    sysadmin: dict[str, Any],
) -> None:
    def serve(faulty: int) -> None:
        records = [dataset(n, title="" if n < faulty else f"No {n}") for n in range(12)]
        publisher.serve(PATH, catalogue(records))
        portal.run(source)

    serve(6)
    assert shown(source)["health"] == "errors"
    check_same(editor, source, "Problems to fix")
    assert [task for task in tasks(sysadmin) if task["source"]] == []
    assert call_action("ukharvest_source_list")["needs_attention"]["errors"] == 0
    serve(7)
    check_same(editor, source, "Problems to fix")
    assert [task["text"] for task in tasks(sysadmin) if task["source"]] == texts(editor)
    assert call_action("ukharvest_source_list")["needs_attention"]["errors"] == 1


def test_a_late_source_is_to_do_unless_it_runs(
    portal: Portal, source: str, editor: dict[str, Any]
) -> None:
    late = utcnow() - dt.timedelta(hours=2)
    values = {"late": late, "id": source}
    for statement in (
        "UPDATE harvest_source SET frequency = 'DAILY', next_run = :late WHERE id = :id",
        "UPDATE package SET metadata_modified = :late WHERE id = :id",
    ):
        model.Session.execute(sa.text(statement), values)
    model.Session.commit()
    task = check_same(editor, source, "Run now")
    assert task["since"] == late.isoformat(timespec="seconds") + "+00:00"
    portal.create_job(source)
    assert tasks(editor) == []


def test_a_source_that_is_switched_off_is_not_to_do(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    act("harvest_source_delete", id=source)
    assert tasks(editor) == []


def test_runs_that_other_code_deletes_are_forgotten(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    assert len(tasks(editor)) == 1
    act("harvest_source_job_history_clear", id=source)
    assert tasks(editor) == []
    portal.run(source)
    assert len(tasks(editor)) == 1
    failed = model.Session.query(HarvestJob).order_by(HarvestJob.created.desc()).first()
    model.Session.execute(
        sa.text(
            "DELETE FROM harvest_gather_error WHERE harvest_job_id = :id;"
            "DELETE FROM harvest_job WHERE id = :id"
        ),
        {"id": failed.id},
    )
    assert outcomes.store_left() == 1
    model.Session.commit()
    assert tasks(editor) == []


def test_a_new_url_is_judged_by_its_own_runs(
    portal: Portal, publisher: Publisher, source: str, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    assert len(tasks(editor)) == 1
    act("harvest_source_patch", id=source, url=publisher.url("/other.json"))
    page = shown(source)
    assert (page["health"], page["css"]) == ("new", "")
    assert (page["heading"], page["actions"][0]) == ("New URL, not run yet", "refresh")
    assert tasks(editor) == []
    portal.run(source)
    assert check_same(editor, source, "Correct the URL")["text"].startswith("Failing: ")


def test_people_get_what_they_may_edit(
    portal: Portal,
    publisher: Publisher,
    source: str,
    ckan_config: Any,
    organization: dict[str, str],
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    other = factories.Organization(image_url="")
    numbers = {
        "sysadmin": len([each for each in tasks(factories.Sysadmin()) if each["source"]]),
        "admin": len(tasks(member(organization, "admin"))),
        "editor": len(tasks(member(organization))),
        "member": len(tasks(member(organization, "member"))),
        "editor of another": len(tasks(member(other))),
        "user": len(tasks(person())),
    }
    assert [role for role, number in numbers.items() if number] == ["sysadmin", "admin", "editor"]
    with pytest.raises(tk.NotAuthorized):
        tasks({"name": ""})


def test_roles_that_cascade_count_in_organisations_below(
    portal: Portal,
    publisher: Publisher,
    source: str,
    organization: dict[str, str],
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publisher.serve(PATH, b"", status=404)
    portal.run(source)
    above = factories.Organization(image_url="")
    act("organization_patch", id=organization["id"], groups=[{"name": above["name"]}])
    admin = member(above, "admin")
    monkeypatch.setitem(ckan_config, "ckan.auth.roles_that_cascade_to_sub_groups", ["admin"])
    assert len(tasks(admin)) == 1
    assert tasks(member(above)) == []
    monkeypatch.setitem(ckan_config, "ckan.auth.roles_that_cascade_to_sub_groups", [])
    assert tasks(admin) == []


def make_dead(url: str) -> None:
    """Make a link dead, as when the job that checks links has ended."""
    link_results.save_link_results([LinkResult(url=url, fault=LinkFault.NOT_FOUND, status=404)], 7)
    link = model.Session.query(Link).filter_by(url=url).one()
    link.state, link.absent_since = "dead", dt.datetime(2026, 5, 1, 12)  # noqa: DTZ001 - naive UTC
    model.Session.commit()
    link_jobs.store_dead_links()


def test_dead_files_are_to_do(portal: Portal, publisher: Publisher, editor: dict[str, Any]) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH), name="parking")
    portal.run(source)
    url = portal.datasets()[0]["resources"][0]["url"]
    link_results.save_link_results([LinkResult(url=url, fault=LinkFault.NOT_FOUND, status=404)], 7)
    model.Session.commit()
    link_jobs.store_dead_links()
    assert tasks(editor) == []  # it may come back
    make_dead(url)
    (task,) = tasks(editor)
    assert (task["text"], task["since"]) == ("Dead link: 1", "2026-05-01T12:00:00+00:00")
    assert task["url"] == "/harvest/links?source=parking&state=dead"
    # The next run has the file at another URL.
    moved = json.dumps(catalogue(2)).replace(url, f"{url}?new")
    publisher.serve(PATH, moved.encode())
    portal.run(source)
    assert tasks(editor) == []


def test_dead_files_of_others_private_datasets_are_not_counted(
    portal: Portal, publisher: Publisher, editor: dict[str, Any]
) -> None:
    publisher.serve(PATH, catalogue(1))
    portal.run(portal.source(publisher.url(PATH), name="parking"))
    (taken,) = portal.datasets()
    other = factories.Organization(image_url="")
    act("package_patch", id=taken["id"], owner_org=other["id"], private=True)
    make_dead(taken["resources"][0]["url"])
    assert tasks(editor) == []


def test_sysadmins_learn_that_mail_is_not_set(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch, editor: dict[str, Any]
) -> None:
    monkeypatch.setitem(ckan_config, "smtp.server", "")
    (task,) = tasks(factories.Sysadmin())
    assert task["text"] == "Emails may not arrive: smtp.server is not set."
    assert task["source"] is None
    assert tasks(editor) == []


def test_nothing_is_to_do_where_mail_works(inbox: Inbox) -> None:
    assert tasks(factories.Sysadmin()) == []
