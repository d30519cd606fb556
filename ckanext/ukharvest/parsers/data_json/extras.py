"""Fields of a data.json entry that become extras of their own, and those of our own export.

``extras``, of datasets and distributions, is CKAN's list of ``{"key", "value"}``: our own export
writes there what the schema has no property for. The schema allows other properties.
"""

from __future__ import annotations

import re
from typing import Any

from ckanext.ukharvest.core.translations import OF_DATASET, OF_RESOURCE
from ckanext.ukharvest.core.values import multivalue
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers import package_dict, portal_fields, table
from ckanext.ukharvest.parsers.json_fields import Fields, value_text
from ckanext.ukharvest.parsers.table import row

CODES = {
    "bureauCode": (re.compile(r"\d{3}:\d{2}"), "018:10"),
    "programCode": (re.compile(r"\d{3}:\d{3}"), "018:001"),
}


def _codes(fields: Fields, names: table.Names) -> str:
    """Return codes of the US federal budget (OMB circular A-11, appendix C)."""
    (key,) = names
    pattern, example = CODES[key]
    texts = fields.texts(key)
    for code in texts:
        if not pattern.fullmatch(code):
            shown = shorten(code, 40)
            fields.report("bad-code", key, f"'{shown}'; expected a code such as {example}")
    return ", ".join(texts)


def _lines(fields: Fields, names: table.Names) -> str:
    return "\n".join(fields.values(names[0]))


def _identifiers(fields: Fields, names: table.Names) -> list[str]:
    # Only after the whole source was read is it known whether a collection's parent is in it:
    # the run then compares is_part_of with the source's guids.
    items = fields.items(names[0], strict=False)
    texts = (parse_identifier(item) or value_text(item) for item in items)
    return list(filter(None, texts))


def _references(fields: Fields, names: table.Names) -> str:
    return ", ".join(_identifiers(fields, names))


def _json_list(fields: Fields, names: table.Names) -> str:
    # Of DCAT-AP, as our own export writes them: JSON lists, as harvests of DCAT store them.
    return multivalue.as_text(_identifiers(fields, names))


# Fields without a DatasetRecord field, kept as text; our own export writes them back.
ROWS = (
    row("accessLevel", "extra access_level", _lines),
    row("bureauCode", "extra bureau_code", _codes),
    row("programCode", "extra program_code", _codes),
    row("dataQuality", "extra data_quality", _lines),
    row("primaryITInvestmentUII", "extra primary_it_investment_uii", _lines),
    row("systemOfRecords", "extra system_of_records", _lines),
    row("isPartOf", "extra is_part_of", _references),
    row("inSeries", "extra in_series", _references),
    row("otherIdentifier", "extra other_identifier", _references),
    row("status", "extra status", _lines),
    row("purpose", "extra purpose", _lines),
    row("provenance", "extra provenance", _lines),
    row("scopeNote", "extra scope_note", _lines),
    row("versionNotes", "extra version_notes", _lines),
    row("liabilityStatement", "extra liability_statement", _lines),
    row("spatialResolutionInMeters", "extra spatial_resolution_in_meters", _lines),
    row("temporalResolution", "extra temporal_resolution", _lines),
    row("contributor", "extra contributor", _lines),
    row("rightsHolder", "extra rights_holder", _lines),
    row("relation", "extra relation", _references),
    row("isReferencedBy", "extra is_referenced_by", _references),
    row("applicableLegislation", "extra applicable_legislation", _json_list),
    row("hvdCategory", "extra hvd_category", _json_list),
)
# Name in the document → CKAN extra.
EXTRAS = {item.names[0]: item.extra for item in ROWS}
REFERENCES = tuple(item.names[0] for item in ROWS if item.reader is _references)

# Of ``extras``, what is read in other ways: texts in several languages, and the place.
_APART = frozenset((*portal_fields.TAKEN_OF_DATASET, *OF_DATASET, "spatial"))
_APART_OF_FILE = frozenset((*portal_fields.TAKEN_OF_RESOURCE, *OF_RESOURCE))


def own_fields(fields: Fields) -> dict[str, Any]:
    """Return what ``extras`` has, as CKAN's fields by name."""
    return package_dict.extras(fields.get("extras"))


def own_extras(fields: Fields, *, of_file: bool = False) -> dict[str, str]:
    """Return those of ``own_fields`` that become extras as they are."""
    left_out = _APART_OF_FILE if of_file else _APART
    return dict(package_dict.unread_fields(own_fields(fields), left_out))
