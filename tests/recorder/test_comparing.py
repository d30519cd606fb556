"""Comparing recordings of a portal: kinds of differences, columns of rows, statements apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recorder.comparing import compare

ROWS = ['+ {"guid": "a", "missed": 0, "title": "A"}', '+ {"guid": "b", "missed": 0, "title": "B"}']
PAGE = {"status": 200, "page": ["<h1>", "Weirs", "</h1>"]}


def write(path: Path, rows: list[str], page: Any, statements: int) -> Path:
    made = {"portal": "states", "who": "step", "what": "run 1 of weirs: ukharvest_record"}
    seen = {"portal": "states", "what": "GET /harvest/weirs"}
    lines = [
        {**made, "rows": rows},
        {**seen, "who": "anonymous", "answer": page},
        {**seen, "who": "editor", "same": "anonymous"},
        {**seen, "who": "editor", "what": "GET /harvest/weirs (statements)"}
        | {"statements": statements},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_changed_row_is_shown_by_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "before", ROWS, PAGE, 40)
    changed = [ROWS[0], ROWS[1].replace('"missed": 0', '"missed": 1')]
    assert compare(before, write(tmp_path / "after", changed, PAGE, 40), show_all=False)
    printed = capsys.readouterr().out
    assert "rows of ukharvest_record: missed: 1\n" in printed
    assert "title" not in printed


def test_page_that_is_the_same_for_two_roles_differs_for_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "before", ROWS, PAGE, 40)
    changed = {"status": 200, "page": ["<h1>", "Locks", "</h1>"]}
    assert compare(before, write(tmp_path / "after", ROWS, changed, 40), show_all=False)
    printed = capsys.readouterr().out
    assert "GET /harvest/…: changed: 2\n" in printed
    assert "-Weirs" in printed
    assert "+Locks" in printed


def test_number_of_statements_is_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "before", ROWS, PAGE, 40)
    assert not compare(before, write(tmp_path / "after", ROWS, PAGE, 18), show_all=False)
    assert "GET /harvest/weirs (statements): 40 → 18" in capsys.readouterr().out
