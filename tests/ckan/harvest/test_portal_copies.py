"""Copies of harvested portals that tests start from: equal to what a run makes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ckan import model
from ckan.lib.search.common import make_connection
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.conftest import empty_portal
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal, figures
from tests.ckan.portal_copies import (
    Rows,
    SourceMaker,
    new_rows,
    read_keys,
    read_rows,
    site_user_id,
)
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

XML = {"Content-Type": "application/xml"}
TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?")
IN_INDEX = "_version_", "indexed_ts"


def state_of(portal: Portal, before: Rows) -> dict[str, Any]:
    """Return all that a portal holds and answers, without times and the site's user.

    Args:
        before: the rows that were there before the source.
    """
    user = site_user_id()

    def plain(value: Any) -> str:
        text = json.dumps(value, sort_keys=True, default=str)
        return TIME.sub("time", text.replace(user, "user"))

    indexed = [
        {key: value for key, value in document.items() if key not in IN_INDEX}
        for document in make_connection().search("*:*", rows=100, sort="index_id asc").docs
    ]
    found = call_action("package_search", q="*:*", rows=100, sort="name asc")
    return {
        "rows": {
            name: sorted(plain(row) for row in rows)
            for name, rows in new_rows(before, read_rows()).items()
        },
        "keys": sorted(read_keys()),
        "shown": [plain(dataset) for dataset in portal.datasets()],
        "found": plain(found),
        "indexed": [plain(document) for document in indexed],
    }


def package_hashes() -> list[str]:
    """Return the hashes that tell whether a dataset comes out as before."""
    model.Session.remove()
    return [row[0] for row in model.Session.query(Record.package_hash).order_by(Record.id)]


CHANGED = catalogue([dataset(number, description="Changed.") for number in range(4)])


@pytest.mark.parametrize(
    ("type_", "then"),
    [("data_json", []), ("data_json", [CHANGED]), ("gemini-single", [])],
    ids=["data_json", "two runs", "gemini-single"],
)
def test_copy_of_a_portal_equals_what_the_run_made(
    portal: Portal, publisher: Publisher, ready_source: SourceMaker, type_: str, then: list[Any]
) -> None:
    body = catalogue(4) if type_ == "data_json" else gemini("copied", "Copied rivers").encode()
    headers = {} if type_ == "data_json" else XML
    count = 4 if type_ == "data_json" else 1
    before = read_rows()
    given: dict[str, Any] = {"headers": headers, "then": then, "name": "copied"}
    given["frequency"] = "DAILY"
    ready_source("/copied", body, type_, **given)
    harvested, requests = state_of(portal, before), [*publisher.requests]
    assert len(harvested["shown"]) == count
    assert sum(map(len, harvested["rows"].values())) > 10

    empty_portal()
    before = read_rows()
    portal.number = 0
    publisher.requests.clear()
    ready_source.key = ready_source.key[:-1]
    source = ready_source("/copied", body, type_, **given)
    assert publisher.requests == requests  # the very same: nothing was asked again
    copied = state_of(portal, before)
    for part in harvested:
        assert copied[part] == harvested[part], part

    assert figures(portal.run(source)) == {"not modified": count}
    assert len(publisher.requests) > len(requests)
    assert [dataset["state"] for dataset in portal.datasets()] == ["active"] * count
    hashes = package_hashes()
    assert figures(portal.run(source, force=True)) == {"updated": count}
    assert package_hashes() == hashes
