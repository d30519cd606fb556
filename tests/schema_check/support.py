"""Check texts against schemas within this process, and look at what is found."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.schema_check.check import judge
from ckanext.ukharvest.schema_check.report import (
    Collector,
    ColumnSummary,
    Finding,
    Limits,
    Stopped,
    Unchecked,
)

XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass
class Result:
    """What came of a check; ``found`` has row, column and code of each finding."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    columns: list[ColumnSummary] = field(default_factory=list)
    reason: str = ""
    stopped: str = ""

    @property
    def found(self) -> list[tuple[int, str, str]]:
        return [(each.row, each.column, each.code) for each in self.findings]

    @property
    def codes(self) -> list[str]:
        return [each.code for each in self.findings]

    @property
    def is_valid(self) -> bool:
        return not self.findings and not self.reason


def to_bytes(value: Any) -> bytes:
    """Return bytes as they are, text as UTF-8, anything else as JSON."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")


def check(schema: Any, data: Any, **limits: Any) -> Result:
    """Check data; a schema of None is no schema."""
    result = Result()

    def emit(name: str, value: Any) -> None:
        if name == "finding":
            result.findings.append(Finding(*value))
        elif name == "note":
            result.notes.append(value)
        elif name == "column":
            result.columns.append(ColumnSummary(**value))
        else:
            result.values[name] = value

    collector = Collector(Limits(**limits), emit)
    content = None if schema is None else to_bytes(schema)
    try:
        judge(io.BytesIO(to_bytes(data)), content, collector)
    except Unchecked as exc:
        result.reason = str(exc)
    except Stopped as exc:
        result.stopped = str(exc)
    collector.save_progress()
    return result


def lint(*fields: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a schema in csvlint's dialect; types may lack their namespace."""
    made = []
    for name, constraints in fields:
        own = dict(constraints)
        if "type" in own and "#" not in own["type"]:
            own["type"] = XSD + own["type"]
        made.append({"name": name, "title": name, "constraints": own})
    # One field with a type says that it is the dialect.
    return {"fields": made}


def table(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a Table Schema: each field has a type of its own, unlike in csvlint's dialect."""
    return {"fields": [{"type": "string", **each} for each in fields], **more}
