"""Results of link checks on pages, in actions, by the command and by the doctor."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from tests.ckan.links.place import Place, work
from tests.ckan.people import member

pytestmark = pytest.mark.in_process


def test_internal_link_is_reported_to_its_editors(
    place: Place, app: CKANTestApp, organization: dict[str, str]
) -> None:
    place.publish("http://10.20.30.40/maps")
    place.harvest()
    # The run's own tick has queued a job.
    asked = call_action("ukharvest_link_check", id=place.dataset["id"])
    assert asked == {"links": 1, "queued": False}
    assert place.link() == {}
    work()
    assert place.formats == [""]
    editor, stranger = member(organization), factories.UserWithToken()
    why = place.link(user=editor["name"], ignore_auth=False)["why"]
    assert "10.20.30.40" in why
    assert place.link(user=stranger["name"], ignore_auth=False)["why"] == ""
    assert place.link(user="", ignore_auth=False)["why"] == ""
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert (
        "could not be identified" in app.get(page, headers={"Authorization": editor["token"]}).body
    )
    assert "could not be identified" not in app.get(page).body
    (row,) = call_action("ukharvest_link_list", source="rivers", unknown=True)["results"]
    assert (row["why"], row["dataset"]) == (why, place.dataset["name"])
