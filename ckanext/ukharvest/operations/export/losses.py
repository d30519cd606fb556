"""What the files of the export cannot carry, as far as harvests read them again.

The file of JSON Lines has all fields. A test harvests the other files into an empty portal and
compares each field with this list; ``bin/docs`` makes a page of it.
"""

from __future__ import annotations

from dataclasses import dataclass

RDF, DATA_JSON = "DCAT-AP", "data.json"


@dataclass(frozen=True, slots=True)
class Loss:
    """Fields that differ on a portal that harvests the export, and why.

    Attributes:
        reason: a sentence without a full stop.
        fields: names in CKAN; "resource.name" is a resource's.
        formats: in which of RDF and DATA_JSON.
        is_added: only datasets and files without a value get one; all others keep theirs.
    """

    reason: str
    fields: tuple[str, ...]
    formats: tuple[str, ...] = (RDF, DATA_JSON)
    is_added: bool = False


_IN_RDF, _IN_JSON = (RDF,), (DATA_JSON,)

LOSSES: tuple[Loss, ...] = (
    Loss(
        "A dataset is identified by its URI on the exporting portal; DCAT-AP hands on the"
        " identifier of the origin as identifier",
        ("guid", "harvest_source_reference", "identifier", "metadata_uri", "uri", "resource.uri"),
    ),
    Loss(
        "DCAT-AP has further identifiers in no order; the publisher's own is one of them",
        ("alternate_identifier",),
    ),
    Loss(
        "A dataset without a page has that of the exporting portal",
        ("url",),
        is_added=True,
    ),
    Loss(
        "A dataset without a publisher has its organisation",
        ("dcat_publisher_name", "dcat_publisher_uri"),
        is_added=True,
    ),
    Loss(
        "A dataset without a contact has that of its author, publisher or organisation, or the"
        " portal's",
        ("contact-name", "maintainer"),
        is_added=True,
    ),
    Loss(
        "A dataset without a description has its title",
        ("notes",),
        is_added=True,
    ),
    Loss(
        "The portal's theme is among the source's there; DCAT-AP has the EU's theme beside it, and"
        " functions and services too, in no order",
        ("dcat_subject",),
    ),
    Loss(
        "Times have seconds",
        ("data_issued", "data_modified", "resource.data_issued", "resource.data_modified"),
        _IN_RDF,
    ),
    Loss(
        "A format that the portal's list of file types lacks is not known there",
        ("resource.format",),
    ),
    Loss(
        "Which theme is the main one is not said",
        ("theme-primary", "theme-secondary"),
        _IN_RDF,
    ),
    Loss(
        "Names of ckanext-dcat for what other fields have",
        (
            *("contact_email", "contact_name", "frequency", "issued", "modified"),
            *("publisher_name", "publisher_uri", "temporal_start", "theme"),
        ),
    ),
    Loss(
        "Names of ckanext-dcat for what other fields have",
        ("creator_email", "creator_name", "publisher_email", "spatial_text", "temporal_end"),
        _IN_RDF,
    ),
    Loss(
        "Standards include the schemas, legislation includes the mandate",
        ("applicable_legislation", "conforms_to", "resource.conforms_to"),
        _IN_RDF,
    ),
    Loss(
        "Lists are JSON in one format, and text in the other",
        ("in_series", "is_referenced_by"),
    ),
    Loss(
        "Numbers have no zeros at their end",
        ("spatial_resolution_in_meters", "resource.spatial_resolution_in_meters"),
        _IN_RDF,
    ),
    Loss(
        "The EU's list of languages has neither regions nor an order",
        ("language",),
        _IN_RDF,
    ),
    Loss(
        "Keywords of all languages are tags",
        ("tags",),
        _IN_RDF,
    ),
    Loss(
        "data.json requires a keyword",
        ("tags",),
        _IN_JSON,
        is_added=True,
    ),
    Loss(
        "A licence is a URL, without further text",
        ("licence", "licence_url"),
    ),
    Loss(
        "A file without a licence has that of its dataset",
        ("resource.licence",),
        _IN_RDF,
        is_added=True,
    ),
    Loss(
        "Rights include the access rights",
        ("rights",),
        _IN_RDF,
    ),
    Loss(
        "DCAT-AP requires an access URL, also for files",
        ("resource.access_url", "resource.download_url"),
        _IN_RDF,
        is_added=True,
    ),
    Loss(
        "A file has one URL",
        ("resource.access_url", "resource.download_url"),
        _IN_JSON,
    ),
    Loss(
        "A file without a media type has the usual one of its format, which data.json requires",
        ("resource.mimetype",),
        _IN_JSON,
    ),
    Loss(
        "A file without a name is named after its URL",
        ("resource.name",),
        _IN_RDF,
        is_added=True,
    ),
    Loss(
        "Documents about the data are files like others",
        ("resource.resource_type",),
    ),
    Loss(
        "Standards that are no schemas have no property",
        ("conforms_to",),
        _IN_JSON,
    ),
    Loss(
        "data.json requires a date of change; without one, the portal's is given",
        ("data_modified",),
        _IN_JSON,
        is_added=True,
    ),
    Loss(
        "data.json requires a level of access",
        ("access_level",),
        _IN_JSON,
        is_added=True,
    ),
    Loss(
        "DCAT-AP has no such property",
        (
            *("access_level", "bureau_code", "codelist", "original_guid", "other_identifier"),
            *("liability_statement", "primary_it_investment_uii", "program_code"),
            *("publisher_hierarchy", "relation", "system_of_records", "unpublished"),
            "resource.described_by",
        ),
        _IN_RDF,
    ),
    Loss(
        "data.json has no such property",
        (
            *("access_rights", "acronym", "alternative", "analytics", "code_values"),
            *("coding_system", "dcat_type", "documentation", "granularity", "has_part"),
            *("has_policy", "has_version", "health_category", "health_theme", "homepage"),
            *("is_replaced_by", "is_version_of", "legal_basis", "max_typical_age"),
            *("min_typical_age", "number_of_records", "number_of_unique_individuals"),
            *("original_guid", "personal_data", "population_coverage", "previous_version"),
            *("publisher_hierarchy", "publisher_note", "publisher_type", "related_resource"),
            *("replaces", "sample", "source", "spatial_uri", "subject", "was_derived_from"),
            *("was_generated_by", "resource.access_services", "resource.applicable_legislation"),
            *("resource.availability", "resource.character_encoding", "resource.compress_format"),
            *("resource.conforms_to", "resource.date", "resource.described_by"),
            *("resource.distribution_type", "resource.documentation", "resource.has_policy"),
            *("resource.hash", "resource.hash_algorithm", "resource.language"),
            *("resource.package_format", "resource.rights", "resource.spatial-text"),
            *("resource.spatial_resolution_in_meters", "resource.spatial_uri", "resource.status"),
            *("resource.temporal_coverage-from", "resource.temporal_coverage-to"),
            *("resource.temporal_resolution",),
            *("available", "bibliographic_citation", "first_in_series", "has_current_version"),
            *("image", "is_required_by", "last_in_series", "liability", "next_in_series"),
            *("previous_in_series", "reference_system", "requires", "resource_type"),
            *("spatial_resolution_as_text", "table_of_contents", "topic_category"),
            *("was_attributed_to", "was_used_by", "resource.hvd_category"),
            *("resource.reference_system", "resource.representation_technique"),
        ),
        _IN_JSON,
    ),
    Loss(
        "data.json has one language",
        (
            *("notes_translated", "tags_translated", "title_translated"),
            *("resource.description_translated", "resource.name_translated"),
        ),
        _IN_JSON,
    ),
    Loss(
        "data.json has no open period",
        ("temporal_coverage-from",),
        _IN_JSON,
    ),
    Loss(
        "A place is a box or a name",
        ("spatial-text",),
        _IN_JSON,
    ),
    Loss(
        "data.json has yes or no",
        ("data_quality",),
        _IN_JSON,
    ),
    Loss(
        "Detected from other texts",
        ("language_confidence", "language_detected"),
        _IN_JSON,
    ),
    Loss(
        "The date of the record, not of the data",
        ("metadata-date", "original_metadata-date"),
    ),
    Loss(
        "Of GEMINI alone; DCAT-AP has the lineage as provenance",
        (
            *("UKLP", "access_constraints", "additional-information", "aggregation-info"),
            *("alternative-title", "bbox-east-long", "bbox-north-lat", "bbox-south-lat"),
            *("bbox-west-long", "character-set", "conformity", "credit", "data-format"),
            *("dataset-reference-date", "equivalent-scale", "frequency-of-update"),
            *("graphic-preview-description", "graphic-preview-file", "inspire-themes"),
            *("keywords", "limitations-on-public-access", "lineage", "maintenance-note"),
            *("metadata-contact", "metadata-contact-email", "metadata-language"),
            *("metadata-standard-name", "metadata-standard-version", "parent-identifier"),
            *("progress", "provider", "quality-scope", "resource-identifier", "resource-type"),
            *("responsible-organisation", "responsible-party", "spatial-coverage"),
            *("spatial-reference-system", "spatial-reference-systems"),
            *("spatial-representation-type", "spatial-resolution", "spatial-resolution-units"),
            *("temporal-extents", "topic-category", "resource.resource_locator_function"),
            "resource.resource_locator_protocol",
        ),
    ),
    Loss(
        "Lineage, which GEMINI has as a field of its own",
        ("provenance",),
        _IN_RDF,
        is_added=True,
    ),
    Loss(
        "Of the Inventory alone",
        (
            *("charge_url", "context", "depends_on", "derives_from", "inventory_creator"),
            *("inventory_document", "inventory_identifier", "inventory_title", "protected"),
            *("protected_text", "publish-date"),
        ),
    ),
    Loss(
        "Of OpenSearch for earth observation, and of OAI-PMH, alone",
        ("instrument", "platform", "processing_level", "product_type", "resource.formats"),
    ),
    Loss(
        "Extras that a portal has under names of its own, such as these of the tests",
        ("Höhe", "Période", "foi-web"),
    ),
)


def losses_of(format_: str) -> dict[str, Loss]:
    """Return the losses of one format by field."""
    return {field: loss for loss in LOSSES if format_ in loss.formats for field in loss.fields}
