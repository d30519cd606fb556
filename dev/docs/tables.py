"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MADE = "<!-- Made by bin/docs from the code; edit that, and run it again. -->"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Return the lines of a table; markup in the cells is escaped."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"


def _cell(text: str) -> str:
    escaped = text.replace("|", "&#124;")
    # Within backticks a bracket is no markup, and would be shown as "&lt;".
    return escaped if escaped.startswith("`") else escaped.replace("<", "&lt;")
