"""One run and the problems of a source's records: actions, pages, files."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestJob
from lxml import html

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.faulty_runs import faulty
from tests.ckan.harvesting import Portal, act
from tests.ckan.logins import member, sysadmin
from tests.ckan.runs.faulty_run import PATH, lines
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.fixture
def editor(organization: dict[str, str]) -> dict[str, str]:
    return member(organization, "editor")


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
    assert "How to fix it:" in few
    assert "Identifier used twice" not in few
    assert "last year" in few.split('id="records"')[1]
    none = app.get(f"/harvest/somewhere/job/{run}?outcome=held", headers=editor).body
    assert "No records found" in none
    app.get(f"/harvest/somewhere/job/{run}?outcome=nonsense", headers=editor, status=400)
    last = app.get("/harvest/somewhere/job/last", headers=editor, follow_redirects=False)
    assert last.headers["Location"].endswith(f"/harvest/somewhere/job/{run}")


def test_runs_count_what_was_skipped_where_something_was(
    app: CKANTestApp, portal: Portal, run: str, editor: dict[str, str]
) -> None:
    def heads() -> list[str]:
        page = html.fromstring(app.get("/harvest/somewhere/job", headers=editor).body)
        return [each.text_content().strip() for each in page.iterfind(".//th[@scope='col']")]

    assert "Skipped" not in heads()
    source_id = HarvestJob.get(run).source_id
    config = '{"include_values": "keyword:rivers"}'
    act("harvest_source_patch", id=source_id, config=config)
    portal.run(source_id)
    assert heads()[2:8] == ["Added", "Updated", "Unchanged", "Deleted", "Failed", "Skipped"]


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


def test_messages_are_in_the_language_of_the_page_but_not_of_the_file(
    app: CKANTestApp, run: str, editor: dict[str, str]
) -> None:
    french = "«\u00a0last year\u00a0» n’est pas une date"
    for path in ("problems?code=bad-date", f"job/{run}?code=bad-date"):
        body = app.get(f"/fr/harvest/somewhere/{path}", headers=editor).body
        assert body.count(french) == 2  # in the group and in the table
    file = app.get("/fr/harvest/somewhere/problems.csv?code=bad-date", headers=editor).body
    assert "'last year' is not a date" in lines(file)[0]["message"]


def test_identifier_used_twice_is_said_in_the_language_of_the_page(
    app: CKANTestApp, run: str, editor: dict[str, str]
) -> None:
    page = app.get(f"/fr/harvest/somewhere/job/{run}", headers=editor).body
    assert "a le même identifiant que" in page
    assert "has the same identifier" not in page


def test_a_file_holds_no_formula(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str
) -> None:
    title = '=HYPERLINK("https://evil.example")'
    publisher.serve(PATH, catalogue([{**faulty()[3], "title": title}]))
    portal.run(source)
    (row,) = lines(app.get("/harvest/somewhere/problems.csv", headers=sysadmin()).body)
    assert row["record_title"] == f"'{title}"
