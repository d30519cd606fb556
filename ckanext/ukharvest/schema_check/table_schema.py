"""Table Schema (https://datapackage.org/standard/table-schema/, versions 1 and 2) as rules."""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from dateutil.parser import isoparse, isoparser
from dateutil.parser import parse as parse_any

from ckanext.ukharvest.core.values import web_addresses
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check import columns as rules
from ckanext.ukharvest.schema_check import tree_check
from ckanext.ukharvest.schema_check.columns import (
    TEXT,
    CellType,
    Column,
    Rule,
    TableRules,
    dated,
    field_name,
    integer,
    matching,
    parse_integer,
)
from ckanext.ukharvest.schema_check.report import Collector

Description = Mapping[str, Any]
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?|NaN|-?INF")
_COORDINATE = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]*)?")
_YEAR = re.compile(r"[0-9]{4}")
_YEAR_MONTH = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")  # such texts sort as the months do
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_DURATION = re.compile(
    r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?"
    r"(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?"
)
_TRUE = ("true", "True", "TRUE", "1")
_FALSE = ("false", "False", "FALSE", "0")


def cell_type(description: Description, column: str, collector: Collector) -> CellType:
    """Return the type of a field; an unknown type or format is noted, and not checked."""
    name = description.get("type", "string")
    make = _TYPES.get(name) if isinstance(name, str) else None
    if make is None:
        shown = shorten(str(name), 60)
        collector.note(f"The type of {column} in the schema is unknown and not checked: {shown}")
        return TEXT
    try:
        return make(description)
    except (KeyError, ValueError):
        shown = shorten(str(description.get("format")), 60)
        collector.note(f"The format of {column} in the schema is unknown and not checked: {shown}")
        return TEXT


def _format(description: Description) -> str:
    name = description.get("format", "default")
    return name.removeprefix("fmt:") if isinstance(name, str) else "default"


def _string(description: Description) -> CellType:
    return _STRINGS[_format(description)]


def _parse_binary(text: str) -> str:
    base64.b64decode(text.encode("ascii"), validate=True)
    return text


def _parse_uuid(text: str) -> str:
    if str(uuid.UUID(text)) != text.lower():
        raise ValueError(text)
    return text


_STRINGS = {
    "default": TEXT,
    "email": CellType("an email address", "data@example.gov.uk", web_addresses.parse_email),
    "uri": CellType("a URI", "https://www.example.gov.uk/", matching(_URI)),
    "binary": CellType("data in base64", "TG9uZG9u", _parse_binary),
    "uuid": CellType("a UUID", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", _parse_uuid),
}


def _number(description: Description) -> CellType:
    point = str(description.get("decimalChar") or ".")
    groups = str(description.get("groupChar") or "")
    is_bare = description.get("bareNumber", True) is not False

    def parse(text: str) -> Decimal:
        if not is_bare:
            text = re.sub(r"^[^0-9+.-]+|[^0-9.]+$", "", text)
        text = text.replace(groups, "") if groups else text
        text = text.replace(point, ".") if point != "." else text
        if not _NUMBER.fullmatch(text):
            raise ValueError(text)
        return Decimal(text.replace("INF", "Infinity"))

    return CellType("a number", f"1200{point}50", parse)


def _integer(description: Description) -> CellType:
    groups = str(description.get("groupChar") or "")
    is_bare = description.get("bareNumber", True) is not False
    if is_bare and not groups:
        return integer("a whole number", "12")

    def parse(text: str) -> int:
        text = text if is_bare else re.sub(r"^[^0-9+-]+|[^0-9]+$", "", text)
        return parse_integer(text.replace(groups, "") if groups else text)

    return CellType("a whole number", "12", parse)


def _boolean(description: Description) -> CellType:
    true = _texts(description.get("trueValues"), _TRUE)
    false = _texts(description.get("falseValues"), _FALSE)

    def parse(text: str) -> bool:
        if text in true:
            return True
        if text in false:
            return False
        raise ValueError(text)

    return CellType(f"one of: {', '.join((*true, *false))}", true[0] if true else "", parse)


def _texts(given: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, list) else default


def _parse_any_date(text: str) -> datetime:
    try:
        return parse_any(text)
    except (TypeError, AttributeError, LookupError) as exc:  # dateutil's, for odd texts
        raise ValueError(text) from exc


def _after_pattern(words: str, usual: CellType) -> Callable[[Description], CellType]:
    """Return what makes a type of dates: ISO 8601 by default, "any", or after a pattern."""

    def make(description: Description) -> CellType:
        name = _format(description)
        if name == "default":
            return usual
        if name == "any":
            return CellType(words, usual.example, _parse_any_date)
        if "%" not in name:
            raise ValueError(name)
        return dated(f"{words} written as {name}", name, exact=False)

    return make


def _parse_point(text: str) -> tuple[Decimal, Decimal]:
    longitude, comma, latitude = (part.strip() for part in text.partition(","))
    if not comma:
        raise ValueError(text)
    return _coordinate(longitude, 180), _coordinate(latitude, 90)


def _coordinate(text: str, most: int) -> Decimal:
    if not _COORDINATE.fullmatch(text) or abs(number := Decimal(text)) > most:
        raise ValueError(text)
    return number


def _point(description: Description) -> CellType:
    return CellType("longitude and latitude", *_POINTS[_format(description)])


def _parse_point_list(text: str) -> tuple[Decimal, Decimal]:
    return _of_pair(_parse_json(text, list))


def _parse_point_object(text: str) -> tuple[Decimal, Decimal]:
    value = _parse_json(text, dict)
    return _of_pair([value.get("lon"), value.get("lat")])


_POINTS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "default": ("-1.5, 53.8", _parse_point),
    "array": ("[-1.5, 53.8]", _parse_point_list),
    "object": ('{"lon": -1.5, "lat": 53.8}', _parse_point_object),
}


