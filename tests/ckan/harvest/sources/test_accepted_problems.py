"""A kind of problem that an administrator accepts leaves counts until its day is over."""

from __future__ import annotations

import csv
import datetime as dt
import io
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest.harvest.model import Decision
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.gemini_records import dataset as gemini_dataset
from tests.ckan.gemini_records import uuid
from tests.ckan.harvesting import Portal
from tests.ckan.people import Person, member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH, PAGE = "/data.json", "/harvest/somewhere/problems"
EMAIL = {"code": "bad-email", "field": "contactPoint.hasEmail"}
ACCEPT = f"{PAGE}/accept"
BAD = {"fn": "Data team", "hasEmail": "mailto:nobody"}


def ahead(days: int) -> str:
    return (dt.datetime.now(dt.timezone.utc).date() + dt.timedelta(days=days)).isoformat()


def faulty() -> list[dict[str, Any]]:
    """Return two datasets with a bad email address, one with a bad date, one good, one lost."""
    return [
        dataset(0, contactPoint=BAD),
        dataset(1, contactPoint=BAD),
        dataset(2, modified="last year"),
        dataset(3),
        dataset(4, title=""),
    ]


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(faulty()))
    source_id = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source_id)
    return source_id


@pytest.fixture
def admin(organization: dict[str, str]) -> Person:
    return member(organization, "admin")


def decide(user: str, **fields: Any) -> Any:
    given = {"source_id": "somewhere", **EMAIL, **fields}
    context = {"user": user, "ignore_auth": False}
    done = call_action("ukharvest_problem_decide", context, **given)
    model.Session.remove()
    return done


def accept(admin: Person, **fields: Any) -> Any:
    given = {"reason": "The mailbox is being moved", "until": ahead(90), **fields}
    return decide(admin["name"], decision="accept", **given)


def groups(**of: str) -> list[dict[str, Any]]:
    model.Session.remove()
    return list(call_action("ukharvest_problem_group_list", **(of or {"source_id": "somewhere"})))


def all_of(code: str = EMAIL["code"], **of: str) -> list[dict[str, Any]]:
    return [each for each in groups(**of) if each["code"] == code]


def group(code: str = EMAIL["code"], **of: str) -> dict[str, Any]:
    [found] = all_of(code, **of)
    return found


def with_problems(**of: str) -> int:
    listed = call_action("ukharvest_record_list", **(of or {"source_id": "somewhere"}))["listed"]
    return int(listed.get("problems", 0))


def test_accepted_kind_leaves_counts_and_stays_in_lists(
    portal: Portal, source: str, admin: Person
) -> None:
    run = call_action("ukharvest_run_list", source=source)["results"][0]["id"]
    assert (group()["accepted"], with_problems(), with_problems(job_id=run)) == (None, 3, 3)
    assert accept(admin) == {"records": 2}
    assert group()["accepted"] == {
        "until": ahead(90),
        "reason": "The mailbox is being moved",
        "user": admin["name"],
    }
    assert group()["records"] == 2
    assert (with_problems(), with_problems(job_id=run)) == (1, 1)
    assert call_action("ukharvest_run_show", id=run)["counts"]["with_problems"] == 1
    listed = call_action("ukharvest_problem_list", source_id=source, code="bad-email")
    assert [each["accepted_until"] for each in listed["results"]] == [ahead(90)] * 2
    assert group("bad-date")["accepted"] is None


def test_accepted_problem_leaves_the_dataset_and_stays_on_its_record(
    app: CKANTestApp, portal: Portal, source: str, admin: Person
) -> None:
    [found] = [each for each in portal.datasets() if each["title"] == "Dataset 00000"]
    headers = dict(admin["headers"])
    page = app.get(f"/dataset/{found['name']}", headers=headers).body
    assert "Problems: 1" in page
    accept(admin)
    assert call_action("ukharvest_dataset_show", id=found["id"])["problems_count"] == 0
    page = app.get(f"/dataset/{found['name']}", headers=headers).body
    assert "Problems: " not in page
    record = call_action("ukharvest_dataset_show", id=found["id"])["record_id"]
    [problem] = call_action("ukharvest_record_show", id=record)["problems"]
    assert (problem["code"], problem["accepted_until"]) == ("bad-email", ahead(90))
    page = app.get(f"/harvest/somewhere/record/{record}", headers=headers).body
    assert "Accepted" in page
    assert "is-warning" not in page


