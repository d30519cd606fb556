"""Results of the parts of `bin/test --all`, kept with the commit that they ran on.

Each is a file beside the part's report. The next `bin/test --all` on the same commit takes it for
a part that has ended, and runs the others. While a file of the checkout differs from its commit,
nothing is kept and nothing is taken.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from . import reports
from .parts import Part
from .paths import ROOT

# Exit codes of pytest that ended by itself: passed, failed, none was chosen.
ENDED = (0, 1, 5)


def clean_commit() -> str:
    """Return the commit that is checked out, "" if a file differs from it or there is no git."""
    try:
        commit = _git("rev-parse", "HEAD")
        return "" if _git("status", "--porcelain") else commit
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def load(part: Part, commit: str) -> dict[str, Any] | None:
    """Return what was saved for a part, if it ended on that commit with the same arguments."""
    path = part.report.with_suffix(".json")
    if not (commit and path.is_file() and part.report.is_file()):
        return None
    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    is_same = values["commit"] == commit and values["arguments"] == part.words
    return values if is_same else None


def save(part: Part, commit: str, status: int, seconds: float, failed_before: str) -> None:
    """Save the result of a part that ended by itself, if the checkout is what it was.

    Args:
        commit: the clean commit when it began, or "".
        status: its exit code.
        failed_before: see below.
    """
    if status in ENDED and commit and clean_commit() == commit:
        values = {
            "commit": commit,
            "arguments": part.words,
            "status": status,
            "seconds": round(seconds, 1),
            "failed_before": failed_before,
        }
        part.report.with_suffix(".json").write_text(json.dumps(values, indent=1), "utf-8")


def failed_before(part: Part, commit: str) -> str:
    """Return what earlier runs of a part on that commit came to that failed, "" if none did.

    Who runs a part until it passes sees in the closing table that it failed.
    """
    values = load(part, commit)
    if values is None:
        return ""
    last = f"before: {reports.count([part.report])}" if values["status"] == 1 else ""
    return "; ".join(filter(None, (values["failed_before"], last)))
