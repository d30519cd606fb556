"""What the files of the export cannot carry, as far as harvests read them again.

The file of JSON Lines has all fields. A test harvests the other files into an empty portal and
compares each field with this list; ``bin/docs`` makes a page of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.fields import DATASET, FIELDS

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
# Fields of ours that DCAT-AP has, or that have a loss of their own below.
_IN_DCAT = frozenset(
    (
        *("theme-primary", "theme-secondary", "la_function", "la_service", "schema", "mandate"),
        *("update_frequency", "temporal_coverage-from", "temporal_coverage-to"),
        *("schema_url", "schema_type"),
    )
)
_OF_FORMS = tuple(
    field.key if field.of == DATASET else f"resource.{field.key}"
    for field in FIELDS
    if field.key not in _IN_DCAT
)

LOSSES: tuple[Loss, ...] = (
    Loss(
        "A dataset is identified by its URI on the exporting portal; DCAT-AP hands on the"
        " identifier of the origin as identifier",
        ("guid", "harvest_source_reference"),
    ),
    Loss(
        "A dataset's URI is the exporting portal's, and a file's too",
        ("identifier", "metadata_uri", "uri", "resource.uri"),
        _IN_RDF,
    ),
    Loss(
        "A dataset without a URI of its own has that of the exporting portal",
        ("metadata_uri",),
        _IN_JSON,
        is_added=True,
    ),
    Loss(
        "DCAT-AP has further identifiers in no order; the publisher's own is one of them",
        ("alternate_identifier",),
        _IN_RDF,
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
        "What is known of a service is said by the file's service, in access_services",
        ("resource.contact_email", "resource.contact_name", "resource.endpoint_description"),
        _IN_RDF,
    ),
    Loss(
        "Further people of a service that is a file, and who used it",
        (
            *("resource.creator", "resource.qualifiedAttribution", "resource.rightsHolder"),
            "resource.wasUsedBy",
        ),
        _IN_RDF,
    ),
    Loss(
        "Several checksums of a file have no order",
        ("resource.checksums", "resource.hash", "resource.hash_algorithm"),
        _IN_RDF,
    ),
    Loss(
        "Texts of dates and addresses that could not be read are the portal's own extras",
        ("email-text", "metadata_modified-text", "modified-text"),
        _IN_RDF,
    ),
    Loss(
        "A file that is a service has this service",
        ("resource.access_services",),
        _IN_RDF,
        is_added=True,
    ),
    Loss(
        "A format that the portal's list of file types lacks is not known there",
        ("resource.format",),
        _IN_RDF,
    ),
    Loss(
        "Collections and their parts name each other by their URIs on the exporting portal",
        ("is_part_of", "series_members"),
    ),
    Loss(
        "A collection is named by its URI on the exporting portal",
        ("in_series",),
        _IN_JSON,
    ),
    Loss(
        "Names of ckanext-dcat for what other fields have",
        (
            *("contact_email", "contact_name", "creator_email", "creator_name", "frequency"),
            *("issued", "modified", "publisher_email", "publisher_name", "publisher_uri"),
            *("spatial_text", "temporal_end", "temporal_start", "theme"),
        ),
        _IN_RDF,
    ),
    Loss(
        "Standards include the schemas, legislation includes the mandate",
        ("applicable_legislation", "conforms_to", "resource.conforms_to"),
        _IN_RDF,
    ),
    Loss(
        "Lists are JSON, and texts in some other source types",
        ("in_series", "is_referenced_by"),
        _IN_RDF,
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
        _IN_RDF,
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
        _IN_RDF,
    ),
    Loss(
        "data.json requires a date of change; without one, the portal's is given",
        ("data_modified",),
        _IN_JSON,
        is_added=True,
    ),
    Loss(
        "data.json does not say in which language a dataset is described: texts in the language of"
        " the data are taken for it",
        ("notes_translated", "title_translated"),
        _IN_JSON,
    ),
    Loss(
        "A dataset without rights has its access rights",
        ("rights",),
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
            *("access_level", "bureau_code", *_OF_FORMS, "original_guid", "other_identifier"),
            *("liability_statement", "primary_it_investment_uii", "program_code"),
            *("productIdentifier", "publisher_hierarchy", "relation", "system_of_records"),
            *("date", "resource.described_by", "resource.described_by_type"),
            "resource.resource_title",
        ),
        _IN_RDF,
    ),
    Loss(
        "The text of a size that could not be read; DCAT-AP has only numbers",
        ("resource.size-text",),
        _IN_RDF,
    ),
    Loss(
        "The date of the record, not of the data",
        ("metadata-date", "original_metadata-date"),
        _IN_RDF,
    ),
    Loss(
        "Of GEMINI alone; DCAT-AP has the lineage as provenance",
        (
            *("UKLP", "access_constraints", "additional-information", "aggregation-info"),
            *("alternative-title", "bbox-east-long", "bbox-north-lat", "bbox-south-lat"),
            *("bbox-west-long", "character-set", "conformity", "data-format"),
            *("dataset-reference-date", "equivalent-scale", "frequency-of-update"),
            *("graphic-preview-description", "graphic-preview-file", "inspire-themes"),
            *("keywords", "limitations-on-public-access", "lineage", "maintenance-note"),
            *("metadata-contact", "metadata-contact-email", "metadata-language"),
            *("metadata-standard-name", "metadata-standard-version", "parent-identifier"),
            *("progress", "quality-scope", "resource-identifier", "resource-type"),
            *("responsible-organisation", "responsible-party", "spatial-coverage"),
            *("spatial-reference-system", "spatial-reference-systems"),
            *("spatial-representation-type", "spatial-resolution", "spatial-resolution-units"),
            *("topic-category", "resource.resource_locator_function"),
            "resource.resource_locator_protocol",
        ),
        _IN_RDF,
    ),
    Loss(
        "What GEMINI says of a period beside its two dates, such as that it lasts until now",
        ("temporal-extents",),
        _IN_RDF,
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
        _IN_RDF,
    ),
    Loss(
        "Of OpenSearch for earth observation, and of OAI-PMH, alone",
        ("instrument", "platform", "processing_level", "product_type", "resource.formats"),
        _IN_RDF,
    ),
    Loss(
        "Extras that a portal has under names of its own, such as these of the tests",
        ("Höhe", "Période", "foi-web"),
        _IN_RDF,
    ),
)


def losses_of(format_: str) -> dict[str, Loss]:
    """Return the losses of one format by field."""
    return {field: loss for loss in LOSSES if format_ in loss.formats for field in loss.fields}
