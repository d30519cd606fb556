"""States of links as text."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.core.link_states import Layer, LinkResult
from ckanext.ukharvest.harvest.records import links as link_results
from tests.ckan.links.place import RIVERS, Place

pytestmark = pytest.mark.in_process


def test_the_page_says_what_a_link_is(place: Place, app: CKANTestApp) -> None:
    hostile = "<script>alert(1)</script>"
    found = LinkResult(
        place.publisher.url(RIVERS),
        format="WMS",
        version="1.3.0" + hostile,
        layers=(Layer("rivers", "Rivers" + hostile), Layer("\0" + hostile)),
        title="Service" + hostile,
    )
    place.harvest()
    page = f"/dataset/{place.dataset['name']}/resource/{place.resource['id']}"
    assert "WMS 1.3.0" not in app.get(page).body
    link_results.save_link_results([found], 30)
    model.Session.commit()
    body = app.get(page).body
    for part in ("WMS 1.3.0", "2 items", "Checked on", "<details>"):
        assert part in body
    assert "<script>alert(1)" not in body
