"""Rows and columns of a checked table: what is shown of them, and how much."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import pytest

from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.report import (
    FIRST_ROWS,
    MAX_CELL,
    MAX_COLUMNS,
    ColumnSummary,
    DataReport,
    Limits,
)
from ckanext.ukharvest.schema_check.table_check import MAX_DISTINCT
from tests.schema_check.support import check, table, to_bytes

BIG = ("12345678901234567890", "12345678901234567891")  # one number for a computer's float
TEXTS = table({"name": "a"}, fieldsMatch="partial")


def _check(schema: Any, data: Any, **limits: Any) -> DataReport:
    return check_data(io.BytesIO(to_bytes(data)), to_bytes(schema), Limits(**limits))


def _rows(report: DataReport) -> list[dict[str, Any]]:
    assert report.sample
    return list(report.sample["rows"])


def _marked(report: DataReport) -> dict[int, list[int | None]]:
    """Return the positions of marked cells by row; None stands for the whole row."""
    assert report.sample
    rows = (report.sample["header"], *report.sample["rows"])
    return {row["row"]: [each["cell"] for each in row["faults"]] for row in rows if row["faults"]}


def _column(values: list[str], *, schema: Any = TEXTS) -> ColumnSummary:
    rows = "\n".join(f'"{value}",x' for value in values)
    return check(schema, f"a,b\n{rows}\n").columns[0]


def test_first_rows_and_rows_with_the_first_errors_are_shown() -> None:
    schema = table({"name": "n", "type": "integer"}, {"name": "b"})
    lines = [f"{n},b" for n in range(1, 1000)]
    for n in (5, *range(500, 600)):
        lines[n] = f"x{n},b"
    report = _check(schema, "n,b\n" + "\n".join(lines))
    faults = [each.row for each in report.findings]
    assert len(faults) == 20
    assert [row["row"] for row in _rows(report)] == [*range(2, FIRST_ROWS + 2), *faults[1:]]
    assert _marked(report) == {row: [0] for row in faults}


def test_marked_cells_agree_with_the_errors() -> None:
    schema = table(
        {"name": "id", "type": "integer", "constraints": {"unique": True}},
        {"name": "day", "type": "date"},
        {"name": "kind", "constraints": {"enum": ["park", "wood"], "required": True}},
        primaryKey=["day", "kind"],
    )
    data = "id,day,kind\n1,2026-01-02,park\n1,last May, \n3\n\n4,2026-01-02,park\n"
    report = _check(schema, data)
    assert _marked(report) == {3: [0, 1, 2], 4: [None], 5: [None], 6: [1, 2]}
    by_row: dict[int, list[str]] = {}
    for each in report.findings:
        by_row.setdefault(each.row, []).append(each.expected)
    for row in _rows(report):
        assert sorted({each["expected"] for each in row["faults"]}) == sorted(
            by_row.get(row["row"], [])
        )
    assert [row["cells"] for row in _rows(report)][1] == ["1", "last May", "[space]"]


def test_all_errors_of_the_first_rows_are_marked() -> None:
    names = [f"c{n}" for n in range(30)]
    schema = table(*({"name": name, "type": "integer"} for name in names))
    report = _check(schema, "\n".join(map(",".join, (names, ["x"] * 30, ["y"] * 30))))
    assert len(report.findings) == 20
    assert _marked(report) == {2: [*range(30)], 3: [*range(30)]}


def test_names_of_the_header_are_marked() -> None:
    schema = table({"name": "Name"}, {"name": "Amount"})
    assert _marked(_check(schema, "name,Amount,more,,Amount\n1,2,3,4,5\n"))[1] == [3, 4, 0, 2, 4]
    # Which name is missing, no cell of the header shows.
    assert _marked(_check(schema, "Name\n1\n")) == {1: [None]}


def test_a_file_with_another_header_shows_its_first_rows() -> None:
    report = _check(TEXTS, "x,y\n" + "1,2\n" * 50)
    assert (report.errors, report.findings[0].code) == (1, "no-header")
    assert len(_rows(report)) == FIRST_ROWS
    assert (_marked(report), report.columns) == ({1: [None]}, ())


def test_a_row_of_another_width_is_shown_as_it_is() -> None:
    report = _check(TEXTS, "a,b\n1,2,3\n4\n5,6\n")
    assert [row["cells"] for row in _rows(report)] == [["1", "2", "3"], ["4"], ["5", "6"]]
    assert [each["found"] for row in _rows(report) for each in row["faults"]] == [
        "3 cells",
        "1 cell",
    ]
    assert (report.columns[0].smallest, report.columns[0].distinct) == ("5", 1)


def test_wide_and_long_tables_are_cut() -> None:
    width = MAX_COLUMNS + 50
    names = [f"c{n}" for n in range(width)]
    schema = table(*({"name": name, "type": "integer"} for name in names))
    long = ["9" * 30_000, *(["1"] * (width - 2)), "x" * 30_000]
    report = _check(schema, "\n".join(map(",".join, (names, long, *([["1"] * width] * 2000)))))
    assert len(report.columns) == MAX_COLUMNS
    assert report.sample
    assert report.sample["header"]["left_out"] == 50
    for row in report.sample["rows"]:
        assert len(row["cells"]) == MAX_COLUMNS
        assert all(len(cell) <= MAX_CELL for cell in row["cells"])
    assert len(report.sample["rows"]) == FIRST_ROWS
    # A cell that is not shown is told with its row, and names its column.
    (first, last) = report.sample["rows"][0]["faults"]
    assert (first["cell"], last["cell"], last["column"]) == (0, None, names[-1])
    assert all(len(each.smallest) <= MAX_CELL for each in report.columns)
    assert len(str(report.as_dict())) < 200_000


def test_data_that_are_no_table_have_neither() -> None:
    found = _check({"type": "array"}, "[1, 2]").as_dict()
    assert (found["sample"], found["columns"]) == (None, [])


def test_a_stopped_check_shows_the_rows_that_it_read() -> None:
    report = _check(TEXTS, "a,b\n" + "1,2\n" * 500, rows=100)
    assert report.stopped
    assert (len(_rows(report)), report.columns[0].name) == (FIRST_ROWS, "a")


@pytest.mark.parametrize(
    ("values", "kind", "smallest", "largest", "others"),
    [
        (["10", "9", "-3", "+2", "007"], "integer", "-3", "10", 0),
        (["10", "9.5", "1e3", ".5", "1."], "number", ".5", "1e3", 0),
        (["12345678901234567891", "12345678901234567890"], "integer", *BIG, 0),
        (["10", "9", "£8"], "integer", "9", "10", 1),
        (["1,200", "£3", "about 5"], "string", "1,200", "£3", 0),
        (["2026-05-31", "2025-12-01"], "date", "2025-12-01", "2026-05-31", 0),
        (["31/05/2026", "1/6/2026", "02/12/2025"], "date", "02/12/2025", "1/6/2026", 0),
        (["31/05/2026", "2025-06-01", "soon"], "date", "2025-06-01", "31/05/2026", 1),
        (["2026-02-30", "2026-02-31"], "string", "2026-02-30", "2026-02-31", 0),
        (
            ["2026-05-31T10:00:00+02:00", "2026-05-31T09:00:00Z", "2026-05-31"],
            "datetime",
            "2026-05-31",
            "2026-05-31T09:00:00Z",
            0,
        ),
        (["pear", "Apple", "fig"], "string", "Apple", "pear", 0),
        (["10", "9", "a", "b"], "string", "10", "b", 0),
        (["", " ", ""], "", "", "", 0),
        (["NaN", "INF", "nan"], "string", "INF", "nan", 0),
    ],
)
def test_columns_have_type_smallest_and_largest_value(
    values: list[str], kind: str, smallest: str, largest: str, others: int
) -> None:
    found = _column(values)
    assert (found.type, found.smallest, found.largest) == (kind, smallest, largest)
    assert found.others == others


def test_empty_cells_and_different_values_are_counted() -> None:
    schema = table({"name": "a"}, fieldsMatch="partial", missingValues=["", "NA"])
    found = _column(["", " ", "NA", "x", "y", "x", "X"], schema=schema)
    assert asdict(found) == {
        "name": "a",
        "type": "string",
        "others": 0,
        "empty": 3,
        "smallest": "X",
        "largest": "y",
        "distinct": 3,
        "has_more": False,
    }


@pytest.mark.parametrize("beginning", ["", "long " * 50])
def test_different_values_are_counted_up_to_a_number(beginning: str) -> None:
    values = [f"{beginning}{n:05}" for n in range(MAX_DISTINCT)]
    found = _column(values * 2)
    assert (found.distinct, found.has_more) == (MAX_DISTINCT, False)
    found = _column([*values, f"{beginning}{MAX_DISTINCT:05}"])
    assert (found.distinct, found.has_more) == (MAX_DISTINCT, True)
