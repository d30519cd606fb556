"""Actions of links check the user."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action, call_auth

from tests.ckan.harvesting import act
from tests.ckan.links.place import Place, work
from tests.ckan.people import member

pytestmark = pytest.mark.in_process


def test_link_actions_check_the_user(place: Place, organization: dict[str, str]) -> None:
    place.harvest()
    act("package_patch", id=place.dataset["id"], private=True)
    editor, stranger = member(organization), factories.User()
    asked = {
        "ukharvest_link_show": {"id": place.resource["id"]},
        "ukharvest_link_check": {"id": place.dataset["id"]},
        "ukharvest_link_list": {"source": "rivers"},
    }
    for name, fields in asked.items():
        assert call_auth(name, {"user": editor["name"], "model": model}, **fields)
        for other in (stranger["name"], ""):
            with pytest.raises(tk.NotAuthorized):
                call_auth(name, {"user": other, "model": model}, **fields)
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_link_list", {"user": editor["name"], "model": model})
    resource_id = place.resource["id"]
    work()
    act("resource_delete", id=resource_id)
    for name, id_ in (
        ("ukharvest_link_show", "nowhere"),
        ("ukharvest_link_show", resource_id),
        ("ukharvest_link_check", "nowhere"),
    ):
        with pytest.raises(tk.ObjectNotFound):
            call_action(name, id=id_)