def test_acceptance_lasts_while_the_same_records_have_the_problem(
    portal: Portal, publisher: Publisher, source: str, admin: Person
) -> None:
    accept(admin)
    changed = [dataset(0, contactPoint=BAD, title="Renamed"), *faulty()[1:]]
    publisher.serve(PATH, catalogue(changed))
    run = portal.run(source)["id"]
    assert (group()["accepted"] or {})["until"] == ahead(90)
    assert group()["records"] == 2
    assert call_action("ukharvest_run_show", id=run)["counts"]["with_problems"] == 0
    # One that is right again for a time had got it.
    publisher.serve(PATH, catalogue([dataset(0), *faulty()[1:]]))
    portal.run(source)
    assert group()["records"] == 1
    publisher.serve(PATH, catalogue(faulty()))
    portal.run(source)
    assert group()["accepted"]
    assert group()["records"] == 2


def test_what_other_records_get_later_is_listed_beside_what_is_accepted(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, admin: Person
) -> None:
    first = call_action("ukharvest_run_list", source=source)["results"][0]["id"]
    accept(admin)
    publisher.serve(PATH, catalogue([*faulty()[:3], dataset(3, contactPoint=BAD)]))
    run = portal.run(source)["id"]
    kinds = {each["records"]: each["accepted"] for each in all_of()}
    assert kinds.keys() == {1, 2}
    assert (kinds[1], (kinds[2] or {})["until"]) == (None, ahead(90))
    assert with_problems() == 2
    assert call_action("ukharvest_run_show", id=run)["counts"]["with_problems"] == 1
    assert call_action("ukharvest_run_show", id=first)["counts"]["with_problems"] == 1
    page = app.get(PAGE, headers=dict(admin["headers"])).body
    assert "The mailbox is being moved" in page
    assert "Accept this problem" in page
    assert accept(admin, until=ahead(30)) == {"records": 3}
    assert (group()["accepted"], group()["records"]) == ({**kinds[2], "until": ahead(30)}, 3)


def test_kind_can_be_accepted_for_records_that_get_it_later(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, admin: Person
) -> None:
    sent = {**EMAIL, "reason": "Known", "until": ahead(90), "new_records": "true"}
    headers = dict(admin["headers"])
    again = app.post(ACCEPT, data={**sent, "until": "never"}, headers=headers).body
    assert 'name="new_records" value="true" checked' in again
    app.post(ACCEPT, data=sent, headers=headers)
    publisher.serve(
        PATH, catalogue([*faulty()[:3], *(dataset(n, contactPoint=BAD) for n in (3, 5))])
    )
    run = portal.run(source)["id"]
    assert ((group()["accepted"] or {})["until"], group()["records"]) == (ahead(90), 4)
    assert call_action("ukharvest_run_show", id=run)["counts"]["with_problems"] == 0
    assert decide(admin["name"], decision="list") == {"records": 4}
    publisher.serve(
        PATH, catalogue([*faulty()[:3], *(dataset(n, contactPoint=BAD) for n in (3, 5, 6))])
    )
    portal.run(source)
    assert (group()["accepted"], group()["records"]) == (None, 5)


def test_entries_of_a_list_are_one_kind(
    portal: Portal, publisher: Publisher, source: str, admin: Person
) -> None:
    files = [{"downloadURL": f"https://data.example/{n}", "mediaType": "tables"} for n in (1, 2)]
    publisher.serve(PATH, catalogue([*faulty(), dataset(5, distribution=files)]))
    portal.run(source)
    [kind] = [each for each in groups() if each["field"].startswith("distribution.")]
    assert (kind["records"], kind["occurrences"]) == (1, 2)
    accept(admin, code=kind["code"], field=kind["field"])
    portal.run(source, force=True)
    after = group(kind["code"])
    assert (after["accepted"] or {})["until"] == ahead(90)
    assert after["occurrences"] == 2


