"""Chromium: what people look at the portal with, for the tests of its pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import debian
from .console import StackError
from .paths import make_folder
from .state import locked


def ensure() -> Path:
    """Make sure that Chromium is there, and return the program."""
    with locked():
        debian.ensure(debian.BROWSER)
    found = shutil.which("chromium")
    if not found:
        raise StackError("Debian's package chromium is there, and no program of that name")
    return Path(found)


def pictures() -> Path:
    """The folder for pictures of pages, beside the reports of the tests."""
    return make_folder("results", "pictures")
