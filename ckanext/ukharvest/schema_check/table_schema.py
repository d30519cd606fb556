"""Table Schema (https://datapackage.org/standard/table-schema/, versions 1 and 2) as rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.schema_check import columns as rules
from ckanext.ukharvest.schema_check.cell_types import TEXT, CellType
from ckanext.ukharvest.schema_check.collector import Collector
from ckanext.ukharvest.schema_check.columns import Column, Rule, TableRules
from ckanext.ukharvest.schema_check.csvlint import field_name
from ckanext.ukharvest.schema_check.table_schema_types import cell_type

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
        _column(each, number, missing, collector)
        for number, each in enumerate(document["fields"], 1)
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
    texts = [each.get("value") if isinstance(each, Mapping) else each for each in given]
    return frozenset(each for each in texts if isinstance(each, str))


def _primary_key(given: Any, columns: list[Column], collector: Collector) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    known = {each.name for each in columns}
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
    found = []
    for key, rule in (("minLength", rules.min_length), ("maxLength", rules.max_length)):
        length = rules.read_length(constraints.get(key), key, name, collector)
        if length is None:
            continue
        if description.get("type", "") not in _OF_TEXT:
            collector.note(f"The schema has '{key}' for {name}, which is no text: not checked.")
        else:
            found.append(rule(length))
    return found


def _pattern(given: Any, column: Column, collector: Collector) -> list[Rule]:
    if not isinstance(given, str) or not given:
        return []
    try:
        expression = re.compile(rf"^(?:{given})\Z")
    except (re.error, OverflowError, RecursionError) as exc:
        why = shorten(str(exc), 60)
        note = f"The pattern of {column.name} in the schema is invalid and not checked: {why}"
        collector.note(note)
        return []
    return [rules.pattern(expression, given)]


def _bounds(constraints: Mapping[str, Any], column: Column, collector: Collector) -> list[Rule]:
    found = []
    for key, rule, or_equal in (
        ("minimum", rules.minimum, True),
        ("exclusiveMinimum", rules.minimum, False),
        ("maximum", rules.maximum, True),
        ("exclusiveMaximum", rules.maximum, False),
    ):
        given = constraints.get(key)
        if given is None:
            continue
        value = _value(given, key, column, collector)
        if value is not None and column.type is not TEXT:
            found.append(rule(value, str(given), or_equal=or_equal))
    return found


def _enum(given: Any, column: Column, collector: Collector) -> list[Rule]:
    if not isinstance(given, list) or not given:
        return []
    values = [_value(each, "enum", column, collector) for each in given]
    shown = [_text(each, column.type) for each in given]
    return [rules.one_of([each for each in values if each is not None], shown)]


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