def test_accepted_kind_comes_back_when_its_day_is_over(
    portal: Portal, source: str, admin: Person
) -> None:
    accept(admin)
    yesterday = dt.date.fromisoformat(ahead(-1))
    for table in ("ukharvest_decision SET until", "ukharvest_problem SET accepted_until"):
        model.Session.execute(
            sa.text(f"UPDATE {table} = :day WHERE code = 'bad-email'"),  # noqa: S608 - ours
            {"day": yesterday},
        )
    model.Session.commit()
    assert group()["accepted"] is None
    assert with_problems() == 3
    portal.run(source, force=True)
    assert group()["accepted"] is None


def test_administrator_lists_an_accepted_kind_again(
    portal: Portal, source: str, admin: Person
) -> None:
    accept(admin)
    assert decide(admin["name"], decision="list") == {"records": 2}
    assert (group()["accepted"], with_problems()) == (None, 3)
    rows = call_action("ukharvest_decision_list", source=source)["results"]
    assert [(row["decision"], row["user"], row["code"]) for row in rows] == [
        ("problem listed again", admin["name"], "bad-email"),
        ("problem accepted", admin["name"], "bad-email"),
    ]
    accept(admin)
    assert group()["accepted"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"reason": ""}, "reason"),
        ({"reason": "   "}, "reason"),
        ({"reason": "x" * 1001}, "reason"),
        ({"until": ""}, "until"),
        ({"until": "next year"}, "until"),
        ({"until": 0}, "until"),
        ({"until": 366}, "until"),
        ({"code": "bad-size"}, "code"),
        ({"code": "missing-title", "field": ""}, "code"),
        ({"code": "html-page", "field": ""}, "code"),
        ({"code": "broken-link", "field": ""}, "code"),
        ({"field": "title"}, "code"),
        ({"decision": "forget"}, "decision"),
    ],
)
def test_acceptance_needs_reason_day_and_a_problem_that_can_be_accepted(
    portal: Portal, source: str, admin: Person, fields: dict[str, Any], wrong: str
) -> None:
    given = {"decision": "accept", "reason": "Known", "until": 365, **fields}
    if isinstance(given["until"], int):  # days from now: midnight may come after the collection
        given["until"] = ahead(given["until"])
    with pytest.raises(tk.ValidationError) as refused:
        decide(admin["name"], **given)
    assert wrong in refused.value.error_dict
    assert model.Session.query(Decision).count() == 0


def test_error_that_keeps_a_dataset_out_cannot_be_accepted(
    portal: Portal, source: str, admin: Person
) -> None:
    assert group("missing-title")["can_be_accepted"] is False
    with pytest.raises(tk.ValidationError) as refused:
        accept(admin, code="missing-title", field="")
    assert "keeps datasets out" in str(refused.value.error_dict)


def test_editor_sees_accepted_kinds_and_cannot_accept(
    app: CKANTestApp, portal: Portal, source: str, organization: dict[str, str], admin: Person
) -> None:
    editor = member(organization, "editor")
    with pytest.raises(tk.NotAuthorized):
        accept(editor)
    headers = dict(editor["headers"])
    page = app.get(PAGE, headers=headers).body
    assert "Email address cannot be used" in page
    assert "Accept this problem" not in page
    app.get(ACCEPT, query_string=EMAIL, headers=headers, status=403)
    app.post(ACCEPT, data={**EMAIL, "decision": "list"}, headers=headers, status=403)
    accept(admin)
    page = app.get(PAGE, headers=headers).body
    assert "The mailbox is being moved" in page
    assert "List this problem again" not in page


def test_administrator_accepts_on_the_page_without_scripts(
    app: CKANTestApp, portal: Portal, source: str, admin: Person
) -> None:
    headers = dict(admin["headers"])
    assert "Accept this problem" in app.get(PAGE, headers=headers).body
    form = app.get(ACCEPT, query_string=EMAIL, headers=headers).body
    assert "Accept this problem: Email address cannot be used (contactPoint.hasEmail)" in form
    assert "Records: 2" in form
    sent = {**EMAIL, "reason": "Being <b>moved</b>", "until": ahead(400)}
    refused = app.post(ACCEPT, data=sent, headers=headers).body
    assert "Choose a day from tomorrow to a year from now." in refused
    assert "Being &lt;b&gt;moved&lt;/b&gt;</textarea>" in refused
    sent["until"] = ahead(30)
    answer = app.post(ACCEPT, data=sent, headers=headers, follow_redirects=False)
    assert answer.headers["Location"].endswith(PAGE)
    page = app.get(PAGE, headers=headers).body
    assert "Being &lt;b&gt;moved&lt;/b&gt;" in page
    assert "Problems: 1" in page
    # Among the accepted ones, and nowhere else.
    titles = html.fromstring(page).xpath("//*[@class='ukharvest-problem-title']")
    of_email = [each for each in titles if "Email address" in each.text]
    assert [len(each.xpath("ancestor::*[@id='accepted']")) for each in of_email] == [1]
    app.post(ACCEPT, data={**EMAIL, "decision": "list"}, headers=headers)
    assert group()["accepted"] is None


