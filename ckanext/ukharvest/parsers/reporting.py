"""Base of the field readers of all formats: a value is read, or reported as a problem."""

from __future__ import annotations

from collections.abc import Callable


def parse_value(text: str, parse: Callable[[str], str], report: Callable[[str], None]) -> str:
    """Return a text parsed by ``parse``, "" for no text; report its ValueError and return "".

    Args:
        report: called with the parser's message.
    """
    if not text:
        return ""
    try:
        return parse(text)
    except ValueError as exc:
        report(str(exc))
        return ""
