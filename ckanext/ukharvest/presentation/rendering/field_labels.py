"""Labels of a dataset's extras on its page, and their order.

The order follows data.gov.uk's dataset page: subject, harvest, what INSPIRE requires of location
data, other common fields; then the rest of a record.
"""

from __future__ import annotations

from ckanext.ukharvest import fields


def _own(*keys: str) -> dict[str, str]:
    return {field.key: field.label for key in keys for field in fields.FIELDS if field.key == key}


# Keys with blanks are no extras: the page builds them from several, or knows them otherwise.
ADDED, CHANGED, WEB_PAGE = "this site: added", "this site: changed", "this site: url"
AUTHOR, MAINTAINER, VERSION = "this site: author", "this site: maintainer", "this site: version"
PERIOD, HARVEST_URL, HARVEST_DATE = "period covered", "harvest url", "harvest date"
COUPLED_DATASETS, COUPLED_SERVICES = "coupled datasets", "coupled services"

GUIDE = {
    ADDED: "Added to this site",
    CHANGED: "Last changed on this site",
    **_own("theme-primary", "theme-secondary", "mandate"),
    PERIOD: "Temporal coverage",
    **_own("temporal_coverage-from", "temporal_coverage-to"),
    "temporal-text": "Temporal coverage as given",
    "geographic_coverage": "Geographic coverage",
    "spatial-text": "Geographic coverage",
    "spatial-coverage": "Places named",
    **_own("schema", "codelist"),
    # The harvest.
    HARVEST_URL: "Harvest URL",
    HARVEST_DATE: "Harvest date",
    "metadata-date": "Metadata date",
    "guid": "Harvest GUID",
    "uri": "URI of the dataset",
    "harvest_source_reference": "Source reference",
    # Location data.
    "spatial": "Extent",
    "spatial-reference-system": "Spatial reference system",
    "spatial-reference-systems": "Spatial reference systems",
    "dataset-reference-date": "Dataset reference date",
    "frequency-of-update": "Frequency of update",
    "responsible-party": "Responsible party",
    "responsible-organisation": "Responsible parties",
    "access_constraints": "Access constraints",
    "resource-type": "Resource type",
    "metadata-language": "Metadata language",
    "spatial-data-service-type": "Service type",
    COUPLED_DATASETS: "Coupled datasets",
    COUPLED_SERVICES: "Coupled services",
    "coupled-resource": "Operates on",
    # Only if given.
    "date_update_future": "Next update",
    "precision": "Precision",
    **_own("update_frequency"),
    "temporal_granularity": "Granularity in time",
    "taxonomy_url": "Taxonomy",
    "data_issued": "Data first issued",
    "data_modified": "Data last modified",
    **_own("la_function", "la_service"),
    "external_reference": "External reference",
}

