"""Map a DatasetRecord to CKAN's package dict.

Extras have the names that data.gov.uk used, so that datasets adopted from it look the same. A
field goes to the top level of the dict if the dataset type's schema has it, else it becomes an
extra.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord, Licence, Period, ResourceRecord
from ckanext.ukharvest.core.values import licences, multivalue
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.mapping import resource_matching, translated_fields

VERSION = 2  # increase it when the mapping changes: every record is then imported again

# Set by people, not by sources: an update does not change them.
KEPT_FIELDS = ("id", "name", "private", "groups", "type")


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values that the harvest source and the portal add to each of its datasets.

    Attributes:
        tags, extras: added if the record has none with that name.
        groups: names of groups that the dataset is added to.
        not_overwrite: dataset fields and extras that are not changed once set.
        reference: value of ``harvest_source_reference``; "" for the record's guid.
        language: the portal's, of texts whose language is not known.
        resource_schema: names of the dataset type's own fields of resources.
    """

    owner_org: str
    private: bool = False
    tags: Sequence[str] = ()
    groups: Sequence[str] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    not_overwrite: Collection[str] = ()
    reference: str = ""
    language: str = "en"
    resource_schema: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class MappedDataset:
    """A package dict, and its resources from the source: [(CKAN id, match key), …].

    Resources of a new dataset have "" for an id: CKAN makes one, and looks up each given one twice.
    """

    package: dict[str, Any]
    resources: list[tuple[str, str]]


def to_package_dict(
    record: DatasetRecord,
    existing: Mapping[str, Any] | None,
    known_resources: Sequence[Sequence[str]] | None,
    schema: Collection[str],
    defaults: Defaults,
) -> MappedDataset:
    """Map one record to a package dict.

    Args:
        record: the parsed record.
        existing: the dataset as package_show returns it, None for a new one.
        known_resources: [(CKAN id, match key), …] that the last import wrote; None if unknown:
            every existing resource then counts as one of the source's.
        schema: names of the dataset type's own fields.
        defaults: values that the source adds.
    """
    resources, ours = _resources(record, existing, known_resources, defaults)
    package: dict[str, Any] = {
        "title": record.title,
        "notes": record.notes,
        "url": record.url,
        "version": record.version,
        "license_id": record.licence.id if record.licence else "",
        "maintainer": record.contact.name if record.contact else "",
        "maintainer_email": record.contact.email if record.contact else "",
        "author": record.author.name if record.author else "",
        "author_email": record.author.email if record.author else "",
        "tags": [{"name": name} for name in _with_defaults(record.tags, defaults.tags)],
        "resources": resources,
        "owner_org": defaults.owner_org,
        "private": defaults.private,
        "type": "dataset",
        "state": "active",
        **translated_fields.dataset_fields(record, schema, defaults.language),
    }
    facts = _facts(record, defaults.reference) | translated_fields.dataset_extras(record, schema)
    _place(package, {**defaults.extras, **facts}, schema)
    if existing:
        _keep(package, existing, defaults.not_overwrite)
    _add_groups(package, defaults.groups)
    return MappedDataset(package, ours)


def _add_groups(package: dict[str, Any], names: Sequence[str]) -> None:
    groups = list(package.get("groups", ()))
    present = {group.get("name") for group in groups}
    missing = [{"name": name} for name in names if name not in present]
    if missing:
        package["groups"] = groups + missing


def _with_defaults(own: Iterable[str], added: Iterable[str]) -> list[str]:
    names = list(own)
    present = {name.casefold() for name in names}
    return names + [name for name in added if name.casefold() not in present]


FACTS: dict[str, Callable[[DatasetRecord], str]] = {
    "guid": lambda r: r.guid,
    "metadata-date": lambda r: r.metadata_modified,
    "data_issued": lambda r: r.issued,
    "data_modified": lambda r: r.modified,
    "update_frequency": lambda r: r.frequency,
    "temporal_coverage-from": lambda r: _period(r).start,
    "temporal_coverage-to": lambda r: _period(r).end,
    "spatial": lambda r: json.dumps(r.spatial, separators=(",", ":")) if r.spatial else "",
    "spatial-text": lambda r: r.spatial_text,
    "language": lambda r: ", ".join(r.language),
    "dcat_publisher_name": lambda r: r.publisher.name if r.publisher else "",
    "dcat_publisher_email": lambda r: r.publisher.email if r.publisher else "",
    "dcat_publisher_uri": lambda r: r.publisher.url if r.publisher else "",
    "contact-name": lambda r: r.contact.name if r.contact else "",
    "contact-email": lambda r: r.contact.email if r.contact else "",
    "dcat_subject": lambda r: json.dumps(r.themes, ensure_ascii=False) if r.themes else "",
    "schema": lambda r: multivalue.as_text((*r.schema_urls, *_schemas_among_files(r))),
    "license_url": lambda r: _licence(r).url,
    "licence": lambda r: licences.describe_licence(_licence(r)),
    "rights": lambda r: r.rights,
}


