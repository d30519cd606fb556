"""Visitors and publishers read their pages in one language, CKAN's own texts included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import ROOT

pytestmark = [pytest.mark.in_process, pytest.mark.giant, pytest.mark.timeout(1800)]


def test_pages_in_welsh_and_french_have_no_english_word(ini: str, tmp_path: Path) -> None:
    """Every page and form of a small portal, as a visitor, an editor and an administrator."""
    out = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.recorder.portal", "languages", str(out), "--ini", ini],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text("utf-8"))
    assert found.pop("pages") > 500
    assert found == {kind: {"cy": {}, "fr": {}} for kind in ("untranslated", "English")}, (
        json.dumps(_first_places(found), indent=1, ensure_ascii=False)
    )


def _first_places(found: dict[str, dict[str, dict[str, list[str]]]]) -> dict[str, object]:
    """Return kind → language → text → the first place where it is."""
    return {
        kind: {
            language: {text: places[0] for text, places in texts.items()}
            for language, texts in languages.items()
        }
        for kind, languages in found.items()
    }
