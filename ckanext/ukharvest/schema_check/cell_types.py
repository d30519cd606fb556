"""Types of cells that csvlint's dialect and Table Schema share, and what both need of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

_INTEGER = re.compile(r"[+-]?[0-9]+")
MAX_DIGITS = 4000  # Python converts no more


@dataclass(frozen=True, slots=True)
class CellType:
    """A type of value.

    Attributes:
        words: what is expected, to follow "expected": "a whole number".
        example: a valid value.
        parse: returns the value of a text; raises ValueError (or OverflowError) for others.
    """

    words: str
    example: str
    parse: Callable[[str], Any]


TEXT = CellType("text", "", str)


def parse_integer(text: str) -> int:
    """Return the number of an integer in decimal digits, XML Schema 1.0 part 2, 3.3.13."""
    if not _INTEGER.fullmatch(text) or len(text) > MAX_DIGITS:
        raise ValueError(text)
    return int(text)


def integer(words: str, example: str, low: int | None = None, high: int | None = None) -> CellType:
    """Return the type of integers within bounds."""

    def parse(text: str) -> int:
        number = parse_integer(text)
        if (low is not None and number < low) or (high is not None and number > high):
            raise ValueError(text)
        return number

    return CellType(words, example, parse)


def parse_web_url(text: str) -> str:
    """Return an absolute http or https URL."""
    parts = urlsplit(text)
    is_web = parts.scheme.lower() in ("http", "https") and parts.hostname
    if not is_web or re.search(r"\s", text):
        raise ValueError(text)
    return text


_SAMPLE = datetime(2026, 5, 31, 14, 30, 0)  # noqa: DTZ001 - for examples, which name no zone


def dated(words: str, pattern: str, *, exact: bool) -> CellType:
    """Return a type of dates or times after a pattern of strptime.

    Args:
        exact: the text has to be as strftime writes it: "2026-05-01", not "2026-5-1".

    Raises:
        ValueError: Python does not know the pattern.
    """
    example = _SAMPLE.strftime(pattern)
    datetime.strptime(example, pattern)  # noqa: DTZ007

    @lru_cache(1024)  # dates repeat, and strptime is slow; a text that is none is not kept
    def parse(text: str) -> datetime:
        found = datetime.strptime(text, pattern)  # noqa: DTZ007
        if exact and found.strftime(pattern) != text:
            raise ValueError(text)
        return found

    return CellType(words, example, parse)
