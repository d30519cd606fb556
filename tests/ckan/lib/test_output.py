"""Commands write no formula and no escape."""

from __future__ import annotations

import csv
import io
import json

import pytest

from ckanext.ukharvest.lib import output
from tests.security.payloads import FORMULAS, LINES

pytestmark = pytest.mark.in_process


def test_commands_write_no_formula_and_no_escape(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [text + LINES["terminal"] + LINES["log"] + LINES["direction"] for text in FORMULAS]
    for form in ("csv", "table", "json"):
        output.write([{"title": text} for text in texts], ["title"], form)
        printed = capsys.readouterr().out
        assert not set(printed) & set("\x1b\x9b\x07\r\u202e")
        assert printed.count("hurt") == 2 * len(texts)
        if form == "json":
            assert json.loads(printed) == [{"title": text} for text in texts]
            continue
        assert len(printed.splitlines()) == 1 + len(texts)
        if form == "csv":
            cells = [row[0] for row in csv.reader(io.StringIO(printed))]
            assert [cell for cell in cells[1:] if cell[0] != "'"] == []
