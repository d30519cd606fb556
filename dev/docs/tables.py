"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MADE = "<!-- Made by bin/docs from the code; edit that, and run it again. -->"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a table; the cells' text is kept from being read as markup."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"


def _cell(text: str) -> str:
    escaped = text.replace("|", "&#124;")
    # Within backticks a bracket is no markup, and would be shown as "&lt;".
    return escaped if escaped.startswith("`") else escaped.replace("<", "&lt;")
