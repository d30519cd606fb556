"""A deletion that CKAN or a plugin refuses is a failed record; the others are deleted."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest.consumers import claims
from ckanext.ukharvest.harvest.index.pending_index import PendingIndex
from ckanext.ukharvest.harvest.model import Claim, Outcome, Record
from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan.catalogues import catalogue
from tests.ckan.deletions.pending_lists import approve, pending_titles
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]

PATH = "/data.json"
CITED = "This dataset is cited by a DOI and cannot be deleted"


@pytest.fixture
def cited(monkeypatch: pytest.MonkeyPatch) -> str:
    """A plugin refuses to delete the last dataset; its title."""
    real, title = UkharvestPlugin.after_dataset_delete, "Dataset 00009"

    def refuse(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        if model.Package.get(pkg_dict["id"]).title == title:
            raise tk.ValidationError({"id": [CITED]})

    monkeypatch.setattr(UkharvestPlugin, "after_dataset_delete", refuse)
    return title


def work_off(portal: Portal, source_id: str) -> dict[str, Any]:
    """Run a source in this process."""
    job_id = portal.create_job(source_id)
    portal.gather(job_id)
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    return portal.finish(job_id)


def row_of(title: str) -> Record:
    model.Session.remove()
    return model.Session.query(Record).filter_by(title=title).one()


@pytest.fixture
def shrunk(portal: Portal, publisher: Publisher, ready_source: SourceMaker) -> str:
    """A source of which two of 20 datasets have been missing once."""
    source_id = ready_source(PATH, catalogue(20), then=[catalogue(20)])
    records = [*catalogue(20)["dataset"][:8], *catalogue(20)["dataset"][10:]]
    publisher.serve(PATH, catalogue(records))
    assert figures(work_off(portal, source_id)) == {"not modified": 18, "missing": 2}
    return source_id


def test_refused_deletion_is_an_error_of_a_missing_record(
    portal: Portal, shrunk: str, cited: str
) -> None:
    before = row_of(cited)
    seen = (before.last_seen, before.last_seen_job_id, before.outcome)
    for others in ({"deleted": 1}, {}):
        job = work_off(portal, shrunk)
        assert figures(job) == {"not modified": 18, "errored": 1, **others}
        assert CITED in job["object_error_summary"][0]["message"]
        after = row_of(cited)
        assert (after.last_seen, after.last_seen_job_id, after.outcome) == seen
        assert after.missed_runs == 1
        outcome = model.Session.query(Outcome).filter_by(record_id=after.id, state="lost").all()
        assert {row.code for row in outcome} == {"deletion-refused"}
    assert len(portal.datasets()) == 19
    assert model.Session.query(PendingIndex).count() == 0


def test_deletion_works_once_nobody_refuses_it(
    portal: Portal, shrunk: str, cited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_off(portal, shrunk)
    monkeypatch.undo()
    assert figures(work_off(portal, shrunk)) == {"not modified": 18, "deleted": 1}
    assert row_of(cited).removed


@pytest.fixture
def pending_source(portal: Portal, ready_source: SourceMaker) -> str:
    """A source with 6 of 10 datasets pending deletion."""
    return ready_source(PATH, catalogue(10), then=[catalogue(4)] * 2)


def test_approval_counts_what_was_deleted_and_refused(
    portal: Portal, pending_source: str, cited: str
) -> None:
    answer = approve(pending_source)
    assert (answer["deleted"], answer["kept"], answer["refused"]) == (5, 0, 1)
    assert [dataset["title"] for dataset in portal.datasets()][-1] == cited
    job = portal.job(answer["job_id"])
    assert job["status"] == "Finished"
    assert CITED in job["object_error_summary"][0]["message"]
    assert model.Session.query(Claim).count() == 0
    assert pending_titles(pending_source) == []
    assert row_of(cited).missed_runs == 2
    assert portal.waiting(answer["job_id"]) == []


def test_approval_counts_records_that_came_back_as_kept(
    portal: Portal, pending_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = claims.claim_given

    def come_back(*args: Any) -> list[str]:
        model.Session.query(Record).filter_by(title="Dataset 00009").update({"missed_runs": 0})
        return real(*args)

    monkeypatch.setattr(claims, "claim_given", come_back)
    answer = approve(pending_source)
    assert (answer["deleted"], answer["kept"], answer["refused"]) == (5, 1, 0)


def test_approval_answers_although_the_database_fails_later(
    portal: Portal, pending_source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error would say that nothing happens, but consumers go on with what was released."""
    with monkeypatch.context() as patch:
        patch.setattr(claims, "claim_given", lambda *_: model.Session.execute("?"))
        answer = approve(pending_source)
    assert answer["deleted"] == 0
    job_id = answer["job_id"]
    assert HarvestJob.get(job_id).status == "Running"
    assert len(portal.waiting(job_id)) == 6
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"deleted": 6}


def test_refused_approval_is_told_on_the_page(
    pending_source: str, cited: str, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ckan.tests import factories

    user = factories.SysadminWithToken()
    headers = {"Authorization": user["token"]}
    plan = call_action("ukharvest_pending_list", source_id=pending_source)
    name = act("package_show", id=pending_source)["name"]
    page = app.post(
        f"/harvest/{name}/deletions/delete", data={"version": plan["version"]}, headers=headers
    )
    assert "5 datasets were deleted." in page.body
    assert "1 dataset could not be deleted." in page.body
