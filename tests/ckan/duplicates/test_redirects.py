"""Addresses of datasets that were joined."""

from __future__ import annotations

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.catalogues import dataset
from tests.ckan.duplicates.joining import listed, run
from tests.ckan.harvesting import Portal, act
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_page_leads_on_over_two_joins(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    run(portal, publisher, "/1.json", [dataset(1)])
    (first,) = portal.datasets()
    for number in (2, 3):
        there = {each["id"] for each in portal.datasets()}
        record = dataset(1, identifier=f"https://{number}.example/id/1")
        run(portal, publisher, f"/{number}.json", [record])
        (last,) = [each for each in portal.datasets() if each["id"] not in there]
        (pair,) = listed()["results"]
        act("ukharvest_duplicate_decide", id=pair["id"], decision="same", keep=last["id"])
    page = app.get(f"/dataset/{first['name']}", follow_redirects=False)
    assert page.headers["Location"].endswith(f"/dataset/{last['name']}")
    # Another dataset has taken the name, and visitors do not see it.
    act("dataset_purge", id=first["id"])
    factories.Dataset(name=first["name"], owner_org=portal.organization_id, private=True)
    page = app.get(f"/dataset/{first['name']}", follow_redirects=False)
    assert not page.headers.get("Location", "").endswith(f"/dataset/{last['name']}")
