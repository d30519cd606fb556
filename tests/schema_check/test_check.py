"""The whole check in its own process: results, limits, and schemas that would not end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.report import DataReport, Finding, FindingsCsv, Limits, Verdict
from tests.schema_check.support import lint, table, to_bytes

SPEND = lint(
    ("Supplier", {"required": True}),
    ("Amount", {"type": "float", "required": True}),
    ("Date", {"type": "date"}),
)


def _check(schema: Any, data: Any, **limits: Any) -> DataReport:
    content = None if schema is None else to_bytes(schema)
    return check_data(io.BytesIO(to_bytes(data)), content, Limits(**limits))


def test_three_wrong_rows_are_shown() -> None:
    rows = ["Supplier,Amount,Date"] + [f"S{n},{n}.50,2026-05-31" for n in range(2, 1206)]
    rows[16], rows[99], rows[1203] = "S17,£12.50,2026-05-31", ",1,2026-05-31", "S,1,31/05/2026"
    report = _check(SPEND, "\n".join(rows))
    assert (report.verdict, report.errors, report.checked) == (Verdict.INVALID, 3, 1204)
    assert report.summary == "3 errors in 1,204 rows"
    assert [each.sentence() for each in report.findings] == [
        "row 17, Amount: found '£12.50'; expected a number without commas or signs of a currency,"
        " such as 1200.50",
        "row 100, Supplier: found nothing; expected a value",
        "row 1,204, Date: found '31/05/2026'; expected a date, such as 2026-05-31",
    ]


def test_a_valid_file_is_reported_as_valid() -> None:
    report = _check(SPEND, "Supplier,Amount,Date\nA,1,2026-05-31\n")
    assert (report.verdict, report.summary, report.schema_type) == ("valid", "Valid", "csvlint")


def test_an_unusable_schema_is_reported() -> None:
    report = _check("{", "a\n")
    assert report.verdict is Verdict.UNCHECKED
    assert report.summary.startswith("Not checked: The schema is not valid JSON")


def test_report_has_the_first_findings_and_csv_has_all() -> None:
    data = "Supplier,Amount,Date\n" + "A,=1+1,\n" * 50
    out = io.StringIO()
    report = check_data(
        io.BytesIO(data.encode()),
        to_bytes(SPEND),
        Limits(findings=30, shown=3),
        on_finding=FindingsCsv(out),
    )
    assert (report.errors, len(report.findings)) == (50, 3)
    lines = out.getvalue().splitlines()
    assert lines[0] == "row,column,found,expected,example,code"
    assert len(lines) == 31
    assert ",'=1+1," in lines[1]  # a spreadsheet would run it


EVIL = "^(a+)+$"
EVIL_DATA = "value,other\n" + "b,1\n" + "a" * 60 + "!,x\n"


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        (lint(("value", {"pattern": EVIL}), ("other", {"type": "int"})), EVIL_DATA),
        (
            table({"name": "value", "constraints": {"pattern": "(a+)+"}}, {"name": "other"}),
            EVIL_DATA,
        ),
        ({"type": "array", "items": {"pattern": EVIL}}, ["a" * 60 + "!"]),
    ],
    ids=["csvlint", "tableschema", "json-schema"],
)
def test_a_pattern_that_would_not_end_is_stopped(
    schema: Any, data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.schema_check.check._GRACE", 0.4)
    report = _check(schema, data, seconds=0.4)
    ended = report.reason or report.stopped
    assert "stopped after 0.4 seconds; a pattern of the schema may be too complex" in ended


def test_findings_before_the_end_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Child(subprocess.Popen[bytes]):
        """A check that is ended as soon as it has written what it found."""

        def wait(self, timeout: float | None = None) -> int:
            if timeout is not None:
                while b'["finding",' not in self._output():
                    assert self.poll() is None, "the check ended by itself"
                    time.sleep(0.05)
                raise subprocess.TimeoutExpired(self.args, timeout)
            return super().wait()

        def _output(self) -> bytes:
            return Path(f"/proc/{self.pid}/fd/1").read_bytes()

    monkeypatch.setattr(subprocess, "Popen", Child)
    monkeypatch.setattr("ckanext.ukharvest.schema_check.check._GRACE", 0.0)
    schema = lint(("value", {"pattern": EVIL}), ("other", {"type": "int"}))
    report = _check(schema, "value,other\na,x\n" + "a" * 60 + "!,1\n", seconds=0.1)
    assert report.verdict is Verdict.INVALID
    assert [each.row for each in report.findings] == [2]
    assert "too complex" in report.stopped
    assert report.sample
    assert [row["cells"] for row in report.sample["rows"]] == [["a", "x"]]
    assert report.columns == ()


def test_memory_is_limited() -> None:
    data = "[" + "[]," * 1_500_000 + "1]"
    report = _check({"type": "array"}, data, memory=100 * 1024 * 1024, seconds=300)
    assert report.verdict is Verdict.UNCHECKED
    assert "memory" in report.reason


def test_a_schema_with_too_many_occurrences_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """libxml2 unrolls maxOccurs."""
    monkeypatch.setattr("ckanext.ukharvest.schema_check.check._GRACE", 0.5)
    nested = '<xs:element name="b" maxOccurs="90000000" minOccurs="80000000"/>'
    schema = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a">'
        f"<xs:complexType><xs:sequence>{nested}</xs:sequence></xs:complexType>"
        "</xs:element></xs:schema>"
    )
    report = _check(schema, "<a><b/></a>", seconds=0.5, memory=300 * 1024 * 1024)
    assert report.verdict in (Verdict.UNCHECKED, Verdict.INVALID)


def test_time_is_limited_in_a_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ckanext.ukharvest.schema_check.check._GRACE", 300.0)
    data = "Supplier,Amount,Date\n" + "A,1,2026-05-31\n" * 5_000
    report = _check(SPEND, data, seconds=0)  # over at the first look at the clock
    assert report.stopped == "The check was stopped after 0 seconds."
    assert report.summary == "No errors in the first 1,000 rows"
    assert report.checked == 1_000


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A few rows and many take the same memory."""
    schema = tmp_path / "schema.json"
    schema.write_bytes(to_bytes(SPEND))
    peaks = [_peak(schema, tmp_path, rows) for rows in (20_000, 300_000)]
    assert peaks[1] < peaks[0] + 5_000


