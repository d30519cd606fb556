"""Stars of all datasets in one pass, and their figures by organisation."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from click.testing import CliRunner, Result

from ckanext.ukharvest import compat
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.stars import doctor as stars_checks
from ckanext.ukharvest.stars import jobs as star_jobs
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import Portal, act, statements

pytestmark = pytest.mark.in_process

OGL = "uk-ogl"


@pytest.fixture
def councils() -> dict[str, str]:
    """Two councils with eight datasets, one of them private, and one without an organisation."""
    ids = {
        name: factories.Organization(name=name, title=title)["id"]
        for name, title in (("a-council", " =A council"), ("b-council", "B council"))
    }
    of_a = [("CSV", OGL), ("CSV", OGL), ("PDF", OGL), ("CSV", ""), ("CSV", "other-closed")]
    of_b = [("TTL", OGL), ("HTML", OGL)]
    for org, kinds in (("a-council", of_a), ("b-council", of_b)):
        for number, (format_, licence) in enumerate(kinds):
            _make(f"{org}-{number}", ids[org], format_, licence)
    _make("b-council-private", ids["b-council"], "CSV", OGL, private=True)
    _make("nobodys", None, "XLS", OGL)
    return ids


def _make(name: str, organisation: str | None, format_: str, licence: str, **more: Any) -> None:
    resource = {"url": "https://files.example/data", "format": format_}
    act(
        "package_create",
        name=name,
        title=f"Title of {name}",
        owner_org=organisation,
        license_id=licence,
        resources=[resource],
        **more,
    )


def report(**more: Any) -> dict[str, Any]:
    model.Session.remove()
    return dict(call_action("ukharvest_stars_list", group_by="organization", **more))


# The same figures by plain SQL over the table.
RECOUNT = """
SELECT coalesce(o.name, '') AS organization,
       count(*) AS datasets,
       count(*) FILTER (WHERE a.stars = 0) AS "0",
       count(*) FILTER (WHERE a.stars = 1) AS "1",
       count(*) FILTER (WHERE a.stars = 2) AS "2",
       count(*) FILTER (WHERE a.stars = 3) AS "3",
       count(*) FILTER (WHERE a.stars = 4) AS "4",
       count(*) FILTER (WHERE a.stars = 5) AS "5",
       coalesce(round(avg(a.stars), 2)::text, '') AS average,
       count(*) FILTER (WHERE a.package_id IS NULL) AS not_rated
