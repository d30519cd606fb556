"""Routes that change state ask for confirmation."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

PATH = "/data.json"
Session = model.Session


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH), name="somewhere")
    portal.run(source)
    return source


@pytest.fixture
def sysadmin() -> dict[str, str]:
    return {"Authorization": factories.SysadminWithToken()["token"]}


@pytest.fixture
def stranger() -> dict[str, str]:
    return {"Authorization": factories.UserWithToken()["token"]}


@pytest.fixture
def running(portal: Portal, source: str) -> str:
    job_id = portal.create_job(source)
    portal.gather(job_id, force=True)
    Session.remove()
    return job_id


def state(source: str) -> tuple[int, int, str, list[str]]:
    """Return everything that the routes could change."""
    Session.remove()
    packages = Session.query(model.Package).filter_by(type="dataset", state="active").count()
    jobs = Session.query(HarvestJob).filter_by(source_id=source)
    return (
        packages,
        jobs.count(),
        Session.get(model.Package, source).state,
        sorted(job.status for job in jobs),
    )


def jobs(source: str) -> list[str]:
    """Return the ids of the source's jobs, the newest last."""
    query = Session.query(HarvestJob.id).filter_by(source_id=source).order_by(HarvestJob.created)
    return [row[0] for row in query]


ROUTES = {
    "/harvest/refresh/somewhere": ("Run now - Source 1", "Run now"),
    "/harvest/refresh/somewhere?mode=force": ("Run again in full - Source 1", "Run again in full"),
    "/harvest/somewhere/switch-off": ("Switch off - Source 1", "Switch off"),
    "/harvest/somewhere/switch-on": ("Switch on - Source 1", "Switch on"),
    "/harvest/clear/somewhere": ("Delete all its datasets - Source 1", "Delete all its datasets"),
    "/harvest/delete/somewhere": ("Switch off - Source 1", "Switch off"),
    "/harvest/delete/somewhere?clear=True": (
        "Switch off and delete all its datasets - Source 1",
        "Switch off and delete all its datasets",
    ),
}
REMOVING = {"name": "somewhere", "count": "3"}


def test_get_changes_nothing_and_asks(
    app: CKANTestApp, source: str, sysadmin: Any, stranger: Any
) -> None:
    # Stock: the source was inactive after one GET
    before = state(source)
    for route, (question, button) in ROUTES.items():
        page = app.get(route, headers=sysadmin, status=200).body
        assert f"<title>{question}" in page
        assert page.count("<h1") == 1
        assert "3 datasets" in page
        assert 'method="post"' in page
        assert f">{button}</button>" in page
        assert "_csrf_token" in page
        assert 'href="/harvest/somewhere/problems"' in page  # a tab of the source's pages
        app.get(route, headers=stranger, status=403)
        app.post(route, headers=stranger, status=403)
        assert app.get(route, follow_redirects=False).status_code in (302, 403)
        assert app.post(route, follow_redirects=False).status_code in (302, 403)
    assert app.get(f"/harvest/clear/{source}", headers=sysadmin).status_code == 200
    assert state(source) == before
    Session.get(model.Package, source).private = True
    Session.commit()
    for unseen in ("nothing", "somewhere"):  # a user who may not see it gets 404
        app.get(f"/harvest/clear/{unseen}", headers=stranger, status=404)


def test_post_acts_and_goes_back(
    app: CKANTestApp, portal: Portal, source: str, sysadmin: Any
) -> None:
    def post(route: str, **sent: str) -> None:
        answer = app.post(route, data=sent, headers=sysadmin, follow_redirects=False)
        assert answer.status_code == 302
        assert answer.headers["Location"].endswith("/harvest/somewhere")

    post("/harvest/refresh/somewhere")
    assert state(source) == (3, 2, "active", ["Finished", "Running"])
    post("/harvest/refresh/somewhere")  # there is one already: shown, not done
    assert state(source)[1] == 2
    refused = {"name": "elsewhere", "count": "3"}, {"name": "somewhere", "count": "4"}, {}
    for route in ("/harvest/clear/somewhere", "/harvest/delete/somewhere?clear=1"):
        for sent in refused:
            page = app.post(route, data=sent, headers=sysadmin, status=200).body
            assert "<title>Error: " in page
    assert state(source)[::2] == (3, "active")
    assert portal.consumers
    portal.consumers.wait(jobs(source)[-1])
    portal.finish(jobs(source)[-1])
    post("/harvest/clear/somewhere", **REMOVING)
    assert state(source) == (0, 0, "active", [])
    post("/harvest/delete/somewhere")
    assert state(source)[2] == "deleted"
    assert not HarvestSource.get(source).active
    post("/harvest/refresh/somewhere")
    assert state(source)[1] == 0


def test_delete_keeps_the_datasets_and_delete_and_clear_does_not(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, sysadmin: Any
) -> None:
    app.post("/harvest/delete/somewhere", headers=sysadmin, follow_redirects=False)
    assert state(source)[:3] == (3, 1, "deleted")
    page = app.post("/harvest/delete/somewhere?clear=True", data=REMOVING, headers=sysadmin)
    assert "Switched off" in page.body
    assert "datasets are kept" not in page.body
    assert state(source)[:3] == (0, 0, "deleted")


@pytest.mark.in_process  # consumers would import what waits
def test_stopping_a_job_asks_first(
    app: CKANTestApp, source: str, running: str, sysadmin: Any, stranger: Any
) -> None:
    # Stock: the route is registered only for GET
    route = f"/harvest/somewhere/job/{running}/abort"
    page = app.get(route, headers=sysadmin)
    assert ">Stop the run</button>" in page.body
    app.post(route, headers=stranger, status=403)
    app.get("/harvest/somewhere/job/nothing/abort", headers=sysadmin, status=404)
    assert HarvestJob.get(running).status == "Running"
    assert app.post(route, headers=sysadmin, follow_redirects=False).status_code == 302
    Session.remove()
    assert HarvestJob.get(running).status == "Finished"


def test_the_pages_of_ckanext_harvest_lead_to_the_question(
    app: CKANTestApp, source: str, running: str, sysadmin: Any
) -> None:
    page = app.get("/harvest/admin/somewhere", headers=sysadmin).body
    assert f"/harvest/somewhere/job/{running}/abort" in page
    assert "/harvest/delete/somewhere" in app.get("/harvest/edit/somewhere", headers=sysadmin).body


def test_a_stored_document_is_shown_and_never_run(
    app: CKANTestApp, portal: Portal, source: str, sysadmin: Any
) -> None:
    # Stock: stored content was served unchanged
    first = portal.datasets()[0]
    obj = Session.query(HarvestObject).filter_by(package_id=first["id"]).one()
    kinds = {
        '{"a": "é"}': "application/json; charset=utf-8",
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>': (
            "application/xml; charset=utf-8"
        ),
        "<html><script>alert(1)</script></html>": "text/plain; charset=utf-8",
        "@prefix dcat: <http://www.w3.org/ns/dcat#> .": "text/plain; charset=utf-8",
    }
    for content, kind in kinds.items():
        HarvestObject.get(obj.id).content = content
        Session.commit()
        for route in (f"/harvest/object/{obj.id}", f"/dataset/harvest_object/{first['name']}"):
            answer = app.get(route)
            assert answer.body == content
            assert answer.headers["Content-Type"] == kind
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    HarvestObject.get(obj.id).content = None
    Session.commit()
    app.get(f"/harvest/object/{obj.id}", status=404)
    app.get("/harvest/object/nothing", status=404)
