"""Fields of a data.json entry that become extras of their own."""

from __future__ import annotations

import re
from typing import Any

from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers import datajson_parts as parts
from ckanext.ukharvest.parsers.json_fields import Fields, words

CODES = {
    "bureauCode": (re.compile(r"\d{3}:\d{2}"), "018:10"),
    "programCode": (re.compile(r"\d{3}:\d{3}"), "018:001"),
}


def codes(fields: Fields) -> dict[str, Any]:
    """Codes of the federal budget (OMB circular A-11, appendix C), which others have no use for."""
    found = {}
    for key, (pattern, example) in CODES.items():
        given = fields.texts(key)
        for code in given:
            if not pattern.fullmatch(code):
                shown = shorten(code, 40)
                fields.report("bad-code", key, f"'{shown}'; expected a code such as {example}")
        found[EXTRAS[key]] = ", ".join(given)
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
        items = fields.items(key, strict=False)
        if key in _REFERENCES:
            found[name] = ", ".join(filter(None, map(_reference, items)))
        else:
            found[name] = "\n".join(filter(None, map(words, items)))
    return {"extras": found}


def _reference(item: Any) -> str:
    # Whether the parent of a collection is in the source is known only when all of it was read:
    # the run compares is_part_of with its guids.
    return parts.identity(item) or words(item)