FROM package AS d
LEFT JOIN "group" AS o ON o.id = d.owner_org
LEFT JOIN ukharvest_stars AS a ON a.package_id = d.id
WHERE d.state = 'active' AND d.type = 'dataset' AND NOT d.private
GROUP BY o.name ORDER BY o.name NULLS LAST
"""


def test_the_figures_equal_a_recount(app: CKANTestApp, councils: dict[str, str]) -> None:
    model.Session.execute(
        sa.delete(StarRating).where(StarRating.package_id == model.Package.get("a-council-1").id)
    )
    model.Session.commit()
    rows = model.Session.execute(sa.text(RECOUNT)).mappings().all()
    recount = [{key: str(value) for key, value in row.items()} for row in rows]
    table = list(csv.DictReader(io.StringIO(app.get("/harvest/stars.csv").body)))
    figures = [{key: row[key] for key in recount[0]} for row in table]
    for row in figures:
        row["average"] = f"{float(row['average']):.2f}"
    assert figures == recount
    assert [row["organization"] for row in figures] == ["a-council", "b-council", ""]
    total = report()["total"]
    assert total["datasets"] == sum(int(row["datasets"]) for row in recount) == 8
    average = model.Session.scalar(
        sa.text(
            "SELECT round(avg(stars), 2) FROM ukharvest_stars JOIN package AS d "
            "ON d.id = package_id WHERE NOT d.private"
        )
    )
    assert total["average"] == float(average)
    for stars in range(6):
        assert total["stars"][stars] == sum(int(row[str(stars)]) for row in recount)


def test_of_one_organisation(councils: dict[str, str]) -> None:
    found = report(organization="a-council")
    [figures] = found["organizations"]
    assert (figures["name"], figures["title"], figures["datasets"]) == (
        "a-council",
        " =A council",
        5,
    )
    assert figures["stars"] == [2, 1, 0, 2, 0, 0]
    assert (figures["average"], figures["not_rated"]) == (1.4, 0)
    assert [(each["datasets"], each["stars"], each["text"]) for each in figures["reasons"]] == [
        (2, 3, "Structured data in an open format (CSV)"),
        (1, 0, "Licence that is not open. Choose an open one if you can"),
        (1, 1, "Unstructured data (PDF)"),
        (1, 0, "No licence. Choose one, such as the Open Government Licence"),
    ]
    assert found["total"]["stars"] == figures["stars"]
    with pytest.raises(tk.ObjectNotFound):
        report(organization="nobody")
    listed = call_action("ukharvest_stars_list", organization="b-council")
    assert listed["count"] == 2
    assert [(each["name"], each["stars"], each["code"]) for each in listed["results"]] == [
        ("b-council-1", 0, "not-data"),
        ("b-council-0", 4, "format"),
    ]
    assert listed["results"][1]["text"] == "4 out of 5: Linkable data, with URLs for things (TTL)"
    few = call_action("ukharvest_stars_list", organization="a-council", stars=3, limit=1, offset=1)
    assert (few["count"], [each["name"] for each in few["results"]]) == (2, ["a-council-1"])
    beyond = call_action("ukharvest_stars_list", organization="a-council", offset=10**9)
    assert beyond == {"count": 5, "results": []}
    with pytest.raises(tk.ValidationError):  # PostgreSQL has no such number
        call_action("ukharvest_stars_list", organization="a-council", offset=10**30)
    with pytest.raises(tk.ObjectNotFound):
        report(organization={"name": "a-council"})
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_stars_list", organization="")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_stars_list", organization="a-council", stars="many")


def test_the_page_is_accessible_in_each_width(councils: dict[str, str], visitor: Visitor) -> None:
    looks.check(visitor, "stars", "/harvest/stars?organization=a-council&stars=3")


def test_the_page_and_its_csv(app: CKANTestApp, councils: dict[str, str]) -> None:
    page = app.get("/harvest/stars").body
    assert "0 out of 5: Not available, or not openly licensed" in page
    assert "Total" in page
    assert "No organisation" in page
    assert '/harvest/stars?organization=b-council&amp;stars=4">1</a>' in page
    assert "b-council-private" not in page
    one = app.get("/harvest/stars?organization=b-council&stars=4").body
    assert '/dataset/b-council-0">Title of b-council-0</a>: 4 out of 5: Linkable data' in one
    assert "b-council-1" not in one
    assert "b-council-private" not in app.get("/harvest/stars?organization=b-council").body
    for query in ("?organization=nobody", ".csv?organization=nobody"):
        app.get(f"/harvest/stars{query}", status=404)
    app.get("/harvest/stars?organization=b-council&stars=many", status=400)
    for page_number in ("0", "-1", "x"):
        app.get(f"/harvest/stars?organization=b-council&page={page_number}", status=400)
    app.get("/harvest/stars?organization=b-council&page=99999999999999999999", status=200)
    # A spreadsheet executes text that begins like a formula.
    answer = app.get("/harvest/stars.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.body)))
    assert rows[0]["title"] == "'=A council"
    answer = app.get("/harvest/stars.csv?organization=a-council")
    assert 'filename="stars-a-council.csv"' in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.body)))
    assert [row["stars"] for row in rows] == ["0", "0", "1", "3", "3"]
    assert rows[0]["reason"].startswith("No licence.")


@pytest.fixture
def run() -> Callable[..., Result]:
    def invoke(*words: str) -> Result:
        model.Session.remove()
        return CliRunner().invoke(ukharvest, ["stars", *words], catch_exceptions=False)

    return invoke


def test_all_datasets_in_one_pass(
    councils: dict[str, str],
    portal: Portal,
    run: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    portal.source("https://data.example/data.json")
    before = {row.package_id: row.stars for row in model.Session.query(StarRating)}
    assert re.search(r"Scored 9 datasets in \d+ s; 0 changed\.\n", run("--all").output)
    model.Session.execute(sa.update(StarRating).values(stars=5, stars_code="x"))
    model.Session.execute(
        sa.delete(StarRating).where(StarRating.package_id == model.Package.get("a-council-0").id)
    )
    model.Session.commit()
    reset = "b-council-0"  # another reason, but the same number
    model.Session.execute(
        sa.update(StarRating)
        .where(StarRating.package_id == model.Package.get(reset).id)
        .values(stars=4)
    )
    model.Session.commit()
    indexed: list[str] = []
    real = compat.index_packages
    monkeypatch.setattr(
        compat, "index_packages", lambda ids, values: (indexed.extend(ids), real(ids, values))[1]
    )
    said = run("--all").output
    assert len(indexed) == 8
    assert model.Package.get(reset).id not in indexed
    found = call_action("package_search", fq='vocab_ukharvest_stars:"3"', rows=0)
    assert found["count"] == 2
    assert "a-council-0: none → 3 out of 5: Structured data in an open format (CSV)" in said
    assert "b-council-1: 5 out of 5 → 0 out of 5: A page or a program, not data (HTML)" in said
    assert "9 of 9 datasets" in said
    assert re.search(r"Scored 9 datasets in \d+ s; 9 changed\.\n", said)
    model.Session.remove()
    assert {row.package_id: row.stars for row in model.Session.query(StarRating)} == before

    def refuse(*_args: Any) -> None:
        raise compat.IndexFailed("Solr is away")

    monkeypatch.setattr(compat, "index_packages", refuse)
    model.Session.execute(sa.update(StarRating).values(stars=5))
    model.Session.commit()
    run("--all")
    model.Session.remove()
    assert {row.package_id: row.stars for row in model.Session.query(StarRating)} == before
    # The next tick indexes them.
    assert pending_index.measure_backlog(utcnow()).number == 9


def test_pass_costs_the_same_for_three_and_for_nine(
    councils: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost() -> int:
        model.Session.execute(sa.update(StarRating).values(stars_detail="other"))
        model.Session.commit()
        with statements() as sent:
            assert sum(number for number, _changes in star_jobs.score_all()) == 9
        return len(sent)

    whole = cost()
    assert whole <= 8
    monkeypatch.setattr(dataset_rows, "CHUNK", 3)
    assert cost() == 3 * (whole - 1) + 1  # and the last query for more


def test_locked_datasets_are_left_to_their_writer(councils: dict[str, str]) -> None:
    model.Session.remove()
    with model.meta.engine.begin() as writer:
        writer.execute(
            sa.text("UPDATE package SET title = 'New' WHERE name IN ('a-council-0', 'nobodys')")
        )
        done: list[int] = []

        def score() -> None:
            done.extend(number for number, _changes in star_jobs.score_all())
            model.Session.remove()

        thread = threading.Thread(target=score)
        thread.start()
        thread.join(30)
        assert done == [7]  # without waiting


def test_the_command(councils: dict[str, str], run: Callable[..., Result]) -> None:
    said = run("a-council-2").output.splitlines()
    assert said[0].startswith("1 out of 5: Unstructured data (PDF)")
    assert len(said) == 2
    assert "no dataset has this name or id" in run("nobody").output
    for words in ((), ("a-council-2", "--all"), ("--all", "--organization", "a-council")):
        assert run(*words).exit_code == 2
    assert json.loads(run("--report", "--format", "json").output)["total"]["datasets"] == 8
    assert list(stars_checks.unscored_datasets()) == []
    model.Session.execute(sa.delete(StarRating))
    [finding] = stars_checks.unscored_datasets()
    assert finding.message == "Datasets without stars of openness: 9."
    model.Session.rollback()
    table = run("--report").output
    assert "8 datasets, on average 1.63 out of 5" in table
    rows = list(csv.DictReader(io.StringIO(run("--report", "--format", "csv").output)))
    assert [row["3"] for row in rows] == ["2", "0", "0"]
    listed = run("--report", "--organization", "b-council", "--format", "csv").output
    assert [row["dataset"] for row in csv.DictReader(io.StringIO(listed))] == [
        "b-council-1",
        "b-council-0",
    ]
    assert "Nothing has this name" in run("--report", "--organization", "nobody").output
