"""The recorder of a portal: equal recordings of one checkout, and a seeded fault found.

Recorded is the small portal: two sources, one whose records have problems and a hidden one; all
pages, forms, commands and actions. ``states`` and ``demo`` have more sources and take longer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import MUTANTS, ROOT
from tests.recorder.comparing import compare

pytestmark = [pytest.mark.in_process, pytest.mark.giant, pytest.mark.timeout(1800)]

SECONDS = 900  # for one recording, on a busy machine


def recorded(checkout: Path, ini: str, out: Path, only: str = "") -> Path:
    """Record the small portal, or some of its pages, by the code of a checkout."""
    command = [sys.executable, "-m", "tests.recorder.portal", "record", str(out)]
    done = subprocess.run(
        [*command, "--ini", ini, "--portal", "small", "--only", only],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def faulty_copy(folder: Path, name: str) -> Path:
    """Copy this checkout, with a fault of ``tests.mutants``; return the copy."""
    (mutant,) = (mutant for mutant in MUTANTS if mutant.name == name)
    for part in ("ckanext", "dev", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / mutant.path.relative_to(ROOT)).write_text(mutant.apply(), encoding="utf-8")
    return folder


def test_recordings_differ_by_a_seeded_fault_alone(
    ini: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = recorded(ROOT, ini, tmp_path / "first.jsonl")
    second = recorded(ROOT, ini, tmp_path / "second.jsonl")
    assert len(first.read_text("utf-8").splitlines()) > 1000
    is_different = compare(first, second, show_all=False)
    assert not is_different, capsys.readouterr().out
    copy = faulty_copy(tmp_path / "copy", "approval-by-editor")
    third = recorded(copy, ini, tmp_path / "third.jsonl", "action ukharvest_pending_decide")
    capsys.readouterr()
    assert compare(first, third, show_all=False)
    assert "action ukharvest_pending_decide: changed" in capsys.readouterr().out
