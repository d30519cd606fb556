"""The recorder of reading finds no difference between equal recordings, and a changed value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.recorder import reading


def test_recorder_finds_a_changed_value_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SOURCES", tmp_path)  # the documents are enough
    monkeypatch.setattr(reading, "SERVICES", {})
    before, same, after = (tmp_path / name for name in ("before", "same", "after"))
    for file in (before, same):
        lines = [json.dumps(line) for line in reading.record(None, each_option=False)]
        file.write_text("\n".join(lines), encoding="utf-8")
    assert len(lines) > 30
    assert not reading.compare(before, same, show_all=False)
    changed = before.read_text(encoding="utf-8").replace('"title": "', '"title": "Un', 1)
    after.write_text(changed, encoding="utf-8")
    capsys.readouterr()
    assert reading.compare(before, after, show_all=False)
    assert capsys.readouterr().out.strip().endswith("; 1 differences")
