"""Data checked against their schema: harvested and hand-made, with the budget of link checks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.data_checks import jobs as data_check_jobs
from ckanext.ukharvest.data_checks.model import DataCheck, DataSchema
from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import act, statements
from tests.ckan.links.place import PATH, Place, queued, work
from tests.ckan.people import member
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process

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


@pytest.fixture(autouse=True)
def _no_pause(_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_check_jobs, "REQUEST", replace(data_check_jobs.REQUEST, delay=0.0))


@pytest.fixture
def data(place: Place) -> Publisher:
    """The publisher, with a table that has three wrong rows and its schema."""
    place.publisher.serve("/schema.json", SCHEMA)
    serve_table(place.publisher, TABLE)
    return place.publisher


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


def test_all_numbers_are_the_same(
    place: Place, data: Publisher, app: CKANTestApp, organization: dict[str, str]
) -> None:
    tables_served = {"/good.csv": GOOD, "/bad.csv": TABLE, "/worse.csv": TABLE * 20}
    for path, text in tables_served.items():
        serve_table(data, text, path)
    files = harvest(place, *tables_served)
    made = make(data, "/nothing.json", owner_org=organization["id"])
    make(data, private=True, owner_org=organization["id"])  # not counted for everybody
    work()
    total = call_action("ukharvest_data_check_list", group_by="organization")["total"]
    counted = {name: total[name] for name in ("valid", "invalid", "unchecked")}

    # By other means: each file read with Python's csv, each row of the table, each page.
    own = {path: recount(text) for path, text in tables_served.items()}
    assert total["errors"] == sum(own.values())
    verdicts = ["valid" if not number else "invalid" for number in own.values()]
    assert counted == {**dict.fromkeys(counted, 0), **Counter([*verdicts, "unchecked"])}
    by_sql = sa.text(
        "SELECT verdict, count(*) FROM ukharvest_data_check c JOIN resource r ON r.id = resource_id"
        " JOIN package p ON p.id = r.package_id WHERE NOT p.private GROUP BY verdict"
    )
    assert dict(map(tuple, model.Session.execute(by_sql))) == counted
    for file in files:
        path = file["url"].removeprefix(data.base)
        assert show(file)["errors"] == own[path]
        if own[path]:
            url = f"/dataset/{file['package_id']}/resource/{file['id']}/data-check.csv"
            assert len(list(csv.DictReader(io.StringIO(app.get(url).body)))) == own[path]
            assert len(cells(page_of(app, file))) >= min(own[path], 20)
    rows = list(csv.DictReader(io.StringIO(app.get("/harvest/data-checks.csv").body)))
    assert Counter(row["verdict"] for row in rows) == counted
    assert sum(int(row["errors"]) for row in rows) == total["errors"]
    listed = html.fromstring(app.get("/harvest/data-checks").body).xpath("//table[1]/tfoot/tr/td")
    if not listed:  # one organisation
        listed = html.fromstring(app.get("/harvest/data-checks").body).xpath("//table[1]/tbody//td")
    numbers = [int(each.text_content().replace(",", "")) for each in listed]
    assert numbers == [sum(counted.values()), *counted.values(), total["errors"]]
    # The facet counts datasets: each verdict of its files once.
    facet = act("package_search", **{"facet.field": [FACET], "include_private": False})
    found = {each["name"]: each["count"] for each in facet["search_facets"][FACET]["items"]}
    assert found == {"valid": 1, "invalid": 1, "unchecked": 1}
    for verdict in counted:
        names = {each["name"] for each in act("package_search", fq=f"{FACET}:{verdict}")["results"]}
        assert names == {row["dataset"] for row in rows if row["verdict"] == verdict}
    assert show(made)["verdict"] == "unchecked"
    by_schema = call_action("ukharvest_data_check_list", group_by="schema")["schemas"]
    assert sum(each["resources"] for each in by_schema) == len(rows)


def recount(text: str) -> int:
    """Count the errors of a table as SCHEMA has them, in another way than the check."""
    errors = 0
    for row in csv.DictReader(io.StringIO(text)):
        errors += not re.fullmatch(r"\d+", row["id"])
        errors += not re.fullmatch(r"(\d{4}-\d\d-\d\d)?", row.get("opened") or "")
        errors += (row.get("kind") or "park") not in ("park", "wood")
    return errors


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


def test_the_dashboard_counts_files(data: Publisher, app: CKANTestApp) -> None:
    make(data)
    work()
    assert data_check_jobs.load_figures() == {"invalid": 1, "waiting": 0}
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    body = app.get("/ckan-admin/ukharvest/diagnostics", headers=headers).body
    assert "Data and their schemas" in body
    assert "With errors: 1" in body


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


def test_without_the_extra_schema_the_page_says_what_to_install(
    data: Publisher,
    app: CKANTestApp,
    cli: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    move: Callable[[float], None],
) -> None:
    """The check's process cannot import jsonschema, as on a portal that has not installed it."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['jsonschema'] = None\n")
    data.serve("/parks.json", [{"id": "two"}])
    data.serve("/id.json", {"items": {"properties": {"id": {"type": "integer"}}}})
    own = {"url": data.url("/parks.json"), "schema_url": data.url("/id.json")}
    (resource,) = factories.Dataset(resources=[own])["resources"]
    table = make(data)
    with monkeypatch.context() as without:
        without.setenv("PYTHONPATH", str(tmp_path))
        printed = cli.invoke(ukharvest, ["links", "--check"])
    assert printed.exit_code == 0, printed.output
    install = "pip install 'ckanext-ukharvest[schema]'"
    assert install in printed.output
    assert show(table)["errors"] == 3  # tables need nothing more
    found = show(resource)
    assert (found["verdict"], found["errors"]) == ("unchecked", 0)
    assert install in found["reason"]
    section = page_of(app, resource)
    assert f"Not checked: {found['reason']}" in section.text_content()
    assert not section.xpath(".//table|.//h3")
    # Once it is installed, the next check finds the error, though nothing was published anew.
    move(31)
    work()
    assert show(resource)["errors"] == 1


