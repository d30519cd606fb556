"""What it costs to find likely duplicates of written datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories

from ckanext.ukharvest.harvest.identity import likely_duplicates
from tests.ckan.harvesting import Portal

pytestmark = pytest.mark.in_process

URL = "https://maps.example/wms"
OTHERS = sa.text(
    "WITH made AS (INSERT INTO package (id, name, type, state) SELECT md5(n::text),"
    " 'map-' || n, 'dataset', 'active' FROM generate_series(1, 5000) AS n RETURNING id)"
    " INSERT INTO resource (id, package_id, url, state) SELECT id, id, :url, 'active' FROM made"
)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def test_few_files_are_read_of_a_url_that_all_have(portal: Portal) -> None:
    source, written = portal.source("https://data.example/data.json"), []
    for number in range(10):
        files = [{"url": URL, "name": "Map"}]
        id_ = factories.Dataset(owner_org=portal.organization_id, resources=files)["id"]
        written.append({"source_id": source, "guid": str(number), "package_id": id_})
    model.Session.execute(OTHERS, {"url": URL})
    # The server's own time for it may be that of a test before, whose tables were empty.
    model.Session.execute(sa.text("ANALYZE package, resource"))
    explain = sa.text(f"EXPLAIN (ANALYZE, FORMAT JSON) {likely_duplicates._FIND}").bindparams(
        likely_duplicates._ROWS
    )
    given = {"rows": written, **likely_duplicates._MOST}
    [[[explained]]] = model.Session.execute(explain, given).all()
    rows = sum(
        node["Actual Rows"] * node["Actual Loops"]
        for node in nodes(explained["Plan"])
        if any("url = " in str(node.get(key)) for key in ("Filter", "Index Cond"))
    )
    assert 0 < rows < 1000
