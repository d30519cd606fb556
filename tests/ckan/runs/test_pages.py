"""One run and the problems of a source's records: actions, pages, files."""

from __future__ import annotations

import csv
import io
from typing import Any
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.outcomes import WITH_PROBLEMS
from ckanext.ukharvest.harvest.model import Record
from tests.ckan import reads
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.faulty_runs import Session, faulty, make_many
from tests.ckan.harvesting import Portal, statements
from tests.ckan.logins import member, sysadmin
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
MANY = 10_000
# A page of a run queries the user, the source, the run, groups, records, and the page's frame.
MOST_STATEMENTS = 35


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(faulty()))
    return portal.source(publisher.url(PATH), name="somewhere")


@pytest.fixture
def run(ready_source: SourceMaker) -> str:
    """Return the run of a source like that."""
    ready_source(PATH, catalogue(faulty()), name="somewhere")
    return ready_source.job_id


@pytest.fixture
def editor(organization: dict[str, str]) -> dict[str, str]:
    return member(organization, "editor")


def codes(groups: list[dict[str, Any]]) -> dict[str, tuple[str, int]]:
    return {group["code"]: (group["severity"], group["records"]) for group in groups}


def untitled(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return groups or problems without titles of records: one can have got its title since."""
    without = {"record_title": None, "dataset_name": None}
    return [
        {**each, **without, "examples": [{**one, "title": ""} for one in each.get("examples", ())]}
        for each in found
    ]


def problems_by_record(records: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(each["guid"], each["outcome"]): each["problems"] for each in records["results"]}


def test_a_run_in_figures(run: str) -> None:
    shown = call_action("ukharvest_run_show", id=run)
    counts = {key: number for key, number in shown["counts"].items() if number}
    assert counts == {"added": 4, "lost": 2, "with_problems": 2}
    assert shown["outcome"] == "errors"
    assert (shown["seen"], shown["complete"], shown["is_last"]) == (6, True, True)
    assert shown["seconds"] >= 0


def test_problems_by_kind(run: str) -> None:
    groups = call_action("ukharvest_problem_group_list", job_id=run)
    assert codes(groups) == {
        "duplicate-guid": ("lost", 1),
        "missing-title": ("lost", 1),
        "bad-email": ("problem", 2),
        "bad-date": ("problem", 1),
    }
    assert groups[0]["severity"] == "lost"
    email = next(group for group in groups if group["code"] == "bad-email")
    assert email["title"] == "Email address cannot be used (contactPoint.hasEmail)"
    assert email["tip"].startswith("Write one email address")
    assert [each["title"] for each in email["examples"]] == ["Dataset 00003", "Dataset 00004"]
    assert "nobody at all" in email["examples"][0]["message"]
    assert codes(call_action("ukharvest_problem_group_list", source_id="somewhere")) == codes(
        groups
    )


def test_run_keeps_what_it_saw_after_a_mend(portal: Portal, publisher: Publisher, run: str) -> None:
    source = HarvestJob.get(run).source_id
    asked = ("ukharvest_problem_group_list", "ukharvest_problem_list", "ukharvest_record_list")
    before = [call_action(action, job_id=run) for action in asked]
    counts = call_action("ukharvest_run_show", id=run)["counts"]
    mended = [dataset(number) for number in range(4)]
    publisher.serve(PATH, catalogue([*mended, faulty()[4]]))
    second = portal.run(source)["id"]
    assert codes(call_action("ukharvest_problem_group_list", source_id=source)) == {
        "bad-email": ("problem", 1),
        "bad-date": ("problem", 1),
    }
    assert call_action("ukharvest_problem_group_list", job_id=second) == []
    groups, problems, records = [call_action(action, job_id=run) for action in asked]
    assert untitled(groups) == untitled(before[0])
    assert untitled(problems["results"]) == untitled(before[1]["results"])
    assert problems_by_record(records) == problems_by_record(before[2])
    shown = call_action("ukharvest_run_show", id=run)
    assert (shown["is_last"], shown["counts"]) == (False, counts)


def test_a_run_keeps_what_it_rejected_records_for(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue([dataset(0, title="")]))
    source = portal.source(publisher.url(PATH))
    first = portal.run(source)["id"]
    publisher.serve(PATH, catalogue([dataset(0, modified="last year", title="")]))
    second = portal.run(source)["id"]
    publisher.serve(PATH, catalogue([dataset(0)]))
    portal.run(source)
    for run in (first, second):
        [group] = call_action("ukharvest_problem_group_list", job_id=run)
        assert (group["code"], group["severity"], group["records"]) == ("missing-title", "lost", 1)
        assert group["tip"]


def test_records_of_a_run(portal: Portal, publisher: Publisher, run: str) -> None:
    source = HarvestJob.get(run).source_id
    listed = call_action("ukharvest_record_list", job_id=run)
    assert listed["listed"] == {"lost": 2, "added": 4, "problems": 2}
    assert [each["outcome"] for each in listed["results"]] == ["lost"] * 2 + ["added"] * 4
    lost = listed["results"][0]
    assert lost["problems"][0]["severity"] == "lost"
    assert lost["dataset_name"] is None or lost["guid"].endswith("00004")

    def titles(**asked: Any) -> list[str]:
        found = call_action("ukharvest_record_list", job_id=run, **asked)
        return [each["title"] for each in found["results"]]

    assert titles(outcome="problems") == ["Dataset 00003", "Dataset 00004"]
    assert titles(code="bad-date") == ["Dataset 00004"]
    assert titles(q="00001") == ["Dataset 00001"]
    assert titles(q="100%") == []
    assert titles(outcome="added", limit=2, offset=1) == ["Dataset 00001", "Dataset 00003"]
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="New"), dataset(2)]))
    second = portal.run(source)["id"]
    again = call_action("ukharvest_record_list", job_id=second)
    assert again["listed"] == {"added": 1, "updated": 1, "unchanged": 1, "missing": 2}
    counts = call_action("ukharvest_run_show", id=second)["counts"]
    assert {key: counts[key] for key in again["listed"]} == again["listed"]
    # The records that the first run was the last to see count as imported, whatever came later.
    assert call_action("ukharvest_record_list", job_id=run)["listed"]["added"] == 4
    of_source = call_action("ukharvest_record_list", source_id=source)
    assert of_source["listed"] == {"added": 1, "updated": 1, "unchanged": 1, "missing": 2}


def test_every_problem_one_by_one(run: str) -> None:
    found = call_action("ukharvest_problem_list", job_id=run)
    assert found["count"] == len(found["results"]) == 5
    assert [each["outcome"] for each in found["results"]] == ["lost"] * 2 + ["problem"] * 3
    some = call_action("ukharvest_problem_list", job_id=run, code="bad-email", limit=1)
    assert (some["count"], len(some["results"])) == (2, 1)


def test_a_run_that_failed(portal: Portal, publisher: Publisher, source: str, app: Any) -> None:
    publisher.serve(PATH, "<html><body>Down</body></html>")
    failed = portal.run(source)["id"]
    (group,) = call_action("ukharvest_problem_group_list", job_id=failed)
    assert (group["severity"], group["code"], group["records"]) == ("stop", "html-page", 0)
    assert group["tip"]
    assert call_action("ukharvest_problem_group_list", source_id=source)[0] == group
    body = app.get(f"/harvest/somewhere/job/{failed}", headers=sysadmin()).body
    assert group["examples"][0]["message"].splitlines()[0] in body
    assert "Nothing was imported, and nothing was deleted." in body
    rows = lines(app.get("/harvest/somewhere/problems.csv", headers=sysadmin()).body)
    assert rows[0]["outcome"] == "stop"


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_page_of_a_run(app: CKANTestApp, run: str, editor: dict[str, str]) -> None:
    body = app.get(f"/harvest/somewhere/job/{run}", headers=editor).body
    assert "Failed <strong>2</strong>" in body
    assert "With problems <strong>2</strong>" in body
    assert "Identifier used twice" in body
    assert "How to fix it:" in body
    assert 'href="/harvest/help#code-duplicate-guid"' in body
    assert "Dataset 00003" in body
    assert f'href="/harvest/somewhere/job/{run}?outcome=lost#records"' in body
    few = app.get(f"/harvest/somewhere/job/{run}?code=bad-date", headers=editor).body
    assert "Date not understood" in few
    assert "Show all" in few
    assert "How to fix it:" not in few
    none = app.get(f"/harvest/somewhere/job/{run}?outcome=held", headers=editor).body
    assert "No records found" in none
    app.get(f"/harvest/somewhere/job/{run}?outcome=nonsense", headers=editor, status=400)
    last = app.get("/harvest/somewhere/job/last", headers=editor, follow_redirects=False)
    assert last.headers["Location"].endswith(f"/harvest/somewhere/job/{run}")


def test_page_of_a_run_lists_what_changed_first(
    app: CKANTestApp, portal: Portal, publisher: Publisher, run: str, editor: dict[str, str]
) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="New title"), faulty()[3]]))
    second = portal.run(HarvestJob.get(run).source_id)["id"]
    page = f"/harvest/somewhere/job/{second}"
    body = app.get(page, headers=editor).body
    assert "What changed" in body
    assert "New title" in body
    assert "Dataset 00000" not in body
    everything = app.get(f"{page}?outcome=", headers=editor).body
    assert '<h2 id="records">Records</h2>' in everything
    assert "Dataset 00000" in everything
    changed = call_action("ukharvest_record_list", job_id=second, outcome="changed")
    assert {each["outcome"] for each in changed["results"]} == {"updated", "missing"}


def test_the_page_of_problems_and_the_files(
    app: CKANTestApp, run: str, editor: dict[str, str]
) -> None:
    body = app.get("/harvest/somewhere/problems", headers=editor).body
    assert "Failed: 2, With problems: 2" in body
    answer = app.get("/harvest/somewhere/problems.csv", headers=editor)
    assert answer.headers["Content-Type"].startswith("text/csv")
    of_source = lines(answer.body)
    of_run = lines(app.get(f"/harvest/somewhere/job/{run}/problems.csv", headers=editor).body)
    assert [{**row, "run": ""} for row in of_run] == of_source
    assert of_run[0]["run"]
    emails = lines(app.get("/harvest/somewhere/problems.csv?code=bad-email", headers=editor).body)
    assert [row["record_title"] for row in emails] == ["Dataset 00003", "Dataset 00004"]
    assert emails[0]["dataset_address"].endswith("/dataset/dataset-00003")
    assert "opendata@example.gov.uk" in emails[0]["how_to_fix"]
    page = urlsplit(emails[0]["record_page"]).path
    assert "Dataset 00003" in app.get(page, headers=editor).body


def test_a_file_holds_no_formula(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    title = '=HYPERLINK("https://evil.example")'
    publisher.serve(PATH, catalogue([{**faulty()[3], "title": title}]))
    portal.run(source)
    (row,) = lines(app.get("/harvest/somewhere/problems.csv", headers=sysadmin()).body)
    assert row["record_title"] == f"'{title}"


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
