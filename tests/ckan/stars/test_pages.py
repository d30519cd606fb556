"""Stars by organisation: figures, page and CSV."""

from __future__ import annotations

import csv
import io

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.stars.model import StarRating

pytestmark = pytest.mark.in_process


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
    total = call_action("ukharvest_stars_list", group_by="organization")["total"]
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