def test_kinds_are_by_severity_and_weight_and_three_are_open(
    app: CKANTestApp, portal: Portal, publisher: Publisher, admin: Person, source: str
) -> None:
    unlicensed = [
        dataset(n, license="as you like", contactPoint=BAD, modified="soon", distribution=[])
        for n in range(5, 8)
    ]
    empty = {"accessURL": "ftp//nowhere", "mediaType": "text"}
    unreachable = [dataset(n, distribution=[empty], temporal="ever") for n in range(8, 10)]
    publisher.serve(PATH, catalogue([*faulty(), *unlicensed, *unreachable]))
    portal.run(source)
    listed = groups()
    assert len(listed) > 5
    weights = [(each["severity"] != "lost", -each["priority"]) for each in listed]
    assert weights == sorted(weights)
    headers = dict(admin["headers"])
    body = app.get(PAGE, headers=headers).body
    kinds = html.fromstring(body).xpath("//details[summary/span[@class='ukharvest-problem-title']]")
    assert [kind.xpath("string(summary/span[1])") for kind in kinds] == [
        each["title"] for each in listed
    ]
    assert [kind.get("open") is not None for kind in kinds] == [True] * 3 + [False] * (
        len(listed) - 3
    )
    assert all(kind.xpath("ul/li//bdi") for kind in kinds)
    assert f"{PAGE}.csv?code=missing-title" in body
    assert (group("no-resources")["priority"], group("missing-title")["priority"]) == (24, 20)
    accept(admin)
    overview = app.get("/harvest/somewhere", headers=headers).body
    assert "Email address" not in overview


def test_rules_of_the_standard_are_folded_with_one_figure(
    app: CKANTestApp, portal: Portal, publisher: Publisher, admin: Person
) -> None:
    for number in (1, 2):
        text = gemini_dataset(uuid(number))
        publisher.serve(f"/waf/{number}.xml", text, headers={"Content-Type": "application/xml"})
    links = '<li><a href="1.xml">1.xml</a></li><li><a href="2.xml">2.xml</a></li>'
    publisher.serve("/waf/", f"<html><body><ul>{links}</ul></body></html>")
    source = portal.source(publisher.url("/waf/"), "gemini-waf", name="rivers")
    portal.run(source)
    rules = [each for each in groups(source_id=source) if each["standard"]]
    defects = [each for each in groups(source_id=source) if not each["standard"]]
    assert {each["standard"] for each in rules} == {"GEMINI 2.3"}
    assert {each["in_standard"] for each in rules} == {2}
    headers = dict(admin["headers"])
    for path in ("/harvest/rivers", "/harvest/rivers/problems"):
        page = app.get(path, headers=headers).body
        assert "GEMINI 2.3 conformity" in page
        assert page.count("2 records do not meet all rules of the standard") == 1
    assert rules[0]["title"] in page
    assert page.index("GEMINI 2.3 conformity") < page.index(rules[0]["title"])
    assert all(page.index(each["title"]) < page.index("conformity") for each in defects)
    assert rules[0]["title"] not in app.get("/harvest/rivers", headers=headers).body
    kind = {key: rules[0][key] for key in ("code", "field")}
    accept(admin, source_id="rivers", **kind)
    left = [each for each in groups(source_id=source) if each["standard"] and not each["accepted"]]
    assert len(left) == len(rules) - 1


def test_csv_names_the_last_day_of_the_acceptance(
    app: CKANTestApp, portal: Portal, source: str, admin: Person
) -> None:
    accept(admin)
    answer = app.get(f"{PAGE}.csv?code=bad-email", headers=dict(admin["headers"]))
    rows = list(csv.DictReader(io.StringIO(answer.body)))
    assert [row["accepted_until"] for row in rows] == [ahead(90)] * 2
