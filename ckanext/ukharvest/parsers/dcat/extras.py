"""Fields of a dataset that become extras, named as in ckanext-dcat, and those that no row reads.

Portals filled by ckanext-dcat, its templates and its RDF output use these names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.identifiers import property_value
from ckanext.ukharvest.core.values.multivalue import as_list
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.dcat.node import Node, Term

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
    "dct:tableOfContents": "table_of_contents",
    "dct:bibliographicCitation": "bibliographic_citation",
    "dct:available": "available",
    "geodcat:spatialResolutionAsText": "spatial_resolution_as_text",
    "geodcat:resourceType": "resource_type",
    "dcatus:liabilityStatement": "liability",
    "health:minTypicalAge": "min_typical_age",
    "health:maxTypicalAge": "max_typical_age",
    "health:numberOfRecords": "number_of_records",
    "health:numberOfUniqueIndividuals": "number_of_unique_individuals",
    "health:populationCoverage": "population_coverage",
    "health:publisherNote": "publisher_note",
    "health:publisherType": "publisher_type",
    "cr:citeAs": "bibliographic_citation",
    "cr:isLiveDataset": "is_live_dataset",
    "schema:abstract": "abstract",
    "schema:accountablePerson": "accountable_person",
    "schema:acquireLicensePage": "acquire_license_page",
    "schema:additionalType": "dcat_type",
    "schema:alternateName": "alternative",
    "schema:audience": "audience",
    "schema:citation": "bibliographic_citation",
    "schema:conditionsOfAccess": "access_rights",
    "schema:contributor": "contributor",
    "schema:copyrightHolder": "rights_holder",
    "schema:copyrightNotice": "copyright_notice",
    "schema:copyrightYear": "copyright_year",
    "schema:correction": "correction",
    "schema:creativeWorkStatus": "status",
    "schema:creditText": "credit",
    "schema:disambiguatingDescription": "disambiguating_description",
    "schema:editor": "editor",
    "schema:expires": "expires",
    "schema:funder": "funder",
    "schema:funding": "funding",
    "schema:genre": "genre",
    "schema:isAccessibleForFree": "is_accessible_for_free",
    "schema:isPartOf": "is_part_of",
    "schema:issn": "issn",
    "schema:measurementMethod": "measurement_method",
    "schema:measurementTechnique": "measurement_technique",
    "schema:provider": "provider",
    "schema:size": "extent",
    "schema:sourceOrganization": "source_organization",
    "schema:sponsor": "sponsor",
    "schema:usageInfo": "usage_info",
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
    "dcat:prev": "previous_in_series",
    "dcat:next": "next_in_series",
    "dcat:first": "first_in_series",
    "dcat:last": "last_in_series",
    "dct:requires": "requires",
    "dct:isRequiredBy": "is_required_by",
    "dcat:hasCurrentVersion": "has_current_version",
    "geodcat:topicCategory": "topic_category",
    "geodcat:referenceSystem": "reference_system",
    "prov:wasAttributedTo": "was_attributed_to",
    "prov:wasUsedBy": "was_used_by",
    "schema:image": "image",
    "adms:supportedSchema": "supported_schema",
    "prov:wasDerivedFrom": "was_derived_from",
    "dpv:hasLegalBasis": "legal_basis",
    "dpv:hasPersonalData": "personal_data",
    "health:analytics": "analytics",
    "health:hasCodeValues": "code_values",
    "health:hasCodingSystem": "coding_system",
    "health:healthCategory": "health_category",
    "health:healthTheme": "health_theme",
    "schema:hasPart": "has_part",
    "schema:includedInDataCatalog": "included_in_data_catalog",
    "schema:isBasedOn": "source",
    "schema:mentions": "mentions",
    "schema:sameAs": "same_as",
    "schema:subjectOf": "subject_of",
    "schema:thumbnailUrl": "thumbnail",
    "schema:variableMeasured": "variable_measured",
    "schema:workExample": "work_example",
    "schema:exampleOfWork": "example_of_work",
    "schema:translationOfWork": "translation_of_work",
}


# DCAT 3, section 6.7: a series and its members name each other.
SERIES = ("dcat:seriesMember",)


def kind(node: Node) -> dict[str, Any]:
    """Return what the record is, if no dataset, in the words of ISO 19115; a series' members."""
    types = node.types()
    inside = (part.uri for part in node.subjects("dcat:inSeries") if part.uri)
    members = list(dict.fromkeys((*node.values(*SERIES), *inside)))
    name = "series" if "DatasetSeries" in types else ""
    name = "service" if "DataService" in types and "Dataset" not in types else name
    return {"extras": {"resource-type": name, "series_members": as_list(members)}}


SIDES = {"west": "Longitude", "south": "Latitude", "east": "Longitude", "north": "Latitude"}

