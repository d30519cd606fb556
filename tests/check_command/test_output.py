"""What ``ukharvest check`` prints in a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.check_command.support import run, sample_file
from tests.publisher import SOURCES


@pytest.mark.parametrize("columns", [60, 120])
def test_the_table_fits_the_terminal(columns: int) -> None:
    result = run("check", "data_json", sample_file("wild"), columns=columns)
    assert result.code == 1
    lines = result.out.splitlines()
    said = " ".join(result.out.split())
    assert said.startswith(
        "13 records: 9 would be imported (9 with a problem), 3 would fail, 1 would be skipped."
    )
    assert "Date not understood (modified): 1 record" in said
    assert "How to fix it: " in said
    assert "modified: 'last Tuesday'" in said
    # A URL is never cut, so that it can be copied.
    assert [line for line in lines if len(line) > columns and "http" not in line] == []


def test_records_are_printed_with_the_option_records() -> None:
    given = ("check", "inventory", str(SOURCES / "inventory-0.3" / "inventory.xml"))
    short, whole = run(*given).out, run(*given, "--records").out
    assert "--records prints each record" in short
    assert "1. " not in short
    summary = short.splitlines()[0]
    assert whole.splitlines()[0] == summary
    assert "\n1. " in whole
    assert "  function " in whole
    assert "  service " in whole


def test_problems_of_failed_records_are_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    records = [{"title": "No identifier"}, {"identifier": "b", "title": "Imported"}]
    path.write_text(json.dumps({"dataset": records}))
    said = run("check", "data_json", str(path)).out
    imported = said[said.index("Would be imported with a problem") :]
    assert "1 with a problem" in said
    assert ": 2 records" not in imported
    assert "No identifier" not in imported
