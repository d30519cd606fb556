"""Records of a run: whose they are, who may see them, and what ten thousand cost."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.outcomes import WITH_PROBLEMS
from ckanext.ukharvest.harvest.model import Record
from tests.ckan import reads
from tests.ckan.catalogues import catalogue
from tests.ckan.faulty_runs import Session, make_many
from tests.ckan.harvesting import Portal, statements
from tests.ckan.logins import member, sysadmin
from tests.ckan.runs.faulty_run import PATH, lines
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process
MANY = 10_000
# A page of a run queries the user, the source, the run, groups, records, and the page's frame.
MOST_STATEMENTS = 35


def test_titles_of_private_datasets_are_not_shown(
    portal: Portal, run: str, organization: dict[str, str]
) -> None:
    source = HarvestJob.get(run).source_id
    elsewhere = factories.Organization()
    moved = {"private": True, "owner_org": elsewhere["id"]}
    call_action("package_patch", id="dataset-00004", **moved)
    # A record that failed before messages were stored with it.
    Session.query(Record).filter_by(title="").update({"error": sa.null()})
    Session.commit()
    user = factories.User()
    member(organization, "editor", user)

    def read_all(of: dict[str, str], **more: str) -> tuple[str, ...]:
        context = {"user": user["name"], "ignore_auth": False}
        groups = call_action("ukharvest_problem_group_list", context, **of)
        listed = call_action("ukharvest_record_list", context, **of, **more)
        single = call_action("ukharvest_problem_list", context, **of)
        return str(groups), str(listed), str(single)

    for of in ({"job_id": run}, {"source_id": source}):
        groups, listed, single = read_all(of)
        for text in (groups, listed, single):
            assert "Dataset 00003" in text
            assert "Dataset 00004" not in text
            assert "dataset-00004" not in text
        assert "'count': 0" in read_all(of, q="Dataset 00004")[1]
    assert "The reason is shown after the next run that reads the record." in groups
    member(elsewhere, "member", user)
    assert all("Dataset 00004" in text for text in read_all({"job_id": run}, q="Dataset 00004"))


def test_a_run_is_found_under_its_own_source_alone(
    app: CKANTestApp, portal: Portal, publisher: Publisher, run: str
) -> None:
    portal.source(publisher.url("/other.json"), name="elsewhere")
    headers = sysadmin()
    app.get(f"/harvest/elsewhere/job/{run}", headers=headers, status=404)
    app.get("/harvest/elsewhere/job/nothing", headers=headers, status=404)
    app.get("/harvest/elsewhere/job/last", headers=headers, status=404)
    body = app.get("/harvest/elsewhere/problems", headers=headers).body
    assert "No problems found." in body
    assert "No records found" in body


def test_of_an_unchanged_run_only_the_last_lists_its_records(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(3))
    portal.run(source)
    second, third = (portal.run(source)["id"] for _ in range(2))
    assert call_action("ukharvest_record_list", job_id=third)["listed"] == {"unchanged": 3}
    assert call_action("ukharvest_record_list", job_id=second)["listed"] == {}
    publisher.serve(PATH, catalogue(2))
    portal.run(source)
    assert call_action("ukharvest_record_list", job_id=third)["listed"] == {"unchanged": 1}
    body = app.get(f"/harvest/somewhere/job/{second}", headers=sysadmin()).body
    assert "Nothing changed" in body
    assert "no longer stored" in body


@pytest.mark.giant
def test_ten_thousand_records(app: CKANTestApp, source: str) -> None:
    few = make_many(source, 100)
    headers = sysadmin()
    with statements() as before:
        app.get(f"/harvest/somewhere/job/{few}", headers=headers)
    for table in ("ukharvest_outcome", "harvest_object", "ukharvest_record"):
        Session.execute(sa.text(f"DELETE FROM {table}"))
    Session.commit()
    run = make_many(source, MANY)
    pages = [
        f"/harvest/somewhere/{page}"
        for page in (f"job/{run}", f"job/{run}?code=bad-date&page=20", "problems")
    ]
    for address in pages:
        with statements() as sent:
            answer = app.get(address, headers=headers)
        assert len(sent) <= min(MOST_STATEMENTS, len(before) + 2)
        assert len(answer.data) < 200_000
    reads.check(app, pages, headers)
    assert call_action("ukharvest_record_list", job_id=run)["listed"] == {
        "lost": MANY // 10,
        "updated": MANY * 9 // 10,
        WITH_PROBLEMS: call_action("ukharvest_run_show", id=run)["counts"]["with_problems"],
    }
    rows = lines(app.get(f"/harvest/somewhere/job/{run}/problems.csv", headers=headers).body)
    assert len(rows) == call_action("ukharvest_problem_list", job_id=run)["count"]