# Nodes without a text of their own: predicate → extra, and the names of what hangs below them.
# Relations with a role (DCAT 3, section 6.4.19), the Data Quality Vocabulary, and DCAT-US 3.
_FILE = {"dcat:accessURL": "url", "dcat:downloadURL": "download_url", "dct:title": "title"}
_FILE |= {"dct:format": "format", "dcat:mediaType": "media_type", "dct:license": "license"}
_RESTRICTION = {
    "dcatus:restrictionStatus": "status",
    "dcatus:specificRestriction": "specific_restriction",
    "dcatus:restrictionNote": "note",
    "dcatus:cuiBannerMarking": "banner_marking",
    "dcatus:designationIndicator": "designation_indicator",
    "dcatus:requiredIndicatorPerAuthority": "required_indicator",
}
RESTRICTIONS = {
    "dcatus:describedBy": ("data_dictionary", _FILE),
    "dcatus:accessRestriction": ("access_restriction", _RESTRICTION),
    "dcatus:useRestriction": ("use_restriction", _RESTRICTION),
    "dcatus:cuiRestriction": ("cui_restriction", _RESTRICTION),
}
_MEASURED = {
    "dqv:isMeasurementOf": "measure",
    "dqv:value": "value",
    "sdmx:unitMeasure": "unit",
}
QUALITY = {"dqv:hasQualityMeasurement": ("quality_measurement", _MEASURED)}
OBJECTS = {
    "dcat:qualifiedRelation": (
        "qualified_relation",
        {"dct:relation": "relation", "dcat:hadRole": "role"},
    ),
    **QUALITY,
    "dcatus:geographicBoundingBox": (
        "bbox",
        {f"dcatus:{side}Bounding{way}": side for side, way in SIDES.items()},
    ),
    "dcatus:metadataDistribution": ("metadata_distribution", _FILE),
    **RESTRICTIONS,
}


def objects(node: Node, predicates: Mapping[str, tuple[str, Mapping[str, str]]]) -> dict[str, str]:
    """Return nodes as ckanext-dcat stores them in extras: a JSON list of objects, or a text."""
    extras = {}
    for predicate, (name, members) in predicates.items():
        filled_objects: list[dict[str, str]] = []
        texts: list[str] = []
        for part in node.nodes(predicate):
            facts = {key: ", ".join(part.values(below)) for below, key in members.items()}
            filled = {key: text for key, text in {"uri": part.uri, **facts}.items() if text}
            if filled.keys() - {"uri"}:
                filled_objects.append(filled)
            elif text := part.value():
                texts.append(text)
        extras[name] = (
            json.dumps(filled_objects, ensure_ascii=False) if filled_objects else ", ".join(texts)
        )
    return extras


def nested(node: Node) -> dict[str, Any]:
    """Return what OBJECTS names, and the identifiers of places."""
    places = [text for part in node.nodes("dct:spatial") for text in part.values("dct:identifier")]
    return {"extras": {**objects(node, OBJECTS), "spatial_identifier": as_list(places)}}


# VoID, section 5.1: linksets name the datasets at both ends of their links.
LINKSETS = ("void:subset",)


def linksets(node: Node) -> dict[str, Any]:
    """Return the datasets that VoID's linksets link to; needed for five stars of openness."""
    targets = [
        target
        for part in node.nodes(*LINKSETS)
        for target in part.values("void:objectsTarget", "void:target")
    ]
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


def as_ckanext_dcat(values: Mapping[str, Any]) -> dict[str, str]:
    """Repeat values of DatasetRecord fields under the extras that ckanext-dcat reads."""
    period = values.get("temporal") or Period()
    facts = {
        "issued": values.get("issued", ""),
        "modified": values.get("modified", ""),
        "temporal_start": period.start,
        "temporal_end": period.end,
    }
    return {name: value for name, value in facts.items() if value}


_MAX_LEVEL = 4
# What a node is, and who lists it.
_ABOUT_NODES = frozenset(("rdf:type", "owl:sameAs", "foaf:isPrimaryTopicOf", "schema:mainEntity"))
# schema.org, about creative works or about the record: see the list "Not read".
_OF_WORKS = frozenset(
    f"schema:{name}"
    for name in ("accessMode", "award", "comment", "contentLocation", "contentReferenceTime")
    + ("discussionUrl", "educationalUse", "encodingFormat", "learningResourceType")
    + ("locationCreated", "mainEntityOfPage", "material", "position", "publication")
    + ("publishingPrinciples", "releasedEvent", "review", "sdDatePublished", "sdLicense")
    + ("sdPublisher", "spatial", "teaches", "text", "typicalAgeRange")
)
NOT_READ = _ABOUT_NODES | _OF_WORKS


def unread_predicates(node: Node, read: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the local name and the text of each predicate that is not among those read."""
    seen: set[Term] = set()
    for predicate in node.predicates():
        if predicate not in read:
            values = [value for part in node.nodes(predicate) if (value := _value(part, seen, 1))]
            if values:
                yield _name(predicate), _text(values)


def _text(values: list[Any]) -> str:
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(values if len(values) > 1 else values[0], ensure_ascii=False)


def _name(predicate: str) -> str:
    return re.split(r"[#/:]", predicate.rstrip("#/"))[-1]


def _value(node: Node, seen: set[Term], level: int) -> Any:
    """Return a URI or a text; of a blank node what hangs below it, where it comes first.

    Args:
        seen: the blank nodes returned before: nodes may name each other.
    """
    below = [name for name in node.predicates() if name != "rdf:type"]
    if node.term.kind != "blank" or node.term in seen or level == _MAX_LEVEL:
        return node.value()
    seen.add(node.term)
    return {
        _name(name): [_value(part, seen, level + 1) for part in node.nodes(name)] for name in below
    }