LABELS = {
    **GUIDE,
    **_own("unpublished"),
    WEB_PAGE: "Web page",
    AUTHOR: "Author",
    MAINTAINER: "Maintainer",
    VERSION: "Version",
    "hierarchy-level-name": "Kind, in the publisher's words",
    "UKLP": "UK Location Programme",
    "INSPIRE": "Data for INSPIRE",
    "alternative-title": "Also known as",
    "title_translated": "Title in other languages",
    "notes_translated": "Description in other languages",
    "tags_translated": "Keywords in other languages",
    "resource-identifier": "Identifier of the resource",
    "parent-identifier": "Part of (identifier)",
    "topic-category": "Topic category",
    "inspire-themes": "INSPIRE theme",
    "dcat_subject": "Themes in the publisher's words",
    "theme": "Themes in the publisher's words",
    "subject": "Subjects in the publisher's words",
    "keywords": "Keywords by vocabulary",
    "purpose": "Purpose",
    "additional-information": "Additional information",
    "language": "Language",
    "service-type-version": "Version of the service",
    "spatial_uri": "Place (URL)",
    "bbox-west-long": "Western limit (longitude)",
    "bbox-east-long": "Eastern limit (longitude)",
    "bbox-south-lat": "Southern limit (latitude)",
    "bbox-north-lat": "Northern limit (latitude)",
    "bbox-original": "Extent as given",
    "vertical-extent": "Vertical extent",
    "spatial-resolution": "Spatial resolution",
    "equivalent-scale": "Scale, 1 to",
    "spatial-representation-type": "Spatial representation",
    "temporal-extents": "Periods covered",
    "maintenance-note": "Note on maintenance",
    "progress": "State",
    "lineage": "Lineage",
    "quality-scope": "Quality is stated for",
    "conformity": "Conformity",
    "data-format": "Data formats",
    "character-set": "Character set",
    "provider": "Provider",
    "distributor": "Distributor",
    "credit": "Credit",
    "dcat_publisher_name": "Publisher",
    "dcat_publisher_email": "Publisher's email",
    "dcat_publisher_uri": "Publisher’s web identifier",
    "contact-name": "Contact",
    "contact-email": "Contact's email",
    "contact-phone": "Contact's telephone",
    "foi-name": "Contact for freedom of information",
    "foi-email": "Freedom of information email",
    "foi-phone": "Freedom of information telephone",
    "foi-web": "Freedom of information page",
    "licence": "Licence and conditions of use",
    "licence_url": "Licence link",
    "license_url": "Licence link",
    "rights": "Rights",
    "limitations-on-public-access": "Limitations on public access",
    "access-restrictions": "Access is restricted by",
    "use-restrictions": "Use is restricted by",
    "security-classification": "Security classification",
    "aggregation-info": "Related resources",
    "graphic-preview-file": "Preview picture",
    "graphic-preview-description": "Description of the preview",
    "metadata-contact": "Contact for the record",
    "metadata-contact-email": "Record contact's email",
    "metadata-standard-name": "Standard of the record",
    "metadata-standard-version": "Version of the standard",
    "harvest_source_title": "Harvest source",
}

# The rows that most people look for; some stand for the same in other records.
MAIN = frozenset(
    (ADDED, CHANGED, PERIOD, HARVEST_URL, HARVEST_DATE, "theme-primary", "guid", "data_modified")
    + ("geographic_coverage", "spatial-text", "update_frequency", "frequency-of-update")
    + ("temporal_coverage-from", "temporal_coverage-to")
)

# Technical fields.
HIDDEN = frozenset(
    ("import_source", "harvest_object_id", "harvest_source_id", "spatial_harvester")
    + (
        "graphic-preview-type",
        "spatial-resolution-units",
        "spatial-original",
    )
)
# Extras that say less than another one that is there.
SAID_BETTER = {
    **dict.fromkeys(
        ("bbox-west-long", "bbox-east-long", "bbox-south-lat", "bbox-north-lat"), "spatial"
    ),
    "spatial-reference-system": "spatial-reference-systems",
    "responsible-party": "responsible-organisation",
    "license_url": "licence_url",
    "temporal_coverage-from": PERIOD,
    "temporal_coverage-to": PERIOD,
    MAINTAINER: "contact-name",
    "coupled-resource": COUPLED_DATASETS,
    "metadata_uri": "uri",
    # DCAT fields that ckanext-dcat stores; ours have the same content.
    "theme": "dcat_subject",
    "subject": "dcat_subject",
}

# What INSPIRE's guide requires of location data, given or not; each has a text for services.
OF_LOCATION = (
    *("spatial", "spatial-reference-system", "dataset-reference-date", "frequency-of-update"),
    *("responsible-party", "access_constraints", "resource-type", "metadata-language"),
)
OF_LOCATION_SERVICE = "spatial-data-service-type"
NOT_GIVEN = "Not in the source record"

# Texts of the page that are in no template: translated when rendered.
TEXTS = (NOT_GIVEN, "yes", "no", "{start} to {end}", "from {start}", "until {end}")
