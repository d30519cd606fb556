"""data.json: DCAT-US 1.1, https://resources.data.gov/resources/dcat-us/.

A dataset that lacks a field that the schema requires gets what is nearest to it: the title for the
description, its themes or the word "dataset" for keywords, the day of its last change on the
portal for ``modified``, the organisation or the portal for the publisher. A contact is never
invented: where nobody is known, there is none.

Functions and services of local government are themes, as data.gov.uk's guide has them. What the
schema lacks has the names of DCAT-US 3, or those of ``fields.FIELDS``: it allows other properties.
What these lack too is in CKAN's own list ``extras``, so that a harvest of the file loses nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from ckanext.ukharvest.core.values import formats, geometries, multivalue, places
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.export.dataset import Agent, Catalogue, Dataset, Resource, media_type
from ckanext.ukharvest.fields import ADDRESSES, DATASET, FIELDS, URIS
from ckanext.ukharvest.parsers.data_json.resources import CODES, EXTRAS, REFERENCES
from ckanext.ukharvest.parsers.table import TAKEN_OF_DATASET, TAKEN_OF_RESOURCE

SCHEMA = "https://project-open-data.cio.gov/v1.1/schema"
NO_KEYWORD = "dataset"
_LONGEST_RIGHTS = 255  # characters, of the schema
# Fields of ours that are properties of the schema, or in a list below.
_MAPPED = frozenset(
    (
        *("theme-primary", "theme-secondary", "la_function", "la_service", "schema"),
        *("update_frequency", "temporal_coverage-from", "temporal_coverage-to"),
    )
)


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
    schemas = list(multivalue.texts(dataset.uk.get("schema", "")))
    standards = (*schemas, *filter(is_web_url, dataset.texts("conforms_to")))
    resources = {resource["id"]: resource for resource in dataset.extras["resources"]}
    author = Agent(*(clean_text(dataset.extras.get(key)) for key in ("author", "author_email")))
    kinds = (field.key for field in FIELDS if field.kind == URIS)
    functions = [uri for key in kinds for uri in dataset.uk.get(key, "").split()]
    properties: dict[str, Any] = {
        **_others(dataset),
        "@type": "dcat:Dataset",
        "identifier": dataset.uri,
        "title": dataset.title,
        "description": dataset.description,
        "keyword": list(dataset.keywords or dataset.themes) or [NO_KEYWORD],
        "modified": dataset.modified or dataset.stored,
        "publisher": _publisher(dataset),
        "contactPoint": _contact(dataset),
        "accessLevel": dataset.access_level,
        "rights": dataset.rights[:_LONGEST_RIGHTS],
        "license": dataset.licence,
        "version": clean_text(dataset.extras.get("version")),
        "creator": _agent(author) if author != Agent() else {},
        "created": clean_text(dataset.extras.get("created")),
        "issued": dataset.issued,
        # The schema has no open period.
        "temporal": f"{dataset.start}/{dataset.end}" if dataset.start and dataset.end else "",
        "spatial": _spatial(dataset),
        "accrualPeriodicity": dataset.frequency if dataset.frequency != "never" else "",
        "language": list(dataset.languages),
        "theme": [*dataset.themes, *functions],
        "landingPage": dataset.page,
        # The schema has room for one.
        "conformsTo": next(iter(standards), ""),
        "schema": schemas if len(schemas) > 1 else [],
        "distribution": [_distribution(file, resources[file.id]) for file in dataset.resources],
        # Those of our fields that the schema has no property for.
        **{
            field.key: list(multivalue.texts(text)) if field.kind == ADDRESSES else text
            for field in FIELDS
            if field.of == DATASET and field.key not in _MAPPED
            if (text := dataset.uk.get(field.key))
        },
        "extras": _extras(dataset),
    }
    return _without_empty(properties)


def _agent(agent: Agent) -> dict[str, Any]:
    email = f"mailto:{agent.email}" if agent.email else ""
    properties = {"name": agent.name, "hasEmail": email, "homepage": agent.url}
    return {"@type": "org:Organization", **_without_empty(properties)}


def _publisher(dataset: Dataset) -> dict[str, Any]:
    """Return the publisher, within the bodies above it."""
    above: dict[str, Any] = {}
    for name in _bodies_above(dataset):
        above = {"subOrganizationOf": {"@type": "org:Organization", "name": name, **above}}
    return {**_agent(dataset.publisher), **above}


def _bodies_above(dataset: Dataset) -> list[str]:
    """Return the bodies above the publisher, the topmost first, from a text "A > B > publisher"."""
    *above, name = clean_text(dataset.extras.get("publisher_hierarchy")).split(" > ")
    return above if name == dataset.publisher.name else []


def _contact(dataset: Dataset) -> dict[str, Any]:
    """Return a contact, {} for none; the schema requires a name beside the address."""
    contact = dataset.contact
    if not contact.name and not contact.is_reachable:
        return {}
    properties = {
        "@type": "vcard:Contact",
        "fn": contact.name or dataset.publisher.name,
        "hasEmail": f"mailto:{contact.email}" if contact.email else "",
        "hasURL": contact.url,
        "hasTelephone": clean_text(dataset.extras.get("contact-phone")),
    }
    return _without_empty(properties)


def _others(dataset: Dataset) -> dict[str, Any]:
    """Return what our parser reads under these names: federal codes, and terms of DCAT-US 3."""
    lists = {name: list(dataset.texts(key)) for name, key in EXTRAS.items()}
    terms: dict[str, Any] = {
        name: values[0] if len(values) == 1 else values for name, values in lists.items()
    }
    codes = {name: re.split(r",\s+", terms[name]) if terms[name] else "" for name in CODES}
    quality = {"true": True, "false": False}.get(str(terms["dataQuality"]), "")
    return {**terms, **codes, "dataQuality": quality}


def _extras(dataset: Dataset) -> list[dict[str, str]]:
    """Return the fields that no other property has, as CKAN writes extras."""
    both, shape = dataset.start and dataset.end, dataset.geometry
    is_box = shape is None or places.parse_spatial(_spatial(dataset)) == shape
    values = {
        "data_issued": dataset.issued,
        "data_modified": dataset.modified,
        "temporal_coverage-from": both,
        "temporal_coverage-to": both,
        "update_frequency": dataset.frequency != "never" and dataset.frequency,
        "language": dataset.languages,
        "dcat_subject": dataset.themes,
        "dcat_publisher_name": dataset.publisher.name,
        "dcat_publisher_email": dataset.publisher.email,
        "dcat_publisher_uri": dataset.publisher.url,
        "publisher_hierarchy": _bodies_above(dataset),
        "contact-name": dataset.contact.name,
        "contact-email": dataset.contact.email,
        "contact-phone": True,
        "created": True,
        "license_url": dataset.licence,
        "rights": len(dataset.rights) <= _LONGEST_RIGHTS,
        "spatial": is_box,
        "spatial-text": dataset.geometry is None,
        **{key: _is_written(dataset.extras.get(key), name) for name, key in EXTRAS.items()},
    }
    return _pairs(dataset.extras, TAKEN_OF_DATASET.union(key for key in values if values[key]))


def _is_written(value: Any, name: str) -> bool:
    """Tell whether a property of EXTRAS has all that a value says."""
    is_text = name not in REFERENCES or not str(value).startswith("[")  # as they are read
    return str(value) in ("true", "false") if name == "dataQuality" else is_text


def _pairs(fields: Mapping[str, Any], left_out: Collection[str]) -> list[dict[str, str]]:
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in sorted(fields.items())
        if key not in left_out and value not in ("", None, [], {})
    }
    return [{"key": key, "value": text} for key, text in texts.items()]


def _without_empty(properties: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if value or value is False}


def _spatial(dataset: Dataset) -> str:
    """Return the box around the place, west, south, east, north, or its name."""
    if dataset.geometry is None:
        return dataset.place
    return ",".join(f"{number:.6f}" for number in geometries.bounds(dataset.geometry))


def _distribution(resource: Resource, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource; a ``downloadURL`` must have a media type, an ``accessURL`` need not.

    Args:
        own: its fields in CKAN.
    """
    mimetype = media_type(resource)
    access, schema = clean_text(own.get("access_url")), resource.uk.get("schema_url", "")
    described = clean_text(own.get("described_by"))
    has_both = bool(mimetype) and is_web_url(access) and access != resource.url
    # Alone it would be the schema.
    is_described = bool(schema) and is_web_url(described)
    written = {
        "access_url": has_both,
        "described_by": is_described,
        "format": formats.label(resource.format) == resource.format,
        "licence": resource.licence,
        "data_issued": resource.issued,
        "data_modified": resource.modified,
        "schema_url": schema,
    }
    left_out = TAKEN_OF_RESOURCE | {key for key, value in written.items() if value}
    return _without_empty(
        {
            "@type": "dcat:Distribution",
            "title": resource.title,
            "description": resource.description,
            "downloadURL": resource.url if mimetype else "",
            "accessURL": (access if has_both else "") if mimetype else resource.url,
            "mediaType": mimetype,
            "format": resource.format,
            "conformsTo": schema,
            "describedBy": described if is_described else "",
            "byteSize": resource.size,
            "license": resource.licence,
            "issued": resource.issued,
            "modified": resource.modified,
            "extras": _pairs(own, left_out),
        }
    )
