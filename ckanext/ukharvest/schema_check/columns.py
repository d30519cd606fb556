"""A schema of a table as rules for columns: what csvlint's dialect and Table Schema become.

With the types of cells that both share, and what both need of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.schema_check.collector import Collector

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
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007
        if exact and moment.strftime(pattern) != text:
            raise ValueError(text)
        return moment

    return CellType(words, example, parse)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a cell is invalid; the attributes are those of ``report.Finding``."""

    code: str
    expected: str
    example: str = ""


# Gets the text of a cell and its value.
Rule = Callable[[str, Any], "Fault | None"]


@dataclass(slots=True)
class Column:
    """The rules for one column.

    Attributes:
        name: its name in the schema.
        type: the type of its values.
        required: whether a cell must have a value.
        missing: texts that stand for no value; rules do not apply to them.
        text_rules: rules that come before the type and apply to empty cells, too (csvlint).
        rules: rules for cells with a valid value.
        unique: whether no value may occur twice.
        unique_when_missing: whether two cells without a value are one value twice (csvlint).
    """

    name: str
    type: CellType = TEXT
    required: bool = False
    missing: frozenset[str] = frozenset(("",))
    text_rules: list[Rule] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    unique: bool = False
    unique_when_missing: bool = False

    def fault(self, text: str) -> Fault | None:
        """Return the first rule that a cell breaks."""
        is_missing = text in self.missing
        if is_missing and self.required:
            return Fault("required", "a value", self.type.example)
        for rule in self.text_rules:
            if fault := rule(text, text):
                return fault
        if is_missing:
            return None
        try:
            value = self.type.parse(text)
        except (ValueError, OverflowError, ArithmeticError):
            return Fault("type", self.type.words, self.type.example)
        for rule in self.rules:
            if fault := rule(text, value):
                return fault
        return None


@dataclass(slots=True)
class TableRules:
    """The rules for a table.

    Attributes:
        columns: in the schema's order.
        match: how columns and header belong together: "by-name" (csvlint: other columns, and
            optional ones that are missing, are only noted), or Table Schema's ``fieldsMatch``.
        primary_key: names of columns whose values together occur once.
    """

    columns: list[Column]
    match: str = "by-name"
    primary_key: tuple[str, ...] = ()


def min_length(length: int) -> Rule:
    fault = Fault("min-length", f"at least {counted(length, 'character')}")
    return lambda _text, value: fault if len(value) < length else None


def max_length(length: int) -> Rule:
    fault = Fault("max-length", f"at most {counted(length, 'character')}")
    return lambda _text, value: fault if len(value) > length else None


def pattern(expression: re.Pattern[str], shown: str, example: str = "") -> Rule:
    """Return the rule that an expression, which includes its anchors, is found in the text."""
    fault = Fault("pattern", f"text that matches {shorten(shown, 120)}", example)
    return lambda text, _value: None if expression.search(text) else fault


def one_of(values: list[Any], shown: list[str]) -> Rule:
    fault = Fault("enum", f"one of: {', '.join(shown)}", shown[0] if shown else "")
    return lambda _text, value: None if value in values else fault


def minimum(bound: Any, shown: str, *, or_equal: bool = True) -> Rule:
    fault = Fault("minimum", f"{shown} or more" if or_equal else f"more than {shown}")
    return lambda _text, value: None if _is_above(value, bound, or_equal) else fault


def maximum(bound: Any, shown: str, *, or_equal: bool = True) -> Rule:
    fault = Fault("maximum", f"{shown} or less" if or_equal else f"less than {shown}")
    return lambda _text, value: None if _is_above(bound, value, or_equal) else fault


def _is_above(value: Any, bound: Any, or_equal: bool) -> bool:
    try:
        return bool(value >= bound if or_equal else value > bound)
    except (TypeError, ArithmeticError):  # a date with a time zone and one without; not a number
        return False


def read_flag(value: Any, name: str, column: str, collector: Collector) -> bool:
    """Return a boolean of a schema; the LGA's have the texts "true" and "false"."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    flag = read_yes_no(value) if isinstance(value, str) else None
    if flag is not None:
        word = str(flag).lower()
        instead = f'as the text "{value.strip().lower()}" instead of {word}'
        collector.note(f"The schema has '{name}' {instead}; it is read as {word}.")
        return flag
    _note_unclear(value, name, column, collector)
    return False


def read_length(value: Any, name: str, column: str, collector: Collector) -> int | None:
    """Return a length of a schema, which may be a number in text."""
    if isinstance(value, str) and value.isdecimal():
        value = int(value[:18])
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if value is not None:
        _note_unclear(value, name, column, collector)
    return None


def _note_unclear(value: Any, name: str, column: str, collector: Collector) -> None:
    shown = shorten(str(value), 40)
    collector.note(f"The schema has '{name}' of {column} as {shown}: not checked.")
