"""Pages of checks of data."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.data_checks.checked_data import (
    FACET,
    GOOD,
    SCHEMA,
    TABLE,
    cells,
    harvest,
    make,
    page_of,
    serve_table,
    show,
)
from tests.ckan.harvesting import act
from tests.ckan.links.place import Place, work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


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
