"""What a dataset's extras are called on its page, and in which order they stand there.

The order is that of data.gov.uk's page of a dataset: what it is about, its harvest, what INSPIRE
wants of location data, what else publishers often fill; then the rest of a record.
"""

from __future__ import annotations

from ckanext.ukharvest import fields


def _own(*keys: str) -> dict[str, str]:
    return {field.key: field.label for key in keys for field in fields.FIELDS if field.key == key}


# Keys with blanks are no extras: what the page makes of several, or knows from elsewhere.
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
    "geographic_coverage": "Geographic coverage",
    "spatial-text": "Geographic coverage",
    "spatial-coverage": "Places named",
    **_own("schema", "codelist"),
    # The harvest.
    HARVEST_URL: "Harvest URL",
    HARVEST_DATE: "Harvest date",
    "metadata-date": "Metadata date",
    "guid": "Harvest GUID",
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
    # Where it is given.
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
    "spatial_uri": "Place (address)",
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
    "dcat_publisher_email": "E-mail of the publisher",
    "dcat_publisher_uri": "Address of the publisher",
    "contact-name": "Contact",
    "contact-email": "E-mail of the contact",
    "contact-phone": "Telephone of the contact",
    "foi-name": "Contact for freedom of information",
    "foi-email": "E-mail for freedom of information",
    "foi-phone": "Telephone for freedom of information",
    "foi-web": "Page for freedom of information",
    "licence": "Licence and conditions of use",
    "licence_url": "Licence (address)",
    "license_url": "Licence (address)",
    "rights": "Rights",
    "limitations-on-public-access": "Limitations on public access",
    "access-restrictions": "Access is restricted by",
    "use-restrictions": "Use is restricted by",
    "security-classification": "Security classification",
    "aggregation-info": "Related resources",
    "graphic-preview-file": "Preview picture",
    "graphic-preview-description": "Description of the preview",
    "metadata-contact": "Contact for the record",
    "metadata-contact-email": "E-mail of the contact for the record",
    "metadata-standard-name": "Standard of the record",
    "metadata-standard-version": "Version of the standard",
    "harvest_source_title": "Harvest source",
}

# Means something to programs alone.
HIDDEN = frozenset(
    ("import_source", "harvest_object_id", "harvest_source_id", "spatial_harvester")
    + ("graphic-preview-type", "spatial-resolution-units", "spatial-original")
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
    # Of DCAT, as ckanext-dcat keeps them; what they say is in ours.
    "theme": "dcat_subject",
    "subject": "dcat_subject",
}

# What INSPIRE's guide wants to see of location data, given or not; a text for each service too.
OF_LOCATION = (
    *("spatial", "spatial-reference-system", "dataset-reference-date", "frequency-of-update"),
    *("responsible-party", "access_constraints", "resource-type", "metadata-language"),
)
OF_LOCATION_SERVICE = "spatial-data-service-type"
NOT_GIVEN = "Not given in the source record"

# Texts of the page that stand in no template: translated where they are shown.
TEXTS = (NOT_GIVEN, "yes", "no", "{start} to {end}", "from {start}", "until {end}")
