"""Audit each environment that bin/stack made; see bin/audit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stack import venv
from stack.paths import DEV, STACK
from stack.state import locked

FINE, VULNERABLE, NOT_AUDITED = 0, 1, 3
TIMEOUT = 900  # seconds for one environment; a request has 15


@dataclass(frozen=True)
class Result:
    """What became of one environment: the status to exit with, and lines to print."""

    status: int
    lines: list[str]


def main() -> int:
    """Audit all environments; return the worst status."""
    with locked():
        venv.ensure()
        python = venv.ensure_tool("venv-audit", DEV / "audit" / "requirements.txt")
    worst = FINE
    for ckan in venv.versions_made():
        result = audit([python, "-m", "pip_audit"], venv.folder(ckan))
        print(f"CKAN {ckan}:", "\n  ".join(result.lines))
        # That one was not audited matters less than what was found in another.
        worst = min(filter(None, (worst, result.status)), default=FINE)
    return worst


def audit(program: Sequence[str | Path], environment: Path) -> Result:
    """Look up all packages of a virtual environment.

    Args:
        program: how pip-audit is called.
        environment: its folder.
    """
    (packages,) = environment.glob("lib/python3*/site-packages")
    command = [*program, "--path", packages, "--format", "json", "--progress-spinner", "off"]
    command += ["--skip-editable", "--cache-dir", STACK / "cache" / "pip-audit"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return Result(NOT_AUDITED, [f"not audited: no answer within {TIMEOUT} seconds"])
    # pip-audit exits with 1 for a vulnerability, and also if its service cannot be reached.
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (done.stderr.strip().splitlines() or [f"pip-audit ended with {done.returncode}"])[-1]
        return Result(NOT_AUDITED, [f"not audited: {last}"])
    return judge(found)


def judge(dependencies: Sequence[dict[str, Any]]) -> Result:
    """Return the result of pip-audit's list of packages."""
    audited = [each for each in dependencies if "skip_reason" not in each]
    skipped = sorted(each["name"] for each in dependencies if "skip_reason" in each)
    if not audited:
        reasons = [each["skip_reason"] for each in dependencies]
        why = f"none of {len(skipped)} packages was looked up; {(reasons or ['none listed'])[0]}"
        return Result(NOT_AUDITED, [f"not audited: {why}"])
    lines = [
        f"{each['name']} {each['version']}: {fault['id']}, fixed in {_versions(fault)}"
        for each in audited
        for fault in each["vulns"]
    ]
    summary = f"{len(audited)} packages audited, {len(lines)} known vulnerabilities"
    if skipped:
        summary += f"; not audited: {', '.join(skipped)}"
    return Result(VULNERABLE if lines else FINE, [summary, *lines])


def _versions(fault: dict[str, Any]) -> str:
    return ", ".join(fault.get("fix_versions") or ()) or "no version yet"


if __name__ == "__main__":
    sys.exit(main())
