"""Data checked against their schema: harvested and hand-made, with the budget of link checks."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.data_checks import jobs as data_check_jobs
from ckanext.ukharvest.data_checks.model import DataCheck, DataSchema
from ckanext.ukharvest.harvest import background
from tests.ckan.data_checks.checked_data import (
    FACET,
    FAULTS,
    SCHEMA,
    TABLE,
    assert_three_faults,
    harvest,
    make,
    page_of,
    serve_table,
    show,
)
from tests.ckan.harvesting import act
from tests.ckan.links.place import Place, work
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process


@pytest.fixture(autouse=True)
def _no_pause(no_pauses: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_check_jobs, "REQUEST", replace(data_check_jobs.REQUEST, delay=0.0))


def assert_marked(app: CKANTestApp, resource: dict[str, Any]) -> None:
    """Fail unless the page has the table's rows with the three wrong cells marked, and columns."""
    section = page_of(app, resource)
    (sample,) = section.xpath(".//table[contains(@class, 'ukharvest-sample')]")
    rows = list(csv.reader(io.StringIO(TABLE)))
    shown = sample.xpath("./thead/tr") + sample.xpath("./tbody/tr")
    assert len(shown) == len(rows)
    for number, (cells_, row) in enumerate(zip(rows, shown, strict=True), 1):
        for name, text, cell in zip(rows[0], cells_, row.xpath("./td|./th")[1:], strict=True):
            marks = [mark.text_content() for mark in cell.xpath("./details/summary/mark")]
            is_wrong = FAULTS.get(number) == name
            assert marks == ([text or "–"] if is_wrong else []), (number, name)
            assert is_wrong or cell.text_content().strip() == text
            assert ("Expected" in cell.text_content()) == is_wrong
    columns = {row[0]: row[1:] for row in table_of(section, "Columns of the file")}
    assert columns == {
        "id": ["Whole number", "1", "3", "1", "3"],
        "opened": ["Date (1 cell is not)", "2026-01-02", "2026-03-01", "1", "3"],
        "kind": ["Text", "lake", "wood", "0", "3"],
    }


def table_of(section: html.HtmlElement, heading: str) -> list[list[str]]:
    (rows,) = section.xpath(f"./details[./summary/h3='{heading}']/table/tbody")
    return [[cell.text_content().strip() for cell in row.xpath("./td|./th")] for row in rows]


def test_three_wrong_rows_of_a_harvested_and_a_hand_made_dataset(
    place: Place, data: Publisher, app: CKANTestApp
) -> None:
    serve_table(data, TABLE, "/woods.csv")
    (harvested,) = harvest(place, "/woods.csv")
    made = make(data)
    assert show(made) == {
        "schema_url": data.url("/schema.json"),
        "schema_title": data.url("/schema.json"),
        "schema_fields": None,
        "schema_error": "",
        "is_pending": True,
    }
    assert "Not checked yet" in page_of(app, made).text_content()
    place.new_requests()
    work()
    for resource in (harvested, made):
        assert_three_faults(app, resource)
        assert_marked(app, resource)
    # One request for the schema of both; one for the link and one for the data of each.
    asked = Counter(place.new_requests())
    assert asked == {"/schema.json": 1, "/parks.csv": 2, "/woods.csv": 2}


def test_unchanged_data_file_is_not_read_again(
    data: Publisher, move: Callable[[float], None]
) -> None:
    long = TABLE + "9,,park\n" * 20_000  # longer than what a link check reads
    serve_table(data, long, etag='"1"')
    resource = make(data)
    work()
    first = show(resource)
    assert first["errors"] == 3
    data.requests.clear()
    work()
    assert data.paths == []
    move(31)  # the month's check: of the link, and of the data by their ETag
    work()
    assert Counter(data.paths) == {"/parks.csv": 2, "/schema.json": 1}
    assert show(resource)["found"] == first["found"]
    data.serve("/schema.json", {"fields": SCHEMA["fields"][:2]})
    move(31)
    work()
    assert show(resource)["errors"] == 3  # a column more than the schema has, and two wrong rows
    serve_table(data, "id,opened\n1,2026-01-02\n", etag='"2"')
    move(31)
    work()
    assert (show(resource)["verdict"], show(resource)["summary"]) == ("valid", "Valid")


