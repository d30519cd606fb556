"""Chromium for the tests of the portal's pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from stack import debian
from stack.console import StackError
from stack.paths import make_folder
from stack.state import locked


def ensure() -> Path:
    """Install Chromium if needed, and return the program."""
    with locked():
        debian.ensure(debian.BROWSER)
    found = shutil.which("chromium-headless-shell")
    if not found:
        raise StackError(
            "Debian's package chromium-headless-shell is there, and no program of that name"
        )
    return Path(found)


def pictures() -> Path:
    """Return the folder for pictures of pages, beside the reports of the tests."""
    return make_folder("results", "pictures")