def _of_pair(pair: list[Any]) -> tuple[Decimal, Decimal]:
    if len(pair) != 2:
        raise ValueError(pair)
    return _coordinate(str(pair[0]), 180), _coordinate(str(pair[1]), 90)


def _parse_json(text: str, kind: type) -> Any:
    try:
        value = json.loads(text)
    except RecursionError as exc:
        raise ValueError(text) from exc
    if not isinstance(value, kind):
        raise ValueError(text)
    return value


def _parse_geojson(text: str) -> Any:
    value = _parse_json(text, dict)
    if next(tree_check.faults(value), None):
        raise ValueError(text)
    return value


def _always(found: CellType) -> Callable[[Description], CellType]:
    return lambda _description: found


_TYPES: dict[str, Callable[[Description], CellType]] = {
    "": _string,
    "string": _string,
    "any": _always(TEXT),
    "list": _always(TEXT),
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "date": _after_pattern(
        "a date", CellType("a date", "2026-05-31", matching(_DAY, date.fromisoformat))
    ),
    "datetime": _after_pattern(
        "a date and time", CellType("a date and time", "2026-05-31T14:30:00Z", isoparse)
    ),
    "time": _after_pattern("a time", CellType("a time", "14:30:00", isoparser().parse_isotime)),
    "year": _always(CellType("a year", "2026", matching(_YEAR, int))),
    "yearmonth": _always(CellType("a year and month", "2026-05", matching(_YEAR_MONTH))),
    "duration": _always(CellType("a duration", "P1Y2M", matching(_DURATION))),
    "geopoint": _point,
    "geojson": _always(
        CellType("GeoJSON", '{"type": "Point", "coordinates": [-1.5, 53.8]}', _parse_geojson)
    ),
    "object": _always(CellType("a JSON object", '{"a": 1}', lambda text: _parse_json(text, dict))),
    "array": _always(CellType("a JSON list", "[1, 2]", lambda text: _parse_json(text, list))),
}


_MATCHES = ("exact", "equal", "subset", "superset", "partial")
_NOT_CHECKED = ("foreignKeys", "uniqueKeys")
_OF_TEXT = ("string", "array", "list", "object", "any", "")


def read(document: Mapping[str, Any], collector: Collector) -> TableRules:
    """Return the rules of a schema; what is unclear in it is noted and not checked.

    Raises:
        Unchecked: a field has no name.
    """
    for key in _NOT_CHECKED:
        if document.get(key):
            collector.note(f"The schema has {key}, which are not checked.")
    missing = _missing(document.get("missingValues"), frozenset(("",)))
    columns = [
        _column(field, number, missing, collector)
        for number, field in enumerate(document["fields"], 1)
    ]
    match = document.get("fieldsMatch", "exact")
    match = match[0] if isinstance(match, list) and match else match
    return TableRules(
        columns,
        match if match in _MATCHES else "exact",
        _primary_key(document.get("primaryKey"), columns, collector),
    )