def test_a_schema_that_is_not_there_blocks_nothing(
    data: Publisher, app: CKANTestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        data_check_jobs, "REQUEST", replace(data_check_jobs.REQUEST, read=0.5, total=3)
    )
    pieces = (b" " * 1_000_000 for _ in range(200))
    data.routes["/huge.json"] = Response(pieces)
    data.routes["/silent.json"] = Response(hang=True)
    data.serve("/page.json", "<html><body>Our schemas</body></html>")
    resources = {path: make(data, path) for path in ("/gone.json", "/huge.json", "/silent.json")}
    page, good = make(data, "/page.json"), make(data)
    work()
    texts = {"/gone.json": "404", "/huge.json": "5 MB", "/silent.json": "silent.json"}
    for path, resource in resources.items():
        found = show(resource)
        assert (found["verdict"], found["errors"]) == ("unchecked", 0)
        assert texts[path] in found["reason"], found["reason"]
        assert found["reason"] in page_of(app, resource).text_content()
    assert show(page)["verdict"] == "unchecked"
    assert show(good)["errors"] == 3
    assert not model.Session.query(DataSchema).filter_by(checksum="").filter_by(error="").count()
    # It costs no second request on the same day.
    data.requests.clear()
    work()
    assert data.paths == []


def test_a_schema_that_comes_back_is_used(data: Publisher, move: Callable[[float], None]) -> None:
    del data.routes["/schema.json"]
    resource = make(data)
    work()
    assert "404" in show(resource)["reason"]
    data.serve("/schema.json", SCHEMA)
    move(1.1)
    work()
    assert show(resource)["errors"] == 3
    del data.routes["/schema.json"]
    move(31)
    work()
    found = show(resource)  # the copy is still there
    assert (found["errors"], "404" in found["schema_error"]) == (3, True)


def test_data_that_cannot_be_read_keep_their_result(
    data: Publisher, move: Callable[[float], None]
) -> None:
    resource = make(data)
    work()
    del data.routes["/parks.csv"]
    move(31)
    work()
    assert show(resource)["errors"] == 3
    act("resource_patch", id=resource["id"], url=data.url("/other.csv"))
    assert show(resource)["is_pending"]
    work()
    assert "does not work" in show(resource)["reason"]


def test_the_schema_of_a_dataset_counts_for_its_tables(data: Publisher) -> None:
    data.serve("/about.html", "<html><body>About</body></html>")
    extras = [{"key": "schema", "value": json.dumps([data.url("/schema.json")])}]
    urls = (data.url("/parks.csv"), data.url("/about.html"))
    made = factories.Dataset(resources=[{"url": url} for url in urls], extras=extras)
    work()
    table, page = made["resources"]
    assert show(table)["errors"] == 3
    assert show(page) == {}
    act("package_patch", id=made["id"], extras=[])
    assert show(table) == {}
    work()
    assert model.Session.query(DataCheck).count() == 0
    assert act("package_search", fq=f"{FACET}:[* TO *]")["count"] == 0


def test_the_budget_is_that_of_links(data: Publisher, ckan_config: Any, cli: Any) -> None:
    resource = make(data)
    ckan_config["ckanext.ukharvest.links.requests_per_day"] = 7
    try:
        work()
        assert data.paths.count("/schema.json") == 1  # six more might have been too many
        assert show(resource)["is_pending"]
    finally:
        del ckan_config["ckanext.ukharvest.links.requests_per_day"]
    output = cli.invoke(ukharvest, ["links", "--check"]).output
    assert "3 errors in 4 rows" in output
    assert "1 file checked against a schema: 0 valid, 1 with errors" in output
    spent = background.spent_today()
    assert (spent.requests, spent.links) == (len(data.paths), 1)


def test_without_schemas_nothing_is_done(data: Publisher, ckan_config: Any) -> None:
    factories.Dataset(resources=[{"url": data.url("/parks.csv")}])
    work()
    assert data.paths == ["/parks.csv"]
    resource = make(data)
    ckan_config["ckanext.ukharvest.data_checks.check"] = False
    try:
        work()
    finally:
        del ckan_config["ckanext.ukharvest.data_checks.check"]
    assert show(resource)["is_pending"]


def test_a_schema_in_a_private_network_is_not_requested(data: Publisher) -> None:
    own = {"url": data.url("/parks.csv"), "schema_url": "http://10.20.30.40/schema.json"}
    (resource,) = factories.Dataset(resources=[own])["resources"]
    work()
    assert "10.20.30.40" in show(resource)["reason"]
    assert data.paths == ["/parks.csv"]


def test_json_against_json_schema(data: Publisher) -> None:
    data.serve("/parks.json", [{"id": 1}, {"id": "two"}])
    data.serve("/id.json", {"items": {"properties": {"id": {"type": "integer"}}}, "type": "array"})
    own = {"url": data.url("/parks.json"), "schema_url": data.url("/id.json")}
    (resource,) = factories.Dataset(resources=[own])["resources"]
    work()
    assert show(resource)["errors"] == 1
