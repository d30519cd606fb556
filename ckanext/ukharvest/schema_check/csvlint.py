"""csvlint's dialect, in which the LGA writes its schemas, as rules for columns.

The rules are those of csvlint's documentation ("JSON Table Schema Support"): the types are XML
Schema's, patterns may match anywhere in the text, and apply to empty cells as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check import columns as rules
from ckanext.ukharvest.schema_check.collector import Collector, Unchecked
from ckanext.ukharvest.schema_check.columns import (
    TEXT,
    CellType,
    Column,
    TableRules,
    dated,
    integer,
    parse_web_url,
)

_XSD = "http://www.w3.org/2001/XMLSchema#"
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?INF|NaN")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_SPACE = " \t\r\n"  # which XML Schema and Ruby ignore around numbers
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


def _parse_float(text: str) -> float:
    if not _FLOAT.fullmatch(text.strip(_SPACE)):
        raise ValueError(text)
    return float(text)


def _parse_decimal(text: str) -> Decimal:
    if not _DECIMAL.fullmatch(text.strip(_SPACE)):
        raise ValueError(text)
    return Decimal(text.strip(_SPACE))


def _parse_boolean(text: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise ValueError(text)
    return text in ("true", "1")


def _integer(words: str, example: str, **bounds: int) -> CellType:
    cell = integer(words, example, **bounds)
    return CellType(words, example, lambda text: cell.parse(text.strip(_SPACE)))


_WHOLE = _integer("a whole number", "12")
_NUMBER = CellType("a number without commas or signs of a currency", "1200.50", _parse_float)
_DECIMALS = CellType(_NUMBER.words, _NUMBER.example, _parse_decimal)
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
    "boolean": CellType("true, false, 1 or 0", "true", _parse_boolean),
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
    column.required = rules.read_flag(rules_of_field.get("required"), "required", name, collector)
    column.unique = rules.read_flag(rules_of_field.get("unique"), "unique", name, collector)
    shortest = rules.read_length(rules_of_field.get("minLength"), "minLength", name, collector)
    longest = rules.read_length(rules_of_field.get("maxLength"), "maxLength", name, collector)
    if shortest is not None:
        column.text_rules.append(rules.min_length(shortest))
    if longest is not None:
        column.text_rules.append(rules.max_length(longest))
    if expression := _pattern(rules_of_field.get("pattern"), name, collector):
        shown = str(rules_of_field["pattern"])
        column.text_rules.append(rules.pattern(expression, shown, column.type.example))
    if column.type is not TEXT:
        for key, rule in (("minimum", rules.minimum), ("maximum", rules.maximum)):
            bound = _bound(rules_of_field.get(key), key, column, collector)
            if bound is not None:
                column.rules.append(rule(bound, str(rules_of_field[key])))
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
    try:
        text = _ESCAPE.sub(lambda found: dict(_RUBY).get(found[0], found[0]), given)
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", text), re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as exc:
        why = shorten(str(exc), 60)
        collector.note(f"The pattern of {column} in the schema is invalid and not checked: {why}")
        return None


def _bound(given: Any, key: str, column: Column, collector: Collector) -> Any:
    if given is None:
        return None
    try:
        return column.type.parse(str(given))
    except (ValueError, OverflowError, InvalidOperation):
        shown = shorten(str(given), 40)
        collector.note(f"The schema has '{key}' of {column.name} as {shown}: not checked.")
        return None
