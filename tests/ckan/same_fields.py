"""The fields of datasets that were harvested from the same records by different ways.

The table below has every field that may differ, and why: of the others each has to be equal, and
of these each has to differ, so that no row outlives its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.ckan.harvesting import extras

Facts = dict[str, Any]  # field → value of a dataset; "resource.name" → values of its resources

# Of the portal, its sources and runs: not compared.
_OWN = (
    *("id", "owner_org", "organization", "metadata_created", "metadata_modified"),
    *("harvest_object_id", "harvest_source_id", "harvest_source_title"),
    *("resource.id", "resource.package_id", "resource.created", "resource.metadata_modified"),
    "resource.position",
)
_ORDER = "resources.order"  # the URLs as they follow each other

_GUID = "the dataset's identity at its source: CKAN's id, or the URI"
_NAME = "the other organisation's dataset has the name already"
_PUBLISHER = "without a publisher, the organisation is named"
_LANGUAGE = "of services, GEMINI tells only the language of the record, so ours is detected"
_DATE = "without a date, the portal's own is given"
_THEME = "the theme that the portal suggested is the source's there; DCAT has themes with a URI"
_LICENCE = "a licence is a URI there; GEMINI has sentences"
_PAGE = "a dataset's page is the portal's, and a resource of its own"
_NODE = "ckanext-dcat's name for what another field has, or a node's URI"
_EMAIL = "a contact without an email address has the portal's"
_NAMELESS = "a distribution without a title is named after its file"
_DOCUMENT = "the export writes pages about the data as distributions too"
_UNSORTED = "RDF has no order of files"
_GEMINI = "of GEMINI alone: the export has DCAT-AP's properties"

_CKAN = {
    _GUID: ("guid", "harvest_source_reference"),
    _NAME: ("name",),
    _PUBLISHER: ("dcat_publisher_name",),
    _LANGUAGE: ("language_detected", "language_confidence"),
    _DATE: ("metadata-date", "resource.data_issued"),
    _THEME: ("dcat_subject",),
}
_DCAT = {
    _GUID: ("guid", "harvest_source_reference"),
    _NAME: ("name",),
    _PUBLISHER: ("dcat_publisher_name", "dcat_publisher_uri"),
    _LANGUAGE: ("language_detected", "language_confidence"),
    _EMAIL: ("contact_email",),
    _NAMELESS: ("resource.name",),
    _DOCUMENT: ("resource.resource_type",),
    _UNSORTED: (_ORDER,),
    _THEME: ("dcat_subject", "theme", "theme-primary", "theme-secondary"),
    _LICENCE: ("licence", "resource.licence"),
    _PAGE: ("url", "num_resources"),
    _NODE: (
        *("uri", "metadata_uri", "resource.uri", "frequency"),
        *("issued", "modified", "publisher_name", "publisher_email", "publisher_uri"),
        *("resource.access_url", "resource.download_url"),
    ),
    _GEMINI: (
        *("UKLP", "access_constraints", "additional-information", "alternative-title"),
        *("bbox-east-long", "bbox-north-lat", "bbox-original", "bbox-south-lat", "bbox-west-long"),
        *("conformity", "coupled-resource", "data-format", "dataset-reference-date"),
        *("distributor", "equivalent-scale", "frequency-of-update", "hierarchy-level-name"),
        *("inspire-themes", "keywords", "licence_url", "limitations-on-public-access", "lineage"),
        *("metadata-contact", "metadata-contact-email", "metadata-date", "metadata-language"),
        *("metadata-standard-name", "metadata-standard-version", "progress"),
        *("quality-scope", "resource-identifier", "resource-type", "responsible-organisation"),
        *("responsible-party", "spatial-coverage", "spatial-data-service-type"),
        *("spatial-reference-system", "spatial-reference-systems", "spatial-representation-type"),
        *("temporal-extents", "topic-category"),
        *("resource.resource_locator_function", "resource.resource_locator_protocol"),
    ),
}
DIFFERENCES: dict[str, dict[str, tuple[str, ...]]] = {"ckan": _CKAN, "sparql": _DCAT}

# Fields that hold, under another name, what the record's own field has.
RENAMED = {
    "ckan": {
        f"original_{name}": name for name in ("guid", "harvest_source_reference", "metadata-date")
    },
    "sparql": {
        "identifier": "guid",
        "contact_name": "contact-name",
        "temporal_start": "temporal_coverage-from",
        "temporal_end": "temporal_coverage-to",
        "provenance": "lineage",
    },
}


def facts_of(dataset: Mapping[str, Any]) -> Facts:
    """Return the fields, extras and resources of a dataset without the page that DCAT adds."""
    found = {key: value for key, value in dataset.items() if key not in ("extras", "resources")}
    # CKAN makes license_url from license_id; the extra of this name is the record's own.
    found |= extras(dict(dataset))
    found["tags"] = sorted(tag["name"] for tag in dataset["tags"])
    page = ("Landing page", dataset["url"])
    resources = [each for each in dataset["resources"] if (each["name"], each["url"]) != page]
    found[_ORDER] = [each["url"] for each in resources]
    resources.sort(key=lambda each: (each["url"], each["name"]))
    for name in {name for each in resources for name in each}:
        found[f"resource.{name}"] = [each.get(name) for each in resources]
    return found


def check_same(ours: dict[str, Facts], theirs: dict[str, Facts], kind: str) -> None:
    """Compare the datasets of GEMINI records with those of a way by which they came."""
    assert ours.keys() == theirs.keys()
    expected = {field for fields in DIFFERENCES.get(kind, {}).values() for field in fields}
    found: dict[str, Any] = {}  # field → one example
    for key, facts in ours.items():
        named = {name: facts.get(own) for name, own in RENAMED.get(kind, {}).items()}
        wanted = {**facts, **{name: value for name, value in named.items() if value is not None}}
        for field in (wanted.keys() | theirs[key].keys()) - {*_OWN}:
            if wanted.get(field) != theirs[key].get(field):
                found[field] = (key, wanted.get(field), theirs[key].get(field))
    wrong = {field: found[field] for field in found.keys() - expected}
    wrong |= dict.fromkeys(expected - found.keys(), "no longer different")
    assert not wrong, wrong