def _schemas_among_files(record: DatasetRecord) -> Iterable[str]:
    """Return the URLs of resources that are known schemas; many publishers list them only there."""
    return (file.url for file in record.resources if vocabulary.row("schemas", file.url))


def _period(record: DatasetRecord) -> Period:
    return record.temporal or Period()


def _licence(record: DatasetRecord) -> Licence:
    return record.licence or Licence()


def _facts(record: DatasetRecord, reference: str) -> dict[str, str]:
    facts = dict(record.extras)
    # Keep an extra if FACTS has no value for it: it holds text that the parser could not parse.
    facts.update((key, text) for key, value in FACTS.items() if (text := value(record)))
    facts["import_source"] = "harvest"
    facts["harvest_source_reference"] = reference or record.guid
    return {key: value for key, value in facts.items() if value}


def _place(package: dict[str, Any], facts: Mapping[str, str], schema: Collection[str]) -> None:
    extras = []
    for key, value in facts.items():
        if key in package:
            continue
        if key in schema:
            package[key] = value
        else:
            extras.append({"key": key, "value": value})
    package["extras"] = sorted(extras, key=lambda extra: extra["key"])


def _keep(
    package: dict[str, Any], existing: Mapping[str, Any], not_overwrite: Collection[str]
) -> None:
    for key in KEPT_FIELDS:
        if key in existing:
            package[key] = existing[key]
    # A title that stays keeps its translations.
    not_overwrite = {*not_overwrite, *(f"{key}_translated" for key in not_overwrite)}
    extras = {extra["key"]: extra["value"] for extra in package["extras"]}
    for extra in existing.get("extras", ()):
        if extra["key"] in not_overwrite and extra["value"]:
            extras[extra["key"]] = extra["value"]
    for key in not_overwrite:
        if existing.get(key) and key not in ("extras", "resources"):
            package[key] = existing[key]
    package["extras"] = [{"key": key, "value": extras[key]} for key in sorted(extras)]


def _resources(
    record: DatasetRecord,
    existing: Mapping[str, Any] | None,
    known: Sequence[Sequence[str]] | None,
    defaults: Defaults,
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return the resources, known ones with their CKAN ids, and those added by hand last."""
    old = list(existing.get("resources", ())) if existing else []
    ours = {each[0]: each[1] for each in known} if known is not None else {}
    by_hand = [each for each in old if known is not None and each["id"] not in ours]
    free = [each for each in old if each not in by_hand]
    matched = resource_matching.match_resources(record.resources, free, ours)
    written: list[tuple[str, str]] = []
    resources = []
    for resource, before in zip(record.resources, matched, strict=True):
        new_id = str(uuid.uuid4()) if existing else ""
        ckan_id = before["id"] if before else new_id
        texts = translated_fields.resource_fields(
            resource, record, defaults.resource_schema, defaults.language
        )
        resources.append({**_resource(resource, ckan_id), **texts})
        written.append((ckan_id, resource_matching.match_key(resource)))
    return resources + by_hand, written


def _resource(resource: ResourceRecord, ckan_id: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "url": resource.url,
        "name": resource.name,
        "description": resource.description,
        "format": resource.format,
        "mimetype": resource.mimetype,
        "resource_type": resource.kind,
        "size": resource.size,
        "data_issued": resource.issued,
        "data_modified": resource.modified,
        "schema_url": resource.schema_url,
        "licence": (resource.licence.url or resource.licence.title) if resource.licence else "",
        "temporal_coverage-from": resource.temporal.start if resource.temporal else "",
        "temporal_coverage-to": resource.temporal.end if resource.temporal else "",
        "date": resource.temporal.start if resource.temporal else "",
        **resource.extras,
    }
    kept = {key: value for key, value in facts.items() if value not in ("", None)}
    given = {"id": ckan_id} if ckan_id else {}
    return {**kept, **given, "name": resource.name, "url": resource.url}
