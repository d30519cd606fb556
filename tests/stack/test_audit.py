"""bin/audit: what it prints and exits with, also when nothing was looked up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from audit import __main__ as audit

FINE = {"name": "lxml", "version": "6.0.0", "vulns": []}
FAULT = {"id": "PYSEC-2026-1", "fix_versions": ["2.0.1"], "aliases": [], "description": "…"}
HOLED = {"name": "urllib3", "version": "2.0.0", "vulns": [FAULT, {**FAULT, "fix_versions": []}]}
SKIPPED = {"name": "ours", "skip_reason": "Dependency not found on PyPI"}


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    (tmp_path / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    return tmp_path


def answering(text: str, error: str = "", code: int = 0) -> list[str]:
    """Return a program that answers as pip-audit may, after it checked what it is asked."""
    program = (
        "import sys; at = sys.argv.index('--path'); "
        "assert sys.argv[at + 1].endswith('site-packages'); "
        f"print({text!r}); print({error!r}, file=sys.stderr); sys.exit({code})"
    )
    return [sys.executable, "-c", program]


def listed(*dependencies: dict[str, Any]) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


def test_nothing_is_known(environment: Path) -> None:
    result = audit.audit(answering(listed(FINE, SKIPPED)), environment)
    said = "1 packages audited, 0 known vulnerabilities; not audited: ours"
    assert result == audit.Result(0, [said])


def test_a_vulnerability_is_named_with_its_fix(environment: Path) -> None:
    result = audit.audit(answering(listed(FINE, HOLED), "Found 2", 1), environment)
    assert result.status == 1
    assert result.lines == [
        "2 packages audited, 2 known vulnerabilities",
        "urllib3 2.0.0: PYSEC-2026-1, fixed in 2.0.1",
        "urllib3 2.0.0: PYSEC-2026-1, fixed in no version yet",
    ]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (answering("", "ERROR:pip_audit: Could not connect to PyPI", 1), "Could not connect"),
        (answering("", "", 1), "pip-audit ended with 1"),
        (answering("<html>", "", 0), "pip-audit ended with 0"),
        (answering(listed(SKIPPED)), "none of 1 packages was looked up; Dependency not found"),
        (answering(listed()), "none of 0 packages was looked up"),
    ],
)
def test_it_says_that_nothing_was_audited(
    environment: Path, program: list[str], reason: str
) -> None:
    result = audit.audit(program, environment)
    assert result.status == 3
    assert len(result.lines) == 1
    assert result.lines[0].startswith("not audited: ")
    assert reason in result.lines[0]
