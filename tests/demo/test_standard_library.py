"""bin/demo and bin/bench run on a machine's own Python, before anything is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(__file__).resolve().parents[2] / "bin"


@pytest.mark.parametrize("script", ["demo", "bench"])
def test_the_script_starts_without_installed_packages(script: str) -> None:
    # -S: without site-packages.
    command = [sys.executable, "-S", BIN / script, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "usage: bin/" in done.stdout