def _peak(schema: Path, folder: Path, rows: int) -> int:
    """Return the most kilobytes that the child used for so many rows."""
    data = folder / "data.csv"
    with data.open("w") as file:
        file.write("Supplier,Amount,Date\n")
        file.writelines("A Council,12.50,2026-05-31\n" for _ in range(rows))
    script = (
        "import json, resource, sys; from ckanext.ukharvest.schema_check import check;"
        f"fd = __import__('os').open({str(schema)!r}, 0);"
        "limits = {'seconds': 300};"
        "check.main([json.dumps(limits), str(fd)]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    with data.open("rb") as stdin:
        done = subprocess.run([sys.executable, "-c", script], stdin=stdin, capture_output=True)
    return int(done.stdout.split()[-1])


def test_data_from_a_file_are_not_copied_and_stay_open(tmp_path: Path) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"Supplier,Amount,Date\nA,x,\n")
        for _ in range(2):
            report = check_data(file, to_bytes(SPEND))
            assert report.errors == 1
        assert not file.closed


def test_modules_of_the_current_folder_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert _check(SPEND, "Supplier,Amount,Date\nA,1,\n").summary == "Valid"


def test_report_is_json() -> None:
    report = _check(SPEND, "Supplier,Amount,Date\nA,x,\n")
    found = json.loads(json.dumps(report.as_dict()))
    assert found["summary"] == "1 error in 1 row"
    assert found["findings"][0] == {
        "row": 2,
        "column": "Amount",
        "found": "x",
        "expected": "a number without commas or signs of a currency",
        "example": "1200.50",
        "code": "type",
    }


def test_without_jsonschema_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.schema_check.support import check

    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert "pip install 'ckanext-ukharvest[schema]'" in check({"type": "object"}, {}).reason
    assert check(SPEND, "Supplier,Amount,Date\nA,1,\n").is_valid


def test_no_descriptor_is_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        _check(SPEND, "Supplier,Amount,Date\nA,1,\n")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_finding_needs_no_place() -> None:
    assert Finding(0, "", "", "a value", "", "x").sentence() == "found nothing; expected a value"
