"""Quality and lineage of a GEMINI record's resource: elements 10, 41 and 48."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, text_or_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

# ISO 19115-3 moved lineage out of the quality element.
_LINEAGES = ("dataQualityInfo/*/lineage/*", "resourceLineage/*")


def _lineage(entry: Entry) -> FieldValues:
    """Read the lineage statements; if there are none, its steps and sources."""
    statements = entry.record.texts(*(f"{path}/statement" for path in _LINEAGES))
    parts = ("processStep/*/description", "source/*/description")
    texts = statements or entry.record.texts(
        *(f"{path}/{part}" for path in _LINEAGES for part in parts)
    )
    return {"extras": {"lineage": "\n\n".join(dict.fromkeys(map(plain_text, texts)))}}


def _scope(entry: Entry) -> FieldValues:
    paths = ("dataQualityInfo/*/scope/*/level", "resourceLineage/*/scope/*/level")
    return {"extras": {"quality-scope": text_or_list(entry.record.codes(*paths))}}


def _conformity(entry: Entry) -> FieldValues:
    results = entry.record.find_all("dataQualityInfo/*/report/*/result/DQ_ConformanceResult")
    return {"extras": {"conformity": json_list(map(_result, results))}}


def _result(node: IsoNode) -> dict[str, Any]:
    """Return one result; ``pass`` is true, false or missing (not evaluated)."""
    citation = "specification/*/"
    date = node.first(citation + "date/*")
    text = date.text("date") if date else ""
    facts = {
        "title": node.text(citation + "title"),
        "date": date.parse_value("gmd:date", text, parse_date, "bad-date") if date else "",
        "date_type": date.code("dateType") if date else "",
        "explanation": node.text("explanation"),
    }
    found: dict[str, Any] = {**without_blanks(facts)}
    if (passed := read_yes_no(node.text("pass"))) is not None:
        found["pass"] = passed
    return found


MAPPING: tuple[Field[Entry], ...] = (
    Field(("gmd:LI_Lineage/gmd:statement",), "extra lineage", _lineage),
    Field(("gmd:DQ_Scope/gmd:level",), "extra quality-scope", _scope),
    Field(("gmd:DQ_ConformanceResult",), "extra conformity", _conformity),
)
