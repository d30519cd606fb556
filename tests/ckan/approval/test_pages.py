"""Ask for approval and decide, as people do in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob, HarvestSource

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]

PATH, PAGE = "/data.json", "/harvest/parking/approval"
User = dict[str, Any]


def test_a_new_source_is_asked_for_and_accepted(
    app: CKANTestApp, portal: Portal, publisher: Publisher, editor: User, sysadmin: User
) -> None:
    publisher.serve(PATH, catalogue(3))
    form = app.get("/harvest/new", headers=editor["headers"]).body
    assert ("Save and ask for approval" in form, "Save only" in form) == (True, False)
    assert "Save and start" in app.get("/harvest/new", headers=sysadmin["headers"]).body
    sent = {"url": publisher.url(PATH), "source_type": "data_json", "title": "Parking"}
    sent |= {"owner_org": portal.organization_id, "save": "run", "name": "parking"}
    saved = app.post("/harvest/new", data=sent, headers=editor["headers"]).body
    assert "Saved. A sysadmin has to accept the source before it runs." in saved
    assert ("Waits for approval" in saved, "Start first run" in saved) == (True, False)
    assert 'href="/harvest/parking/approval"' not in saved
    assert f'href="{PAGE}"' in app.get("/harvest/parking", headers=sysadmin["headers"]).body
    page = app.get(PAGE, headers=sysadmin["headers"]).body
    assert (publisher.url(PATH) in page, editor["name"] in page) == (True, True)
    assert "Accept and start" not in app.get(PAGE, headers=editor["headers"]).body
    app.post(PAGE, data={"choice": "test"}, headers=sysadmin["headers"])
    work()
    assert publisher.paths[0] == PATH
    seen = {"url": publisher.url(PATH), "source_type": "data_json"}
    app.post(PAGE, data={"choice": "run", **seen}, headers=editor["headers"], status=403)
    accepted = app.post(PAGE, data={"choice": "run", **seen}, headers=sysadmin["headers"]).body
    assert "Saved." in accepted
    assert model.Session.query(HarvestJob).count() == 1
    assert "Nothing is waiting" in app.get(PAGE, headers=sysadmin["headers"]).body


def test_a_changed_url_is_tested_asked_for_and_refused(
    app: CKANTestApp, old: str, other: Publisher, editor: User, sysadmin: User
) -> None:
    before = HarvestSource.get(old).url
    form = {"id": old, "title": "Parking", "source_type": "data_json", "url": other.url(PATH)}
    form |= {"frequency": "DAILY", "save": "only"}
    test = app.post("/harvest/edit/parking", data=form, headers=editor["headers"]).request.url
    work()
    page = app.get(test, headers=editor["headers"]).body
    assert ("Ask for approval" in page, "Save the new URL" in page) == (True, False)
    assert "Save the new URL" in app.get(test, headers=sysadmin["headers"]).body
    asked = app.post(f"{test}/move", data={"then": "run"}, headers=editor["headers"]).body
    assert "Until then the source is read at the old one." in asked
    assert "Run now" in asked
    assert HarvestSource.get(old).url == before
    seen = {"url": other.url(PATH), "source_type": "data_json"}
    sent = {"choice": "refuse", "reason": "No <b>agreement</b>", **seen}
    app.post(PAGE, data={**sent, "url": before}, headers=sysadmin["headers"])
    app.post(PAGE, data=sent, headers=sysadmin["headers"])
    shown = app.get("/harvest/parking", headers=editor["headers"]).body
    assert "Not accepted: No &lt;b&gt;agreement" in shown
    assert "Source not accepted" in app.get("/harvest/parking/job", headers=editor["headers"]).body


def test_a_sysadmin_accepts_by_saving_the_tested_url(
    app: CKANTestApp, changed: str, other: Publisher, sysadmin: User
) -> None:
    test = app.post(PAGE, data={"choice": "test"}, headers=sysadmin["headers"]).request.url
    work()
    app.post(f"{test}/move", data={"then": "run"}, headers=sysadmin["headers"])
    model.Session.remove()
    assert HarvestSource.get(changed).url == other.url(PATH)
    kinds = [row["decision"] for row in act("ukharvest_decision_list", source=changed)["results"]]
    assert kinds == ["moved", "source accepted"]
