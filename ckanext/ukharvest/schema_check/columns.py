"""A schema of a table as rules for columns; and csvlint's dialect, in which the LGA writes schemas.

``table_schema`` reads Table Schema to the same rules, with the types of cells that both share. The
rules of csvlint's dialect are those of its documentation ("JSON Table Schema Support"): the types
are XML Schema's, patterns may match anywhere in the text, and apply to empty cells as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.schema_check.report import Collector, Unchecked

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


def matching(
    expression: re.Pattern[str], value: Callable[[str], Any] = str
) -> Callable[[str], Any]:
    """Return what parses the texts that match an expression as a whole; ``value`` converts them."""

    def parse(text: str) -> Any:
        if not expression.fullmatch(text):
            raise ValueError(text)
        return value(text)

    return parse


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


LENGTHS = (("minLength", min_length), ("maxLength", max_length))


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


def compile_pattern(
    text: str, column: str, collector: Collector, flags: int = 0
) -> re.Pattern[str] | None:
    """Return a schema's pattern; None for one that is invalid, which is noted."""
    try:
        return re.compile(text, flags)
    except (re.error, OverflowError, RecursionError) as exc:
        why = shorten(str(exc), 60)
        collector.note(f"The pattern of {column} in the schema is invalid and not checked: {why}")
        return None


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


_XSD = "http://www.w3.org/2001/XMLSchema#"
_SPACE = " \t\r\n"  # which XML Schema and Ruby ignore around numbers
_DIGITS = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DECIMAL = re.compile(rf"[{_SPACE}]*{_DIGITS}[{_SPACE}]*")
_FLOAT = re.compile(rf"[{_SPACE}]*(?:{_DIGITS}(?:[eE][+-]?[0-9]+)?|-?INF|NaN)[{_SPACE}]*")
_BOOLEAN = re.compile("true|false|1|0")
# Ruby's expressions, which csvlint uses, in Python's words.
_RUBY = ((r"\A", r"\A"), (r"\Z", r"(?=\n?\Z)"), (r"\z", r"\Z"), (r"\h", "[0-9a-fA-F]"))
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_DATES = {
    "date": ("a date", "%Y-%m-%d"),
    "dateTime": ("a date and time", "%Y-%m-%dT%H:%M:%SZ"),
    "time": ("a time", "%H:%M:%S"),
    "gYear": ("a year", "%Y"),
    "gYearMonth": ("a year and month", "%Y-%m"),
}


def _integer(words: str, example: str, **bounds: int) -> CellType:
    cell = integer(words, example, **bounds)
    return CellType(words, example, lambda text: cell.parse(text.strip(_SPACE)))


_WHOLE = _integer("a whole number", "12")
_NUMBER = CellType(
    "a number without commas or signs of a currency", "1200.50", matching(_FLOAT, float)
)
_DECIMALS = CellType(_NUMBER.words, _NUMBER.example, matching(_DECIMAL, Decimal))
_URL = CellType("a URL", "https://www.example.gov.uk/", parse_web_url)
_TYPES = {
    "string": TEXT,
    "normalizedString": TEXT,
    "token": TEXT,
    "int": _WHOLE,
    "integer": _WHOLE,
    "long": _WHOLE,
    "short": _WHOLE,
    "byte": _WHOLE,
    "nonNegativeInteger": _integer("a whole number from 0", "12", low=0),
    "unsignedInt": _integer("a whole number from 0", "12", low=0),
    "unsignedLong": _integer("a whole number from 0", "12", low=0),
    "positiveInteger": _integer("a whole number from 1", "12", low=1),
    "nonPositiveInteger": _integer("a whole number up to 0", "-12", high=0),
    "negativeInteger": _integer("a whole number below 0", "-12", high=-1),
    "float": _NUMBER,
    "double": _NUMBER,
    "decimal": _DECIMALS,
    "anyURI": _URL,
    "boolean": CellType("true, false, 1 or 0", "true", matching(_BOOLEAN)),
}


def read(document: Mapping[str, Any], collector: Collector) -> TableRules:
    """Return the rules of a schema; what is unclear in it is noted and not checked.

    Raises:
        Unchecked: a field has no name.
    """
    return TableRules(
        [_column(field, n, collector) for n, field in enumerate(document["fields"], 1)]
    )


def field_name(description: Mapping[str, Any], number: int) -> str:
    """Return the name of a field of a schema."""
    name = description.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Unchecked(f"Field {number} of the schema has no name.")
    return name


def _column(description: Mapping[str, Any], number: int, collector: Collector) -> Column:
    name = field_name(description, number)
    constraints = description.get("constraints")
    rules_of_field: Mapping[str, Any] = constraints if isinstance(constraints, Mapping) else {}
    column = Column(name, _type(rules_of_field, name, collector), unique_when_missing=True)
    column.required = read_flag(rules_of_field.get("required"), "required", name, collector)
    column.unique = read_flag(rules_of_field.get("unique"), "unique", name, collector)
    for key, rule in LENGTHS:
        length = read_length(rules_of_field.get(key), key, name, collector)
        if length is not None:
            column.text_rules.append(rule(length))
    if expression := _pattern(rules_of_field.get("pattern"), name, collector):
        shown = str(rules_of_field["pattern"])
        column.text_rules.append(pattern(expression, shown, column.type.example))
    if column.type is not TEXT:
        for key, limit in (("minimum", minimum), ("maximum", maximum)):
            bound = _bound(rules_of_field.get(key), key, column, collector)
            if bound is not None:
                column.rules.append(limit(bound, str(rules_of_field[key])))
    return column


def _type(given: Mapping[str, Any], column: str, collector: Collector) -> CellType:
    name = given.get("type")
    if name is None or name == "":
        return TEXT
    local = str(name).removeprefix(_XSD).removeprefix("xsd:").removeprefix("xs:")
    if local == "URI":  # in the LGA's schemas; XML Schema has no such type
        collector.note("The schema has the type URI, which is unknown; it is read as anyURI.")
        return _URL
    if local in _DATES:
        return _date(*_DATES[local], given.get("datePattern"), column, collector)
    if local not in _TYPES:
        shown = shorten(str(name), 60)
        collector.note(f"The type of {column} in the schema is unknown and not checked: {shown}")
    return _TYPES.get(local, TEXT)


def _date(words: str, usual: str, given: Any, column: str, collector: Collector) -> CellType:
    pattern = given if isinstance(given, str) and given else usual
    # Ruby's days and months without a zero, which Python reads with and without.
    known = re.sub(r"%-([dmHMS])", r"%\1", pattern).replace("%e", "%d")
    try:
        return dated(words, known, exact=known == pattern)
    except ValueError:
        collector.note(f"The datePattern of {column} in the schema is unknown: {shorten(pattern)}")
        return TEXT


def _pattern(given: Any, column: str, collector: Collector) -> re.Pattern[str] | None:
    """Return a pattern of Ruby, in which ^ and $ match at line ends, for Python."""
    if not isinstance(given, str) or not given:
        return None
    text = _ESCAPE.sub(lambda found: dict(_RUBY).get(found[0], found[0]), given)
    text = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", text)
    return compile_pattern(text, column, collector, re.MULTILINE)


def _bound(given: Any, key: str, column: Column, collector: Collector) -> Any:
    if given is None:
        return None
    try:
        return column.type.parse(str(given))
    except (ValueError, OverflowError, InvalidOperation):
        shown = shorten(str(given), 40)
        collector.note(f"The schema has '{key}' of {column.name} as {shown}: not checked.")
        return None
