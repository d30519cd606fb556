"""The list of harvest sources: permissions, search, order and cost."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import JobReport
from ckanext.ukharvest.sources import model as source_model
from tests.ckan import reads
from tests.ckan.browser import NARROW, Visitor
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, end_runs, statements
from tests.ckan.portal_copies import SourceMaker
from tests.ckan.sources.many_sources import many, rows
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PAGE = "/harvest/"
PATH = "/data.json"


def headers(user: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": factories.APIToken(user=user["name"])["token"]}


@pytest.fixture
def sources(portal: Portal, publisher: Publisher, ready_source: SourceMaker) -> dict[str, str]:
    """A good source and a failing one of our council, and one of another."""
    other = factories.Organization(name="other-council", title="Other Council")
    ids = {
        "good": ready_source(PATH, catalogue(3), name="good", frequency="DAILY"),
        "failing": portal.source(publisher.url("/gone"), name="failing"),
        "theirs": portal.source(
            publisher.url("/catalogue.ttl"), "dcat_rdf", name="theirs", owner_org=other["id"]
        ),
    }
    publisher.serve("/gone", b"", status=404)
    fail(portal, ids["failing"])
    return ids


def fail(portal: Portal, source_id: str) -> None:
    """Make a failed run of a source."""
    job_id = portal.create_job(source_id)
    report = model.Session.query(JobReport).filter_by(job_id=job_id).one_or_none()
    if report is None:
        report = JobReport(job_id=job_id, source_id=source_id, counts={})
        model.Session.add(report)
    report.outcome, report.reason = "failed", "secret error text"
    model.Session.flush()
    model.Session.execute(
        sa.text("UPDATE harvest_job SET status = 'Finished', finished = now() WHERE id = :id"),
        {"id": job_id},
    )
    end_runs()


def list_sources(user: str = "", **more: Any) -> dict[str, Any]:
    model.Session.remove()
    context = {"user": user, "ignore_auth": False}
    return dict(call_action("ukharvest_source_list", context, **more))


def names(answer: dict[str, Any]) -> list[str]:
    return [row["name"] for row in answer["results"]]


def test_everybody_sees_what_there_is(sources: dict[str, str]) -> None:
    answer = list_sources(sort="title")
    assert answer["count"] == 3
    assert answer["managed"] == 0
    assert answer["facets"]["health"] == answer["facets"]["state"] == {}
    rows = {row["name"]: row for row in answer["results"]}
    assert rows["good"]["datasets"] == 3
    assert rows["good"]["last_good_run"].endswith("+00:00")
    assert rows["failing"]["last_good_run"] is None
    for row in rows.values():
        assert not {"health", "state", "last_run", "held_deletions", "since"} & row.keys()
    assert list_sources(health="failing")["count"] == 0


def test_editors_see_how_their_own_are(sources: dict[str, str], editor: dict[str, Any]) -> None:
    answer = list_sources(editor["name"], sort="health")
    assert answer["managed"] == 2
    assert {key: n for key, n in answer["needs_attention"].items() if n} == {"failing": 1}
    assert answer["facets"]["health"] == {"failing": 1, "healthy": 1}
    rows = {row["name"]: row for row in answer["results"]}
    assert names(answer)[0] == "failing"
    assert (rows["failing"]["health"], rows["failing"]["may_manage"]) == ("failing", True)
    assert rows["good"]["last_run"]["counts"]["added"] == 3
    assert not rows["theirs"]["may_manage"]
    assert "health" not in rows["theirs"]
    assert sorted(names(list_sources(editor["name"], mine=True))) == ["failing", "good"]
    assert names(list_sources(editor["name"], health="failing")) == ["failing"]


def test_sysadmins_manage_all(sources: dict[str, str]) -> None:
    answer = list_sources(factories.Sysadmin()["name"], sort="health")
    assert answer["managed"] == 3
    assert names(answer) == ["failing", "theirs", "good"]


def test_source_list_can_be_searched_and_filtered(sources: dict[str, str]) -> None:
    wishes: list[tuple[dict[str, Any], list[str]]] = [
        ({"q": "gone"}, ["failing"]),
        ({"q": "other COUNCIL source"}, ["theirs"]),
        ({"q": "nothing-like-it"}, []),
        ({"organization": "other-council"}, ["theirs"]),
        ({"type": "dcat_rdf"}, ["theirs"]),
        ({"frequency": "DAILY"}, ["good"]),
        ({"limit": 1, "offset": 1}, ["good"]),
        ({"limit": 0}, []),
    ]
    for wish, expected in wishes:
        assert names(list_sources(**wish)) == expected, wish
    answer = list_sources(organization="somewhere-council")
    # A filter counts what the others let through.
    assert answer["facets"]["organization"] == {"somewhere-council": 2, "other-council": 1}
    assert answer["facets"]["type"] == {"data_json": 2}
    assert answer["organizations"]["other-council"] == "Other Council"
    for wrong in ({"sort": "colour"}, {"limit": "many"}):
        with pytest.raises(tk.ValidationError):
            list_sources(**wrong)


def test_private_and_deleted_sources(
    portal: Portal, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    model.Package.get(sources["good"]).private = True
    model.Session.commit()
    act("harvest_source_delete", id=sources["theirs"])
    assert names(list_sources()) == ["failing"]
    assert names(list_sources(include_inactive=True)) == ["failing"]
    assert names(list_sources(editor["name"])) == ["failing", "good"]
    everything = list_sources(factories.Sysadmin()["name"], include_inactive=True)
    assert names(everything) == ["failing", "good", "theirs"]


def test_switched_off_sources_are_listed_on_request(
    sources: dict[str, str], editor: dict[str, Any]
) -> None:
    HarvestSource.get(sources["good"]).active = False
    model.Session.commit()
    answer = list_sources(editor["name"])
    assert names(answer) == ["failing", "theirs"]
    assert answer["facets"]["health"] == {"failing": 1, "off": 1}
    assert names(list_sources(editor["name"], health="off")) == ["good"]


def test_the_page_of_the_public(app: CKANTestApp, sources: dict[str, str]) -> None:
    page = app.get(PAGE).body
    assert "3 sources" in page
    assert page.count("<h1") == 1 + page.count('<h1>\n        <a href="/')
    for word in ("Failing", "secret error text", "Add a harvest source", "Harvesting<", "Order"):
        assert word not in page, word
    assert "/harvest/good" in page
    assert "Manual" in page
    assert app.get("/harvest", status=200)
    assert app.get(PAGE, params={"page": "99"}).status_code == 200
    assert app.get(PAGE, params={"sort": "'", "health": "<b>"}).status_code == 200


def test_the_page_of_an_editor(
    app: CKANTestApp, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    page = " ".join(app.get(PAGE, headers=editor["headers"]).body.split())
    assert "My organisations (2)" in page
    assert "Other (1)" in page
    assert "Add a harvest source" in page
    assert "secret error text" not in page
    assert '<li class="dropdown active">' in page
    nothing = app.get(PAGE, params={"q": "zzzz", "health": "failing"}, headers=editor["headers"])
    assert "No sources match." in nothing.body
    assert "Status: Failing" in nothing.body


@pytest.mark.usefixtures("portal")
def test_a_portal_without_sources(app: CKANTestApp, editor: dict[str, Any]) -> None:
    page = app.get(PAGE).body
    assert "There is no harvest source yet." in page
    assert "Add the first source" not in page
    assert "Add the first source" in app.get(PAGE, headers=editor["headers"]).body


def test_the_link_in_the_header(
    app: CKANTestApp, editor: dict[str, Any], ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def has_link(**more: Any) -> bool:
        return ">Harvesting</a>" in app.get("/about", **more).body

    stranger = factories.User()
    assert has_link(headers=editor["headers"])
    assert not has_link()
    assert not has_link(headers=headers(stranger))
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.nav", "everyone")
    assert has_link()
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.nav", "nobody")
    assert not has_link(headers=editor["headers"])


def test_an_organisation_leads_to_its_sources(app: CKANTestApp, sources: dict[str, str]) -> None:
    page = app.get("/organization/somewhere-council").body
    assert "Harvest sources (2)" in page
    assert "/harvest/?organization=somewhere-council" in page
    factories.Organization(name="without")
    assert "Harvest sources (" not in app.get("/organization/without").body


def test_the_notice_is_for_those_who_look_after_sources(
    app: CKANTestApp, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    act("ukharvest_notice_update", text="No runs <b>on Sunday</b>")
    assert "No runs" not in app.get(PAGE).body
    assert "No runs &lt;b&gt;on Sunday" in app.get(PAGE, headers=editor["headers"]).body


def long_history(source_id: str, count: int) -> None:
    """Insert failed runs, all of other harvesters, which are never pruned."""
    ids = {"source": source_id, "count": count}
    for statement in (
        "INSERT INTO harvest_job (id, source_id, status, created, gather_started, finished)"
        " SELECT 'old-' || n, :source, 'Finished', at, at, at FROM (SELECT n, now() -"
        " n * interval '1 day' AS at FROM generate_series(1, :count) AS n) AS run",
        "INSERT INTO harvest_gather_error (id, harvest_job_id, message, created)"
        " SELECT id, id, 'no answer', finished FROM harvest_job WHERE id LIKE 'old-%'",
    ):
        model.Session.execute(sa.text(statement), ids)
    model.Session.commit()


def cost(user: str, **more: Any) -> int:
    model.Session.remove()
    with statements() as sent:
        call_action("ukharvest_source_list", {"user": user, "ignore_auth": False}, **more)
    return len(sent)


@pytest.mark.giant
def test_two_thousand_sources(
    app: CKANTestApp, portal: Portal, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    people = {"": {}, editor["name"]: editor["headers"]}
    http_client.delete_from_redis(source_model.KEPT)
    before = {name: cost(name, limit=20, sort="health") for name in people}
    assert max(before.values()) <= 20
    many(2000, portal.organization_id)
    long_history(sources["failing"], 3000)
    assert list_sources(editor["name"])["count"] == 2003
    # An editor's first page has no sources of others any more, which takes one less.
    assert all(cost(name, limit=20, sort="health") <= before[name] for name in people)
    for sent in people.values():
        assert len(app.get(PAGE, headers=sent).data) < 200_000
        reads.check(app, [PAGE], sent, most=25_000)  # some ten for each source
    sysadmin = headers(factories.Sysadmin())
    reads.check(app, [PAGE], sysadmin)
    # The dashboard, which is computed now and then, reads the runs of each source: 584,000.
    reads.check(app, ["/ckan-admin/ukharvest"], sysadmin, most=1_000_000)


def test_filters_are_chosen_on_a_phone(
    visitor: Visitor, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    visitor.page.context.set_extra_http_headers(editor["headers"])
    visitor.page.set_viewport_size(NARROW)
    visitor.page.goto(PAGE)
    visitor.page.get_by_role("link", name="Filters", exact=True).click()
    visitor.page.get_by_role("link", name="Failing (1)").click()
    visitor.page.wait_for_url("**health=failing**")


def test_everybody_can_download_the_sources_and_sees_no_status(
    app: CKANTestApp, sources: dict[str, str]
) -> None:
    failing, good, theirs = rows(app)
    assert [each["name"] for each in (failing, good, theirs)] == ["failing", "good", "theirs"]
    assert (good["type"], good["frequency"], good["datasets"]) == ("data_json", "DAILY", "3")
    assert theirs["organization_title"] == "Other Council"
    assert good["page"].endswith("/harvest/good")
    assert {each["health"] for each in (failing, good, theirs)} == {""}
    assert "secret error text" not in app.get("/harvest/sources.csv").body


def test_the_download_has_the_filters_of_the_page(
    app: CKANTestApp, sources: dict[str, str], editor: dict[str, Any]
) -> None:
    page = app.get(f"{PAGE}?type=dcat_rdf")
    assert "/harvest/sources.csv?type=dcat_rdf" in page.body
    assert [each["name"] for each in rows(app, "?type=dcat_rdf")] == ["theirs"]
    assert [each["name"] for each in rows(app, "?q=other+council")] == ["theirs"]
    assert rows(app, "?q=nothing") == []
    own = rows(app, "?mine=1", headers=editor["headers"])
    assert {each["name"]: each["health"] for each in own} == {
        "good": "healthy",
        "failing": "failing",
    }
