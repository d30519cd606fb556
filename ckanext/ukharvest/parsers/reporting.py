"""What the readers of fields share, whatever the format: a value is read, or reported."""

from __future__ import annotations

from collections.abc import Callable


def parsed(text: str, parse: Callable[[str], str], report: Callable[[str], None]) -> str:
    """A text through a parser of ``core.values``, "" for none; what it refuses is reported.

    Args:
        report: called with the parser's words.
    """
    if not text:
        return ""
    try:
        return parse(text)
    except ValueError as exc:
        report(str(exc))
        return ""
