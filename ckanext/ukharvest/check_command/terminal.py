"""Text in a terminal: wrapped to its width, without what it would obey."""

from __future__ import annotations

import shutil
import textwrap
from typing import TextIO

from ckanext.ukharvest.core.values.text import name_unseen


def write_indented(text: str, out: TextIO, spaces: int = 0) -> None:
    """Print a text, wrapped and indented by some spaces."""
    indent = " " * spaces
    out.write(
        textwrap.fill(
            one_line(text),
            columns(),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )


def one_line(text: str) -> str:
    """Return a text without line ends, and without what a terminal would obey."""
    return name_unseen(" ".join(text.expandtabs(1).splitlines()))


def columns() -> int:
    """Return the width of the terminal, at least 40."""
    return max(40, shutil.get_terminal_size((100, 24)).columns)
