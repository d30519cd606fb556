"""Fields of a data.json entry that become extras of their own."""

from __future__ import annotations

import re
from typing import Any

from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers import datajson_parts as parts
from ckanext.ukharvest.parsers.json_fields import Fields, words

CODES = {"bureauCode": r"\d{3}:\d{2}", "programCode": r"\d{3}:\d{3}"}


def codes(fields: Fields) -> dict[str, Any]:
    """Codes of the federal budget (OMB circular A-11, appendix C), which others have no use for."""
    found = {}
    for key, pattern in CODES.items():
        codes = fields.texts(key)
        for code in codes:
            if not re.fullmatch(pattern, code):
                form = pattern.replace(r"\d", "d")
                fields.report("bad-code", key, f"'{shorten(code, 40)}'; expected the form {form}")
        found[EXTRAS[key]] = ", ".join(codes)
    return {"extras": found}


# Facts without a field of their own, kept as text: name in the document → CKAN extra.
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
}
_REFERENCES = ("isPartOf", "inSeries", "otherIdentifier", "relation", "isReferencedBy")


def further(fields: Fields) -> dict[str, Any]:
    """Everything in EXTRAS that needs no check."""
    found = {}
    for key, name in EXTRAS.items():
        if key in CODES:
            continue
        shown = _reference if key in _REFERENCES else words
        items = fields.items(key, strict=False)
        found[name] = ", ".join(filter(None, (shown(item) for item in items)))
    return {"extras": found}


def _reference(item: Any) -> str:
    # Whether the parent of a collection is in the source is known only when all of it was read:
    # the run compares is_part_of with its guids.
    return parts.identity(item) or words(item)
