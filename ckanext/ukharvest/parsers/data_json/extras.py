"""Fields of a data.json entry that become extras of their own, and those of our own export.

``extras``, of datasets and distributions, is CKAN's list of ``{"key", "value"}``: our own export
writes there what the schema has no property for. The schema allows other properties.
"""

from __future__ import annotations

import re
from typing import Any

from ckanext.ukharvest.core.translated_keys import OF_DATASET, OF_RESOURCE
from ckanext.ukharvest.core.values import multivalue
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers import package_dict, portal_fields
from ckanext.ukharvest.parsers.json_fields import Fields, value_text

CODES = {
    "bureauCode": (re.compile(r"\d{3}:\d{2}"), "018:10"),
    "programCode": (re.compile(r"\d{3}:\d{3}"), "018:001"),
}


def codes(fields: Fields) -> dict[str, Any]:
    """Return codes of the US federal budget (OMB circular A-11, appendix C)."""
    found = {}
    for key, (pattern, example) in CODES.items():
        given = fields.texts(key)
        for code in given:
            if not pattern.fullmatch(code):
                shown = shorten(code, 40)
                fields.report("bad-code", key, f"'{shown}'; expected a code such as {example}")
        found[EXTRAS[key]] = ", ".join(given)
    return {"extras": found}


# Fields without a DatasetRecord field, kept as text: name in the document → CKAN extra.
EXTRAS = {
    "accessLevel": "access_level",
    "bureauCode": "bureau_code",
    "programCode": "program_code",
    "dataQuality": "data_quality",
    "primaryITInvestmentUII": "primary_it_investment_uii",
    "systemOfRecords": "system_of_records",
    "isPartOf": "is_part_of",
    "inSeries": "in_series",
    "otherIdentifier": "other_identifier",
    "status": "status",
    "purpose": "purpose",
    "provenance": "provenance",
    "scopeNote": "scope_note",
    "versionNotes": "version_notes",
    "liabilityStatement": "liability_statement",
    "spatialResolutionInMeters": "spatial_resolution_in_meters",
    "temporalResolution": "temporal_resolution",
    "contributor": "contributor",
    "rightsHolder": "rights_holder",
    "relation": "relation",
    "isReferencedBy": "is_referenced_by",
    "applicableLegislation": "applicable_legislation",
    "hvdCategory": "hvd_category",
}
REFERENCES = ("isPartOf", "inSeries", "otherIdentifier", "relation", "isReferencedBy")
# Of DCAT-AP, as our own export writes them: JSON lists, as harvests of DCAT store them.
_LISTS = ("applicableLegislation", "hvdCategory")

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


def read_extras(fields: Fields) -> dict[str, Any]:
    """Return the fields in EXTRAS, which need no validation."""
    found = {}
    for key, name in EXTRAS.items():
        if key in CODES:
            continue
        items = fields.items(key, strict=False)
        if key in _LISTS:
            found[name] = multivalue.as_text(map(_reference, items))
        elif key in REFERENCES:
            found[name] = ", ".join(filter(None, map(_reference, items)))
        else:
            found[name] = "\n".join(filter(None, map(value_text, items)))
    return {"extras": found}


def _reference(item: Any) -> str:
    # Only after the whole source was read is it known whether a collection's parent is in it:
    # the run then compares is_part_of with the source's guids.
    return parse_identifier(item) or value_text(item)
