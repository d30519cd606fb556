"""data.json: DCAT-US 1.1, https://resources.data.gov/resources/dcat-us/.

A dataset that lacks a field that the schema requires gets what is nearest to it: the title for the
description, its themes or the word "dataset" for keywords, the day of its last change on the
portal for ``modified``, the organisation or the portal for publisher and contact.
"""

from __future__ import annotations

import json
from typing import Any

from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.operations.export.dataset import Catalogue, Dataset, Resource

SCHEMA = "https://project-open-data.cio.gov/v1.1/schema"
NO_KEYWORD = "dataset"
_LONGEST_RIGHTS = 255  # characters, of the schema


def begin(catalogue: Catalogue) -> str:
    """Return the document up to its first dataset."""
    head = {
        "@context": f"{SCHEMA}/catalog.jsonld",
        "@id": f"{catalogue.url}/",
        "@type": "dcat:Catalog",
        "conformsTo": SCHEMA,
        "describedBy": f"{SCHEMA}/catalog.json",
    }
    return json.dumps(head, ensure_ascii=False)[:-1] + ', "dataset": [\n'


def render(dataset: Dataset) -> str:
    """Return a dataset as one line of JSON."""
    return json.dumps(entry(dataset), ensure_ascii=False)


def entry(dataset: Dataset) -> dict[str, Any]:
    """Return a dataset as a dict without empty values."""
    is_public = dataset.access_level == "public"
    found = {
        "@type": "dcat:Dataset",
        "identifier": dataset.uri,
        "title": dataset.title,
        "description": dataset.description,
        "keyword": list(dataset.keywords or dataset.themes) or [NO_KEYWORD],
        "modified": dataset.modified,
        "publisher": {"@type": "org:Organization", "name": dataset.publisher.name},
        "contactPoint": {
            "@type": "vcard:Contact",
            "fn": dataset.contact.name,
            "hasEmail": f"mailto:{dataset.contact.email}",
        },
        "accessLevel": dataset.access_level,
        "rights": "" if is_public else dataset.rights[:_LONGEST_RIGHTS],
        "license": dataset.licence,
        "issued": dataset.issued,
        "temporal": _temporal(dataset),
        "spatial": _spatial(dataset),
        "accrualPeriodicity": dataset.frequency if dataset.frequency != "never" else "",
        "language": list(dataset.languages),
        "theme": list(dataset.themes),
        "landingPage": dataset.page,
        "distribution": [_distribution(each) for each in dataset.resources],
    }
    return _without_empty(found)


def _without_empty(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if value}


def _temporal(dataset: Dataset) -> str:
    """Return start and end; the schema has no open period."""
    return f"{dataset.start}/{dataset.end}" if dataset.start and dataset.end else ""


def _spatial(dataset: Dataset) -> str:
    """Return the box around the place, west, south, east, north, or its name."""
    if dataset.geometry is None:
        return dataset.place
    return ",".join(f"{number:.6f}" for number in geometries.bounds(dataset.geometry))


def _distribution(resource: Resource) -> dict[str, Any]:
    """Return a resource; a ``downloadURL`` must have a media type, an ``accessURL`` need not."""
    key = "downloadURL" if resource.mimetype else "accessURL"
    return _without_empty(
        {
            "@type": "dcat:Distribution",
            "title": resource.title,
            "description": resource.description,
            key: resource.url,
            "mediaType": resource.mimetype,
            "format": resource.format,
        }
    )
