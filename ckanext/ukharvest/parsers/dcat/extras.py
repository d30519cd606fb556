"""Fields of a dataset that become extras, named as in ckanext-dcat.

Portals filled by ckanext-dcat, its templates and its RDF output use these names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.identifiers import property_value
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.dcat.node import Node, as_list

# Stored as one text; several values are joined.
SINGLE = {
    "adms:versionNotes": "version_notes",
    "dcat:versionNotes": "version_notes",
    "dct:provenance": "provenance",
    "dct:type": "dcat_type",
    "dct:accessRights": "access_rights",
    "dct:accrualPeriodicity": "frequency",
    "dcat:temporalResolution": "temporal_resolution",
    "dcat:spatialResolutionInMeters": "spatial_resolution_in_meters",
    "dcat:granularity": "granularity",
    "dcat:dataQuality": "data_quality",
    "adms:status": "status",
    "dct:alternative": "alternative",
    "skos:altLabel": "acronym",
    "foaf:homepage": "homepage",
    "dct:contributor": "contributor",
    "dct:rightsHolder": "rights_holder",
    "dct:isPartOf": "is_part_of",
    "prov:wasGeneratedBy": "was_generated_by",
    "odrl:hasPolicy": "has_policy",
    "dpv:hasPurpose": "purpose",
    "dcatus:purpose": "purpose",
    "skos:scopeNote": "scope_note",
    "health:minTypicalAge": "min_typical_age",
    "health:maxTypicalAge": "max_typical_age",
    "health:numberOfRecords": "number_of_records",
    "health:numberOfUniqueIndividuals": "number_of_unique_individuals",
    "health:populationCoverage": "population_coverage",
    "health:publisherNote": "publisher_note",
    "health:publisherType": "publisher_type",
}
# Lists, stored as JSON.
LISTS = {
    "dcat:theme": "theme",
    "adms:identifier": "alternate_identifier",
    "dct:conformsTo": "conforms_to",
    "foaf:page": "documentation",
    "dct:relation": "related_resource",
    "dct:hasVersion": "has_version",
    "dcat:hasVersion": "has_version",
    "dct:isVersionOf": "is_version_of",
    "dcat:isVersionOf": "is_version_of",
    "dcat:previousVersion": "previous_version",
    "dct:source": "source",
    "adms:sample": "sample",
    "dct:isReferencedBy": "is_referenced_by",
    "dcatap:applicableLegislation": "applicable_legislation",
    "dcatap:hvdCategory": "hvd_category",
    "dcat:inSeries": "in_series",
    "dct:isReplacedBy": "is_replaced_by",
    "dct:replaces": "replaces",
    "dct:hasPart": "has_part",
    "dct:subject": "subject",
    "prov:wasDerivedFrom": "was_derived_from",
    "dpv:hasLegalBasis": "legal_basis",
    "dpv:hasPersonalData": "personal_data",
    "health:analytics": "analytics",
    "health:hasCodeValues": "code_values",
    "health:hasCodingSystem": "coding_system",
    "health:healthCategory": "health_category",
    "health:healthTheme": "health_theme",
}


def reader(predicate: str, name: str, *, is_list: bool) -> Callable[[Node], dict[str, Any]]:
    """Return the function that reads one line of SINGLE or LISTS."""

    def read(node: Node) -> dict[str, Any]:
        values = node.values(predicate)
        return {"extras": {name: as_list(values) if is_list else ", ".join(values)}}

    return read


# VoID, section 5.1: linksets name the datasets at both ends of their links.
LINKSETS = ("void:subset",)
_TARGETS = ("void:objectsTarget", "void:target")


def linksets(node: Node) -> dict[str, Any]:
    """Return the datasets that VoID's linksets link to; needed for five stars of openness."""
    targets = [target for part in node.nodes(*LINKSETS) for target in part.values(*_TARGETS)]
    others = [target for target in dict.fromkeys(targets) if target != node.uri]
    return {"extras": {"linksets": as_list(others)}}


IDENTIFIER = ("dct:identifier", "schema:identifier")


def identifiers(node: Node) -> dict[str, Any]:
    """Return the dataset's identifier; schema.org has objects for it (PropertyValue)."""
    values = [_identifier(part) for part in node.nodes(*IDENTIFIER)]
    return {"extras": {"identifier": ", ".join(dict.fromkeys(filter(None, values)))}}


def _identifier(part: Node) -> str:
    if part.has("schema:value"):
        value = part.text("schema:value") or part.address()
        return property_value(next(iter(part.values("schema:propertyID")), ""), value)
    return part.value()


def identity(node: Node) -> dict[str, Any]:
    """Return the dataset's URI, under ckanext-dcat's and data.gov.uk's names."""
    return {"extras": {"uri": node.uri, "metadata_uri": node.uri if is_web_url(node.uri) else ""}}


def as_ckanext_dcat(found: Mapping[str, Any]) -> dict[str, str]:
    """Repeat values of DatasetRecord fields under the extras that ckanext-dcat reads."""
    period = found.get("temporal") or Period()
    facts = {
        "issued": found.get("issued", ""),
        "modified": found.get("modified", ""),
        "temporal_start": period.start,
        "temporal_end": period.end,
    }
    return {name: value for name, value in facts.items() if value}
