"""Location data records: UK GEMINI 2.1 to 2.3 on ISO 19139, and the common fields of its kin.

Specification: UK GEMINI 2.3 of the Association for Geographic Information; ISO 19139, 19115-2
and 19115-3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.parsers.iso_node import IsoNode

VERSION = 1
FORM = "xml"
OPTIONS = ()


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: no such document, or without title or identity.
    """
    problems: list[Problem] = []
    record = IsoNode(xml.parse(raw.content or "", url=raw.url), problems)
    title = record.text("identificationInfo/*/citation/*/title")
    if not title:
        raise ParseError(f"{raw.called}: title is missing; expected a text", code="missing-title")
    notes = record.text("identificationInfo/*/abstract")
    return DatasetRecord(raw.guid, title, notes=notes, problems=tuple(problems))
