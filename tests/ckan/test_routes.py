"""Routes that change state ask first: platform.md 0 items 12 and 13."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
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
    """Everything that the routes could change."""
    Session.remove()
    packages = Session.query(model.Package).filter_by(type="dataset", state="active").count()
    jobs = Session.query(HarvestJob).filter_by(source_id=source)
    return (
        packages,
        jobs.count(),
        Session.get(model.Package, source).state,
        sorted(job.status for job in jobs),
    )


ROUTES = {
    "/harvest/refresh/somewhere": "Harvest now",
    "/harvest/clear/somewhere": "Remove all",
    "/harvest/delete/somewhere": "Delete the source",
    "/harvest/delete/somewhere?clear=True": "Delete the source and remove all",
}


def test_get_changes_nothing_and_asks(
    app: CKANTestApp, source: str, sysadmin: Any, stranger: Any
) -> None:
    # platform.md 0 item 12: the source was inactive after one GET
    before = state(source)
    for route, button in ROUTES.items():
        for address in (route, route.replace("somewhere", source)):
            page = app.get(address, headers=sysadmin)
            assert page.status_code == 200
            assert "“Source 1”" in page.body
            assert "3 datasets" in page.body
            assert 'method="post"' in page.body
            assert f">{button}</button>" in page.body
            assert "_csrf_token" in page.body
        app.get(route, headers=stranger, status=403)
        app.post(route, headers=stranger, status=403)
        assert app.get(route, follow_redirects=False).status_code in (302, 403)
        assert app.post(route, follow_redirects=False).status_code in (302, 403)
    assert state(source) == before
    app.get("/harvest/clear/nothing", headers=sysadmin, status=404)


def test_post_acts_and_goes_back(app: CKANTestApp, source: str, sysadmin: Any) -> None:
    def post(route: str) -> None:
        answer = app.post(route, headers=sysadmin, follow_redirects=False)
        assert answer.status_code == 302
        assert answer.headers["Location"].endswith("/harvest/admin/somewhere")

    post("/harvest/refresh/somewhere")
    assert state(source) == (3, 2, "active", ["Finished", "Running"])
    post("/harvest/refresh/somewhere")  # there is one already: said, not done
    assert state(source)[1] == 2
    post("/harvest/clear/somewhere")
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
    app.post("/harvest/delete/somewhere?clear=True", headers=sysadmin, follow_redirects=False)
    assert state(source)[:3] == (0, 0, "deleted")


def test_stopping_a_job_asks_first(
    app: CKANTestApp, source: str, running: str, sysadmin: Any, stranger: Any
) -> None:
    # platform.md 0 item 12: the route was registered for GET alone
    route = f"/harvest/somewhere/job/{running}/abort"
    page = app.get(route, headers=sysadmin)
    assert ">Stop the job</button>" in page.body
    app.post(route, headers=stranger, status=403)
    app.get("/harvest/somewhere/job/nothing/abort", headers=sysadmin, status=404)
    assert HarvestJob.get(running).status == "Running"
    assert app.post(route, headers=sysadmin, follow_redirects=False).status_code == 302
    Session.remove()
    assert HarvestJob.get(running).status == "Finished"


def test_a_post_without_the_forms_token_is_refused(
    app: CKANTestApp, source: str, monkeypatch: Any
) -> None:
    user = factories.Sysadmin(password="correct horse")
    app.post("/user/login", data={"login": user["name"], "password": "correct horse"})
    monkeypatch.setitem(app.flask_app.config, "WTF_CSRF_ENABLED", True)
    before = state(source)
    for route in ROUTES:
        assert app.post(route, follow_redirects=False).status_code in (400, 403)
    assert state(source) == before


def test_the_pages_of_ckanext_harvest_lead_to_the_question(
    app: CKANTestApp, source: str, running: str, sysadmin: Any
) -> None:
    page = app.get("/harvest/admin/somewhere", headers=sysadmin).body
    assert f"/harvest/clear/{source}" in page
    assert f"/harvest/somewhere/job/{running}/abort" in page
    assert "/harvest/delete/somewhere" in app.get("/harvest/edit/somewhere", headers=sysadmin).body


def test_a_stored_document_is_shown_and_never_run(
    app: CKANTestApp, portal: Portal, source: str, sysadmin: Any
) -> None:
    # platform.md 3.3: stored content was served as it is
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


def test_documents_of_private_datasets_are_not_public(
    app: CKANTestApp, portal: Portal, source: str, sysadmin: Any, stranger: Any
) -> None:
    # platform.md 0 item 13: 200 without login
    first = portal.datasets()[0]
    obj = Session.query(HarvestObject).filter_by(package_id=first["id"]).one()
    route = f"/harvest/object/{obj.id}"
    context = {"ignore_auth": True, "user": factories.Sysadmin()["name"]}
    call_action("package_patch", context, id=first["id"], private=True)
    for address in (route, f"/dataset/harvest_object/{first['id']}"):
        assert app.get(address, follow_redirects=False).status_code in (302, 403)
        app.get(address, headers=stranger, status=403)
        assert app.get(address, headers=sysadmin).status_code == 200
    public = portal.datasets()[1]["name"]
    assert app.get(f"/dataset/harvest_object/{public}").status_code == 200
