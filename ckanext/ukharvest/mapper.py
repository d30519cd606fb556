"""From a DatasetRecord to CKAN's package dict: the only place that knows CKAN's shape.

Names of extras are those that data.gov.uk wrote, so that datasets taken over from it look the
same. A field goes to the top level of the dict where the dataset type's schema has it, else it
becomes an extra.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core import licences, listed, vocabulary
from ckanext.ukharvest.core.records import DatasetRecord, Licence, Period, ResourceRecord

VERSION = 2  # raise it when a record maps to another package dict: everything is imported again

# Query parameters that publishers change without changing the file: DataShare's version,
# cache busters, session tokens. Ignored when a resource is matched with its earlier self.
VOLATILE_PARAMETERS = {"version", "v", "ver", "t", "ts", "timestamp", "_", "cachebuster", "sid"}

# What a person sets on the dataset and no source knows: kept at each update.
KEPT = ("id", "name", "private", "groups", "type")


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the harvest source adds to each of its datasets.

    Attributes:
        tags, extras: added where the record has none of that name.
        groups: names of groups that the dataset is put into, beside those that it is in.
        not_overwrite: dataset fields and extras that stay as they are once set.
        reference: how a dataset refers to its record; "" is by the record's guid.
    """

    owner_org: str
    private: bool = False
    tags: Sequence[str] = ()
    groups: Sequence[str] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    not_overwrite: Collection[str] = ()
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A package dict, and which of its resources are the source's: [(CKAN id, match key), …]."""

    package: dict[str, Any]
    resources: list[tuple[str, str]]


def to_package_dict(
    record: DatasetRecord,
    existing: Mapping[str, Any] | None,
    known_resources: Sequence[Sequence[str]] | None,
    schema: Collection[str],
    defaults: Defaults,
) -> Mapped:
    """Map one record.

    Args:
        record: what the source says.
        existing: the dataset as package_show gives it, None for a new one.
        known_resources: [(CKAN id, match key), …] that the last import wrote; None when that is
            not known, and then every existing resource counts as the source's.
        schema: names of the dataset type's own fields.
        defaults: what the source adds.
    """
    resources, ours = _resources(record, existing, known_resources)
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
    }
    _place(package, {**defaults.extras, **_facts(record, defaults.reference)}, schema)
    if existing:
        _keep(package, existing, defaults.not_overwrite)
    _add_groups(package, defaults.groups)
    return Mapped(package, ours)


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
    "schema": lambda r: listed.as_text((*r.schema_urls, *_schemas_among_files(r))),
    "license_url": lambda r: _licence(r).url,
    "licence": lambda r: licences.words(_licence(r)),
    "rights": lambda r: r.rights,
}


def _schemas_among_files(record: DatasetRecord) -> Iterable[str]:
    """Files that are known schemas: many publishers name theirs in no other way."""
    return (file.url for file in record.resources if vocabulary.row("schemas", file.url))


def _period(record: DatasetRecord) -> Period:
    return record.temporal or Period()


def _licence(record: DatasetRecord) -> Licence:
    return record.licence or Licence()


def _facts(record: DatasetRecord, reference: str) -> dict[str, str]:
    facts = dict(record.extras)
    # A parser keeps under an extra's name what it could not understand: blank does not replace it.
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
    for key in KEPT:
        if key in existing:
            package[key] = existing[key]
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
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return the resources, old ones under their CKAN ids, hand-made ones behind the source's."""
    old = list(existing.get("resources", ())) if existing else []
    ours = {each[0]: each[1] for each in known} if known is not None else {}
    by_hand = [each for each in old if known is not None and each["id"] not in ours]
    free = [each for each in old if each not in by_hand]
    matched = _match(record.resources, free, ours)
    written: list[tuple[str, str]] = []
    resources = []
    for resource, before in zip(record.resources, matched, strict=True):
        ckan_id = before["id"] if before else str(uuid.uuid4())
        resources.append(_resource(resource, ckan_id))
        written.append((ckan_id, _key(resource)))
    return resources + by_hand, written


def _match(
    new: Sequence[ResourceRecord], old: list[dict[str, Any]], keys: Mapping[str, str]
) -> list[dict[str, Any] | None]:
    """Pair resources with their earlier selves, the surest evidence of all of them first.

    Evidence is a pair of functions that give a resource and its earlier self the same value;
    None means that it has no such evidence.
    """
    evidence: tuple[
        tuple[Callable[[ResourceRecord], Any], Callable[[dict[str, Any]], Any]], ...
    ] = (
        (lambda n: _key(n) if n.id else None, lambda o: keys.get(o["id"])),
        # ckanext-harvest's CKAN harvester gives resources their remote ids.
        (lambda n: n.id or None, lambda o: o["id"]),
        (lambda n: (n.url, n.name), lambda o: (o.get("url"), o.get("name") or "")),
        (
            lambda n: (_stable(n.url), n.name),
            lambda o: (_stable(o.get("url")), o.get("name") or ""),
        ),
        (lambda n: _stable(n.url), lambda o: _stable(o.get("url"))),
    )
    found: list[dict[str, Any] | None] = [None] * len(new)
    free = list(old)
    for of_new, of_old in evidence:
        by_value: dict[Any, list[dict[str, Any]]] = {}
        for each in free:
            by_value.setdefault(of_old(each), []).append(each)
        for index, resource in enumerate(new):
            value = of_new(resource)
            if found[index] is None and value is not None and by_value.get(value):
                found[index] = by_value[value].pop(0)
        taken = {each["id"] for each in found if each}
        free = [each for each in free if each["id"] not in taken]
    return found


def _key(resource: ResourceRecord) -> str:
    return f"id:{resource.id}" if resource.id else f"url:{_stable(resource.url)}"


def _stable(url: str | None) -> str:
    """Return the address without its volatile query parameters and fragment."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return url or ""
    query = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if pair[0].casefold() not in VOLATILE_PARAMETERS
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


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
    return {**kept, "id": ckan_id, "name": resource.name, "url": resource.url}
