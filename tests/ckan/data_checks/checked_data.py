"""Data with a schema, and their checks."""

from __future__ import annotations

import csv
import io
from typing import Any

from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.links.place import PATH, Place
from tests.publisher import Publisher, Response

SCHEMA = {
    "fields": [
        {"name": "id", "type": "integer", "constraints": {"required": True}},
        {"name": "opened", "type": "date"},
        {"name": "kind", "type": "string", "constraints": {"enum": ["park", "wood"]}},
    ]
}
TABLE = "id,opened,kind\n1,2026-01-02,park\n2,last May,wood\n3,,lake\n,2026-03-01,park\n"
GOOD = "id,opened,kind\n1,,park\n"
FAULTS = {3: "opened", 4: "kind", 5: "id"}  # row → column, of TABLE
FACET = "vocab_ukharvest_data_check"


def serve_table(publisher: Publisher, text: str, path: str = "/parks.csv", etag: str = "") -> None:
    kind = {"Content-Type": "text/csv"}
    publisher.routes[path] = Response(text.encode(), headers=kind, etag=etag)


def make(publisher: Publisher, schema: str = "/schema.json", **fields: Any) -> dict[str, Any]:
    """Make a dataset by hand whose resource has a schema; return the resource."""
    own = {"url": publisher.url("/parks.csv"), "name": "Parks", "format": "CSV"}
    resource = {**own, "schema_url": publisher.url(schema)}
    return dict(factories.Dataset(resources=[resource], **fields)["resources"][0])


def show(resource: dict[str, Any]) -> dict[str, Any]:
    return dict(call_action("ukharvest_data_check_show", id=resource["id"]))


def page_of(app: CKANTestApp, resource: dict[str, Any], **more: Any) -> html.HtmlElement:
    url = f"/dataset/{resource['package_id']}/resource/{resource['id']}"
    found = html.fromstring(app.get(url, **more).body)
    (section,) = found.xpath("//section[@id='ukharvest-data-check']")
    return section


def cells(section: html.HtmlElement) -> list[list[str]]:
    rows = section.xpath("./table[1]/tbody/tr")  # of errors
    return [[cell.text_content().strip() for cell in row.xpath("./td|./th")] for row in rows]


def assert_three_faults(app: CKANTestApp, resource: dict[str, Any]) -> None:
    section = page_of(app, resource)
    assert "3 errors in 4 rows" in section.text_content()
    shown = {int(row[0]): row[1] for row in cells(section) if row[0].isdecimal()}
    assert FAULTS.items() <= shown.items()
    url = f"/dataset/{resource['package_id']}/resource/{resource['id']}/data-check.csv"
    rows = list(csv.DictReader(io.StringIO(app.get(url).body)))
    assert {int(row["row"]): row["column"] for row in rows} == FAULTS


def harvest(place: Place, *paths: str, schema: str = "/schema.json") -> list[dict[str, Any]]:
    """Harvest a dataset whose files have a schema; return its resources."""
    publisher = place.publisher
    files = [
        {
            "title": path,
            "downloadURL": publisher.url(path),
            "describedBy": publisher.url(schema),
            "mediaType": "text/csv",
        }
        for path in paths
    ]
    publisher.serve(PATH, catalogue([dataset(1, distribution=files)]))
    place.harvest()
    return list(place.dataset["resources"])
