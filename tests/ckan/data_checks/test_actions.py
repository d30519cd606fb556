"""Results of checks of data by the actions, and who may check again."""

from __future__ import annotations

from collections import Counter

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.data_checks.checked_data import (
    GOOD,
    make,
    page_of,
    serve_table,
    show,
)
from tests.ckan.harvesting import act, statements
from tests.ckan.links.place import queued, work
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_package_show_has_the_result_and_nothing_is_stored(
    data: Publisher, app: CKANTestApp
) -> None:
    resource = make(data)
    plain = factories.Dataset(resources=[{"url": "http://127.0.0.1:1/1.csv"}])
    work()
    url = "/api/3/action/package_show?id="
    with statements("ukharvest_data_check") as sent:
        (shown,) = app.get(url + resource["package_id"]).json["result"]["resources"]
    assert len(sent) == 1
    assert shown["data_check"]["summary"] == "3 errors in 4 rows"
    assert "data_check" not in act("package_show", id=resource["package_id"])["resources"][0]
    # A client may send back what it was given; the next answer has the result once, as it is then.
    answer = app.get(url + resource["package_id"]).json["result"]
    act("package_update", **answer)
    data.requests.clear()
    serve_table(data, GOOD)
    work()
    (shown,) = app.get(url + resource["package_id"]).json["result"]["resources"]
    assert shown["data_check"]["verdict"] == "valid"
    with statements("ukharvest_data_check") as sent:
        app.get(url + plain["id"])
    assert sent == []


def test_check_again_is_for_editors(
    data: Publisher, app: CKANTestApp, organization: dict[str, str]
) -> None:
    resource = make(data, owner_org=organization["id"])
    work()
    stranger, headers = factories.UserWithToken(), member(organization)["headers"]
    assert page_of(app, resource, headers=headers).xpath(".//form")
    assert not page_of(app, resource).xpath(".//form")
    url = f"/dataset/{resource['package_id']}/resource/{resource['id']}/data-check"
    data.requests.clear()
    assert app.post(url, headers={"Authorization": stranger["token"]}).status_code == 403
    work()
    assert data.paths == []
    serve_table(data, GOOD)
    app.post(url, headers=headers)
    assert len(queued()) == 1
    work()
    assert Counter(data.paths) == {"/parks.csv": 2, "/schema.json": 1}
    assert show(resource)["verdict"] == "valid"
