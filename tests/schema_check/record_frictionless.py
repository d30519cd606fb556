"""Write what frictionless says of the cases to frictionless.json.

frictionless brings along more packages than all others of this project together, so it is in none
of its environments. Run this in one that has it and nothing else::

    python -m venv /tmp/frictionless && /tmp/frictionless/bin/pip install frictionless
    /tmp/frictionless/bin/python -m tests.schema_check.record_frictionless
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.schema_check.lga import CASES
from tests.schema_check.table_schema_cases import CELLS, HEADERS

PATH = Path(__file__).with_name("frictionless.json")

# Tables that have more than one cell to look at.
TABLES: list[tuple[str, dict[str, Any], str]] = [
    (
        "unique",
        {"fields": [{"name": "id", "type": "string", "constraints": {"unique": True}}]},
        "id\na\nb\na\n",
    ),
    (
        "primary key",
        {
            "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}],
            "primaryKey": ["a", "b"],
        },
        "a,b\n1,1\n1,2\n1,1\n",
    ),
    (
        "key without a value",
        {
            "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}],
            "primaryKey": ["a"],
        },
        "a,b\n1,1\n,2\n",
    ),
    (
        "blank row",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,b\n1,1\n\n2,2\n",
    ),
    (
        "missing cell",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,b\n1,1\n2\n",
    ),
    (
        "extra cell",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,b\n1,1\n2,2,2\n",
    ),
    (
        "duplicate label",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,a\n1,1\n",
    ),
    (
        "blank label",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,\n1,1\n",
    ),
    (
        "header alone",
        {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]},
        "a,b\n",
    ),
    ("empty file", {"fields": [{"name": "a", "type": "string"}]}, ""),
]


def cases() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield name, Table Schema and CSV of each case."""
    yield from TABLES
    for field, value, _code in CELLS:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([["value", "other"], [value, "x"]])
        fields = [{"name": "value", "type": "string", **field}, {"name": "other", "type": "string"}]
        name = " ".join(str(each) for each in (*_words(field), repr(value)))
        yield name, {"fields": fields}, out.getvalue()
    for number, (match, header, _codes) in enumerate(HEADERS):
        if match == "exact":  # frictionless 5 does not know fieldsMatch, and is always exact
            fields = [{"name": "id", "type": "string"}, {"name": "name", "type": "string"}]
            row = ",".join("x" * (header.count(",") + 1))
            yield f"header {number}", {"fields": fields}, f"{header}\n{row}\n"
    for number, case in enumerate(CASES, 1):
        yield f"lga {number}", case.table_schema(), case.data().decode("utf-8")


def _words(value: Any) -> Iterator[str]:
    """Yield what is in a field's description, for a name."""
    for key, each in value.items():
        if isinstance(each, dict):
            yield from _words(each)
        else:
            yield str(each) if key in ("type", "format") else f"{key}={each}"


def judge(schema: dict[str, Any], data: str) -> list[list[Any]]:
    """Return row, column and type of each error of frictionless."""
    from frictionless import FrictionlessException, Resource, Schema, system

    try:
        with system.use_context(trusted=True):
            resource = Resource(
                data=data.encode("utf-8"), format="csv", schema=Schema.from_descriptor(schema)
            )
            report = resource.validate()
    except FrictionlessException as exc:
        return [[0, "", exc.error.type]]
    found = []
    for error in [*report.errors, *(each for task in report.tasks for each in task.errors)]:
        row = getattr(error, "row_number", 0) or 0
        found.append([row, getattr(error, "field_name", "") or "", error.type])
    return found


def main() -> None:
    import frictionless

    results = {name: judge(schema, data) for name, schema, data in cases()}
    lines = [f"  {json.dumps(name)}: {json.dumps(found)}" for name, found in results.items()]
    head = f'{{"version": {json.dumps(frictionless.__version__)}, "results": {{'
    PATH.write_text("\n".join([head, ",\n".join(lines), "}}", ""]))


if __name__ == "__main__":
    main()
