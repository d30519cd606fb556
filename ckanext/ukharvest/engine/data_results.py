"""Results of checks of data as columns of ``DataCheck``."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Sequence
from typing import Any

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.link_states import growing_pause
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.model import DataCheck
from ckanext.ukharvest.schema_check.report import DataReport, Finding, FindingsCsv, Verdict

_PIECE = 1 << 20
_COPIED = ("verdict", "errors", "checked", "unit", "reason", "stopped", "schema_type")


def columns(report: DataReport, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """Return a report and all its findings."""
    stored = storable(report.as_dict())
    return {
        **{name: stored[name] for name in _COPIED},
        "report": stored,
        "findings": _as_csv(findings, report.place),
        "found": tables.utcnow(),
        "due": None,
        "faults": 0,
        "fault": "",
    }


def unchecked(reason: str, schema_checksum: str = "") -> dict[str, Any]:
    """Return that data were not read, and why."""
    nothing = dict.fromkeys(("checksum", "etag", "last_modified"), "")
    report = DataReport(Verdict.UNCHECKED, reason=reason)
    return {**columns(report), **nothing, "schema_checksum": schema_checksum}


def fault(before: DataCheck | None, message: str, days: int) -> dict[str, Any]:
    """Return that the data could not be read; an earlier result of the same data stays.

    Args:
        before: the last result of this URL and schema.
        message: why, as a sentence.
        days: the most days until the next attempt; it doubles with each failure.
    """
    faults = before.faults + 1 if before else 1
    due = tables.utcnow() + growing_pause(faults, days)
    again = {"faults": faults, "due": due, "fault": clean_text(message)}
    if before and before.checksum:
        return again
    return {**unchecked(f"The data cannot be read: {message}"), **again}


def describe_download(reply: Reply) -> dict[str, str]:
    """Return checksum and validators of a download."""
    digest = hashlib.sha256()
    reply.body.seek(0)
    while piece := reply.body.read(_PIECE):
        digest.update(piece)
    reply.body.seek(0)
    return {
        "checksum": digest.hexdigest(),
        "etag": clean_text(reply.validators.etag),
        "last_modified": clean_text(reply.validators.last_modified),
    }


def _as_csv(findings: Sequence[Finding], place: str) -> bytes | None:
    if not findings:
        return None
    text = io.StringIO()
    write = FindingsCsv(text, place)
    for finding in findings:
        write(finding)
    return zlib.compress(text.getvalue().encode("utf-8", "replace"))


def storable(value: Any) -> Any:
    """Return a report without the characters that PostgreSQL cannot store."""
    if isinstance(value, dict):
        return {str(key): storable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(part) for part in value]
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    return value
