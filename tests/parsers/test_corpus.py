"""One value, one answer: each value is the same in every format that can carry it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.parsers.completion import complete
from tests.parsers import carriers
from tests.parsers.corpus import CORPUS, OGL

Answer = Callable[[DatasetRecord], Any]
FEE = "Commercial use requires permission and a fee"
RESERVED = "Not for commercial use. Permission required."
INTERNAL = "For internal use within the council only"
URI = "http://statistics.data.gov.uk/id/statistical-geography/E09000007"
KEPT = "the text, in an extra"


def _agent(agent: Any) -> Any:
    return (agent.name, agent.email, agent.url) if agent else None


def _place(record: DatasetRecord) -> Any:
    if record.spatial is None:
        return record.spatial_text or record.extras.get("spatial_uri", "")
    box = tuple(round(side, 2) for side in bounds(dict(record.spatial)))
    return (record.spatial["type"], *box)


# Kind of value → what a record has of it, and the codes of problems that are about it.
ANSWERS: dict[str, tuple[Answer, set[str]]] = {
    "terms": (lambda record: record.licence and record.licence.id, {"unknown-licence"}),
    "language": (lambda record: record.language, {"bad-language"}),
    "modified": (lambda record: record.modified, {"bad-date"}),
    "issued": (lambda record: record.issued, {"bad-date"}),
    "place": (_place, {"bad-spatial", "swapped-coordinates", "converted-extent"}),
    "latitude_first": (_place, {"bad-spatial", "swapped-coordinates", "converted-extent"}),
    "point": (_place, {"bad-spatial", "swapped-coordinates", "converted-extent"}),
    "size": (lambda record: record.resources[0].size, {"bad-size"}),
    "frequency": (lambda record: record.frequency, {"bad-frequency"}),
    "email": (lambda record: _agent(record.contact), {"bad-email"}),
    "party": (lambda record: _agent(record.publisher), {"bad-email"}),
    "url": (lambda record: [file.url for file in record.resources], {"bad-url", "relative-url"}),
    "page": (lambda record: record.url, {"bad-url", "relative-url"}),
    "notes": (lambda record: record.notes, set()),
    "title": (lambda record: record.title, set()),
    "tag": (lambda record: record.tags, {"bad-tag"}),
    **dict.fromkeys(
        ("period", "ends", "periods"),
        (
            lambda record: record.temporal and (record.temporal.start, record.temporal.end),
            {"bad-date", "bad-period", "reversed-period"},
        ),
    ),
}

APRIL = ("2010-04-01", "2011-03-31")
LONDON = ("Polygon", -0.13, 51.5, -0.11, 51.51)
GRID_GML = (
    "<gml:Envelope><gml:lowerCorner>530000 180000</gml:lowerCorner>"
    "<gml:upperCorner>531000 181000</gml:upperCorner></gml:Envelope>"
)
ONE_BOX, OTHER_BOX = "-6,50,-5,51", "-3,57,-2,58"
A, B = "https://a.example/a.csv", "https://a.example/b.csv"

# Kind, value or values, answer, codes of problems; KEPT: there is none, and the text is an extra.
ROWS: list[tuple[str, Any, Any, set[str]]] = [
    *(
        ("terms", (OGL, text), licence, {"unknown-licence"} if licence == "" else set())
        for text, licence in {
            FEE: "",
            RESERVED: "",
            INTERNAL: "",
            "© Crown copyright": "uk-ogl",
            "Attribution required": "uk-ogl",
            "No limitations": "uk-ogl",
            "Contains public sector information under the Open Government Licence v3.0": "uk-ogl",
        }.items()
    ),
    ("language", "UK English", ("en",), set()),
    ("language", "English or Welsh", ("en", "cy"), set()),
    ("language", "English, Welsh", ("en", "cy"), set()),
    ("language", "eng; cym", ("en", "cy"), set()),
    ("language", "en|cy", ("en", "cy"), set()),
    ("language", "eng; USA", ("en",), set()),
    ("language", "not applicable", (), {"bad-language"}),
    *(
        ("period", text, period, set())
        for text, period in {
            "2010/11": APRIL,
            "FY 2010-11": APRIL,
            "2001/02 - 2010/11": ("2001-04-01", "2011-03-31"),
            "2019/05": ("2019-05", "2019-05"),
            "04/2019": ("2019-04", "2019-04"),
            "2014-01-01/9999-12-31": ("2014-01-01", ""),
            "2014-01-01/2014-12-31/P1D": ("2014-01-01", "2014-12-31"),
            "http://reference.data.gov.uk/id/government-quarter/2013-2014/Q1": (
                "2013-04-01",
                "2013-06-30",
            ),
            "2009-01-01/Present": ("2009-01-01", ""),
            "../2015": ("", "2015"),
            "2010-2015": ("2010", "2015"),
            "1 Apr 2014 - 31 Mar 2015": ("2014-04-01", "2015-03-31"),
            "2008-02-15/03-14": ("2008-02-15", "2008-03-14"),
            "2019-01-01/P1Y": ("2019-01-01", "2020-01-01"),
        }.items()
    ),
    ("period", "2009-10", ("2009-10", "2009-10"), {"bad-period"}),
    ("period", "2014/when it ends", ("2014", ""), {"bad-period"}),
    ("ends", ("2010-01-01", "2015-12-31"), ("2010-01-01", "2015-12-31"), set()),
    ("ends", ("2009", "Present"), ("2009", ""), set()),
    ("ends", ("", "2015"), ("", "2015"), set()),
    ("ends", ("2014", "9999-12-31"), ("2014", ""), set()),
    ("ends", ("2010/11", "2011/12"), ("2010-04-01", "2012-03-31"), set()),
    ("ends", ("0001-01-01", "2015"), ("", "2015"), set()),
    ("ends", ("2015-03-31", "2014-04-01"), ("2014-04-01", "2015-03-31"), {"reversed-period"}),
    ("periods", ("1990/1995", "2010/2015"), ("1990", "2015"), set()),
    ("periods", ("2018/2018", "2018-01/2018-03"), ("2018", "2018"), set()),
    *(
        (kind, *row)
        for kind in ("modified", "issued")
        for row in (
            ("31/01/2024", "2024-01-31", set()),
            ("04/2019", "2019-04", set()),
            ("0001-01-01T00:00:00", "", set()),
            ("12/31/2019", KEPT, {"bad-date"}),
            ("2010/11", KEPT, {"bad-date"}),
        )
    ),
    ("place", "-1,50,1,52", ("Polygon", -1, 50, 1, 52), set()),
    ("place", "POLYGON((-1 50, 1 50, 1 52, -1 52, -1 50))", ("Polygon", -1, 50, 1, 52), set()),
    (
        "place",
        "<urn:ogc:def:crs:EPSG::4326> POLYGON((50 -1, 50 1, 52 1, 52 -1, 50 -1))",
        ("Polygon", -1, 50, 1, 52),
        set(),
    ),
    ("place", "530000,180000,531000,181000", LONDON, {"converted-extent"}),
    ("place", "530000 180000 531000 181000", LONDON, {"converted-extent"}),
    ("place", "51.5, -0.12", ("Point", -0.12, 51.5, -0.12, 51.5), set()),
    ("place", "-0.12 51.5", ("Point", -0.12, 51.5, -0.12, 51.5), {"swapped-coordinates"}),
    ("place", GRID_GML, LONDON, {"converted-extent"}),
    ("place", "900000000,1,2,3", KEPT, {"bad-spatial"}),
    ("place", '{"type": "Point", "coordinates": [NaN, 1e999]}', KEPT, {"bad-spatial"}),
    (
        "place",
        '<gml:Point srsName="EPSG:27700"><gml:pos>NaN INF</gml:pos></gml:Point>',
        KEPT,
        {"bad-spatial"},
    ),
    ("place", "SRID=27700;POLYGON(" + "(" * 600 + "1 2" + ")" * 601, KEPT, {"bad-spatial"}),
    ("place", "Camden", "Camden", set()),
    ("place", URI, URI, set()),
    ("place", (ONE_BOX, OTHER_BOX), ("MultiPolygon", -6, 50, -2, 58), set()),
    (
        "latitude_first",
        "530000 180000 530000 181000 531000 181000 531000 180000 530000 180000",
        LONDON,
        {"converted-extent"},
    ),
    ("latitude_first", "50 -1 50 1 52 1 52 -1 50 -1", ("Polygon", -1, 50, 1, 52), set()),
    (
        "latitude_first",
        "100.5 -60.0 100.5 -40.0 170.0 -40.0 170.0 -60.0 100.5 -60.0",
        ("Polygon", 100.5, -60, 170, -40),
        {"swapped-coordinates"},
    ),
    ("point", ("51.5", "-0.12"), ("Point", -0.12, 51.5, -0.12, 51.5), set()),
    ("point", ("180000", "530000"), ("Point", -0.13, 51.5, -0.13, 51.5), {"converted-extent"}),
    ("size", "2048", 2048, set()),
    ("size", "1,234 KB", 1263616, set()),
    ("size", "1,234,567", 1234567, set()),
    ("size", "17.06 KB", 17469, set()),
    ("size", "", None, set()),
    ("size", "rather big", KEPT, {"bad-size"}),
    ("frequency", "Every month", "R/P1M", set()),
    ("frequency", "at dawn", KEPT, {"bad-frequency"}),
    ("frequency", "unknown", "", set()),
    ("email", "c@a.example", ("C", "c@a.example", ""), set()),
    ("email", "mailto:c@a.example", ("C", "c@a.example", ""), set()),
    ("email", "c@a.example; d@a.example", ("C", "c@a.example", ""), {"bad-email"}),
    ("email", "https://a.example/contact", ("C", "", "https://a.example/contact"), set()),
    ("email", "ask at the desk", KEPT, {"bad-email"}),
    ("party", "Parks Trust", ("Parks Trust", "", ""), set()),
    ("party", "Parks Trust <p@a.example>", ("Parks Trust", "p@a.example", ""), set()),
    ("party", "p@a.example", ("", "p@a.example", ""), set()),
    ("party", "https://parks.example/", ("", "", "https://parks.example/"), set()),
    ("party", "<b>Parks</b> &amp; more", ("Parks & more", "", ""), set()),
    ("url", A, [A], set()),
    ("url", f"{A}, {B}", [A, B], {"bad-url"}),
    ("url", f"{A} {B}", [A, B], {"bad-url"}),
    ("url", f"{A}|{B}", [A, B], {"bad-url"}),
    ("url", "https://a.example/a b.csv", ["https://a.example/a%20b.csv"], set()),
    ("url", "https://a.example/wms?a=1&amp;b=2", ["https://a.example/wms?a=1&b=2"], set()),
    ("url", "www.files.example/a.csv", ["https://www.files.example/a.csv"], {"bad-url"}),
    ("page", "https://a.example/page", "https://a.example/page", set()),
    ("page", "www.a.example/page", "https://www.a.example/page", {"bad-url"}),
    ("notes", "See the <title> of each page.", "See the <title> of each page.", set()),
    ("notes", "Styled. <style/> More <b>text</b>.", "Styled. More text.", set()),
    ("notes", "Children\x92s \x96 \x805", "Children’s – €5", set()),
    ("title", "Children\x92s centres", "Children’s centres", set()),
    ("tag", "toilets, health", ("toilets", "health"), set()),
]
# Format and value → answer and codes, where the format's own standard has another.
EXCEPT: dict[tuple[str, Any], tuple[Any, set[str]]] = {
    # GEMINI 2.3, element 26: any text.
    **{
        (name, (OGL, text)): ("", set())
        for standard in ("gemini", "iso_19115-3")
        for name in (f"{standard}-access", f"{standard}-use")
        for text in (FEE, RESERVED, INTERNAL)
    },
    # DKAN 7 prints dates in the order of its site, which other dates and days of the week show.
    ("dkan_7", "12/31/2019"): ("2019-12-31", set()),
    # A cell lists several values, which semicolons separate.
    ("table", "eng; USA"): (("en",), {"bad-language"}),
    # DCAT 3, 6.15.6: a geometry.
    **{
        (name, text): (KEPT, {"bad-spatial"})
        for name in ("dcat-bbox", "sparql-bbox")
        for text in ("Camden", URI)
    },
}


ONE_PLACE = ("dkan_7", "table")  # formats whose field is one text


def _cases() -> list[Any]:
    return [
        pytest.param(kind, value, name, id=f"{kind}-{number}-{name}")
        for number, (kind, value, _answer, _codes) in enumerate(ROWS)
        for name in CORPUS[kind]
        if value != (ONE_BOX, OTHER_BOX) or name not in ONE_PLACE
    ]


@pytest.mark.parametrize(("kind", "value", "name"), _cases())
def test_value_is_the_same_in_every_format(kind: str, value: Any, name: str) -> None:
    (row,) = (row for row in ROWS if row[:2] == (kind, value))
    answer, codes = EXCEPT.get((name, value), row[2:])
    values = value if isinstance(value, tuple) else (value,)
    record = complete(CORPUS[kind][name](*values))
    read, own_codes = ANSWERS[kind]
    assert {problem.code for problem in record.problems} & own_codes == codes
    json.dumps([wording_of(problem.message) for problem in record.problems], allow_nan=False)
    kept = [str(record.extras), *(str(file.extras) for file in record.resources)]
    if answer == KEPT:
        assert not read(record) or kind == "email"
        assert any(values[0] in text for text in kept)
    elif answer == URI:
        assert (record.spatial_text, record.extras["spatial_uri"]) == ("", URI)
    else:
        assert read(record) == answer


def test_point_in_the_indian_ocean_stays_there() -> None:
    record = complete(CORPUS["place"]["data_json"]("-0.12 51.5"))
    assert record.extras["spatial-original"] == "-0.12 51.5"
    sea = complete(replace(record, notes="Corals off Somalia"))
    assert (sea.spatial, sea.extras.get("spatial-original"), len(sea.problems)) == (
        {"type": "Point", "coordinates": [51.5, -0.12]},
        None,
        len(record.problems) - 1,
    )


def test_each_of_several_outlines_is_converted() -> None:
    boxes = "530000 180000 531000 181000", "540000 180000 541000 181000"
    record = carriers.atom("".join(carriers.element("georss:box", box) for box in boxes))
    assert _place(record) == ("MultiPolygon", -0.13, 51.5, 0.03, 51.51)
    assert record.extras["spatial-original"] == "; ".join(boxes)


def test_each_of_several_periods_is_kept_in_every_format() -> None:
    for name, carrier in CORPUS["periods"].items():
        extents = carrier("1990/1995", "2010/2015").extras["temporal-extents"]
        assert '"from": "1990", "to": "1995"' in extents, name