def test_results_of_an_earlier_version_are_shown_as_before(
    data: Publisher, app: CKANTestApp
) -> None:
    resource = make(data)
    work()
    model.Session.execute(
        sa.text("UPDATE ukharvest_data_check SET report = report::jsonb - 'sample' - 'columns'")
    )
    model.Session.commit()
    assert_three_faults(app, resource)
    assert not page_of(app, resource).xpath(".//h3")


def test_a_listed_schema_has_its_title_and_number_of_fields(
    data: Publisher, app: CKANTestApp
) -> None:
    url = "http://schemas.opendata.esd.org.uk/spend/spend.json?v=0.41"
    own = {"url": data.url("/parks.csv"), "schema_url": url}
    (resource,) = factories.Dataset(resources=[own])["resources"]
    assert show(resource)["schema_fields"] == 22
    text = " ".join(page_of(app, resource).text_content().split())
    assert "Schema: Expenditure exceeding £500" in text


def test_the_weekly_mail_has_a_line(place: Place, data: Publisher) -> None:
    harvest(place, "/parks.csv")
    work()
    act("ukharvest_mail_update", source_id=place.source, addresses=["a@b.example"], weekly="needed")
    (told,) = notification_model.sources()
    states = source_status.load_statuses([place.source])
    notes = mails.notes_of([place.source])
    letter = mails.compose_weekly([(told, states[place.source])], notes)
    assert "1 file does not follow its schema" in str(letter.lines)
    assert "schema" not in str(mails.compose_weekly([(told, states[place.source])], {}).lines)


def test_data_errors_page_is_accessible_and_harmless(data: Publisher, visitor: Visitor) -> None:
    hostile = "".join(f"7,{text},park\n" for text in ("<script>alert(1)</script>", "x" * 300))
    lines = (TABLE + hostile + "8,x\n").splitlines()
    more = [f"c{n}" for n in range(110)]  # a wide table
    lines = [",".join((lines[0], *more)), *(",".join((line, *more)) for line in lines[1:])]
    data.serve("/schema.json", {**SCHEMA, "fieldsMatch": "subset"})
    serve_table(data, "\n".join(lines))
    resource = make(data)
    page = f"/dataset/{resource['package_id']}/resource/{resource['id']}"
    looks.know_stock(visitor, page)
    work()
    looks.check(
        visitor, "data-check", page, beside=page, region=".ukharvest-data-check", is_own=False
    )
    looks.assert_harmless(visitor.page)
    visitor.page.goto(page)
    wrong = visitor.page.locator(".ukharvest-fault").filter(has_text="last May")
    assert not wrong.locator("p").is_visible()
    wrong.locator("summary").press("Enter")
    wrong.locator("p").wait_for(state="visible")
    looks.check(visitor, "data-checks", "/harvest/data-checks")