def _missing(given: Any, default: frozenset[str]) -> frozenset[str]:
    """Return texts that stand for no value; version 2 allows objects with labels."""
    if not isinstance(given, list):
        return default
    texts = [item.get("value") if isinstance(item, Mapping) else item for item in given]
    return frozenset(text for text in texts if isinstance(text, str))


def _primary_key(given: Any, columns: list[Column], collector: Collector) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    known = {column.name for column in columns}
    wrong = [str(name) for name in names if not isinstance(name, str) or name not in known]
    if wrong:
        shown = shorten(wrong[0], 60)
        collector.note(f"The schema's primary key has no such field and is not checked: {shown}")
        return ()
    return tuple(names)


def _column(
    description: Mapping[str, Any], number: int, missing: frozenset[str], collector: Collector
) -> Column:
    name = field_name(description, number)
    given = description.get("constraints")
    constraints: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    column = Column(name, cell_type(description, name, collector))
    column.missing = _missing(description.get("missingValues"), missing)
    column.required = rules.read_flag(constraints.get("required"), "required", name, collector)
    column.unique = rules.read_flag(constraints.get("unique"), "unique", name, collector)
    if isinstance(constraints.get("jsonSchema"), Mapping):
        collector.note(f"The schema has a jsonSchema for {name}, which is not checked.")
    column.rules += _lengths(constraints, description, name, collector)
    column.rules += _pattern(constraints.get("pattern"), column, collector)
    column.rules += _bounds(constraints, column, collector)
    column.rules += _enum(constraints.get("enum"), column, collector)
    return column


def _lengths(
    constraints: Mapping[str, Any], description: Mapping[str, Any], name: str, collector: Collector
) -> list[Rule]:
    limits = []
    for key, rule in rules.LENGTHS:
        length = rules.read_length(constraints.get(key), key, name, collector)
        if length is None:
            continue
        if description.get("type", "") not in _OF_TEXT:
            collector.note(f"The schema has '{key}' for {name}, which is no text: not checked.")
        else:
            limits.append(rule(length))
    return limits


def _pattern(given: Any, column: Column, collector: Collector) -> list[Rule]:
    if not isinstance(given, str) or not given:
        return []
    expression = rules.compile_pattern(rf"^(?:{given})\Z", column.name, collector)
    return [rules.pattern(expression, given)] if expression else []


def _bounds(constraints: Mapping[str, Any], column: Column, collector: Collector) -> list[Rule]:
    limits = []
    for key, rule, or_equal in (
        ("minimum", rules.minimum, True),
        ("exclusiveMinimum", rules.minimum, False),
        ("maximum", rules.maximum, True),
        ("exclusiveMaximum", rules.maximum, False),
    ):
        bound = constraints.get(key)
        if bound is None:
            continue
        value = _value(bound, key, column, collector)
        if value is not None and column.type is not TEXT:
            limits.append(rule(value, str(bound), or_equal=or_equal))
    return limits


def _enum(given: Any, column: Column, collector: Collector) -> list[Rule]:
    if not isinstance(given, list) or not given:
        return []
    values = [_value(item, "enum", column, collector) for item in given]
    shown = [_text(item, column.type) for item in given]
    return [rules.one_of([value for value in values if value is not None], shown)]


def _value(given: Any, key: str, column: Column, collector: Collector) -> Any:
    """Return the value of a bound, in JSON a number or a text; None if it has another type."""
    try:
        return column.type.parse(_text(given, column.type))
    except (ValueError, OverflowError, ArithmeticError):
        shown = shorten(str(given), 40)
        note = f"The schema has '{key}' of {column.name} as {shown}, which is not"
        collector.note(f"{note} {column.type.words}: not checked.")
        return None


def _text(given: Any, cell: CellType) -> str:
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, float) and given.is_integer() and cell.example.isdecimal():
        return str(int(given))
    return str(given)
