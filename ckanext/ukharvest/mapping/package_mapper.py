"""Map a DatasetRecord to CKAN's package dict.

Extras have the names that data.gov.uk used, so that datasets adopted from it look the same. A
field goes to the top level of the dict if the dataset type's schema has it, else it becomes an
extra; one that the portal's form has, but for other values, becomes an extra of another name
(``STAND_IN``).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.records import (
    OF_DATASET,
    OF_RESOURCE,
    DatasetRecord,
    Licence,
    Period,
    ResourceRecord,
    extra_values,
)
from ckanext.ukharvest.core.values import licences, multivalue
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.mapping import kept_fields
from ckanext.ukharvest.mapping.form_fields import STAND_IN, dcat_fields, takes
from ckanext.ukharvest.source_types.source_type import DEFAULT_FIELDS

Values = dict[str, Any]  # language code → a text, or a list of tags


def main_language(record: DatasetRecord) -> str:
    """Return the code of the language of a record's title and notes, "" if it is not known."""
    if record.text_language or len(record.language) != 1:
        return record.text_language
    return record.language[0].partition("-")[0]


def dataset_fields(record: DatasetRecord, schema: Collection[str], language: str) -> Values:
    """Return the values of those keys of OF_DATASET that the schema has.

    Args:
        schema: names of the dataset type's own fields.
        language: of texts whose language is not known: the portal's.
    """
    main = main_language(record) or language
    return {
        key: _all_languages(_texts(record.translations, name), getattr(record, name), main)
        for key, name in OF_DATASET.items()
        if key in schema
    }


def dataset_extras(record: DatasetRecord, schema: Collection[str]) -> dict[str, str]:
    """Return the extras for those keys of OF_DATASET that the schema does not have."""
    main = main_language(record)
    extras = {
        key: _without(_texts(record.translations, name), main)
        for key, name in OF_DATASET.items()
        if key not in schema
    }
    return {
        key: json.dumps(values, ensure_ascii=False, sort_keys=True)
        for key, values in extras.items()
        if values
    }


def resource_fields(
    resource: ResourceRecord, record: DatasetRecord, schema: Collection[str], language: str
) -> Values:
    """Return the values of OF_RESOURCE: CKAN keeps them as they are, with or without a schema."""
    main = main_language(record)
    fields = {}
    for key, name in OF_RESOURCE.items():
        texts = _texts(resource.translations, name)
        if key in schema:
            fields[key] = _all_languages(texts, getattr(resource, name), main or language)
        else:
            fields[key] = _without(texts, main)
    return {key: values for key, values in fields.items() if values}


def _texts(translations: Mapping[str, Any], name: str) -> Values:
    texts = {code: getattr(translation, name) for code, translation in translations.items()}
    return {
        code: list(text) if isinstance(text, tuple) else text
        for code, text in texts.items()
        if text
    }


def _without(texts: Values, main: str) -> Values:
    return {code: value for code, value in texts.items() if code != main}


def _all_languages(texts: Values, value: str | tuple[str, ...], main: str) -> Values:
    """Return the texts, with CKAN's own value in the main language if that is not among them.

    Never empty: a required field of the schema gets a value whatever the record has.
    """
    own: Any = value
    if isinstance(value, tuple):
        others = {tag for tags in texts.values() for tag in tags}
        own = [tag for tag in value if tag not in others]
    if texts and (main in texts or not own or own in texts.values()):
        return texts
    return {main: own, **texts}


# Keys that no source sets, and keys that our mapper sets. Our parsers check the last three: with
# invalid values CKAN or ckanext-spatial would refuse the dataset.
OUR_FIELDS = ("id", "name", "type", "state", "private", "owner_org", "groups", "tags", "guid") + (
    "resources",
    "extras",
    "spatial",
    "maintainer_email",
    "author_email",
)
OUR_RESOURCE_FIELDS = ("id", "distribution_ref", "size")


def add_missing_fields(
    package: dict[str, Any], other: Mapping[str, Any], schema: Collection[str]
) -> None:
    """Add values that a package dict lacks, from another package dict of the same record.

    Args:
        package: our package dict; changed in place.
        other: the dataset dict of ckanext-dcat.
        schema: names of the dataset type's own fields.
    """
    present = {extra["key"] for extra in package["extras"]}
    extras = extra_values(other)
    for key, value in {**extras, **other}.items():
        if key in OUR_FIELDS or not value or package.get(key) or key in present:
            continue
        if key in package or key in schema:
            package[key] = value
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            package["extras"].append({"key": key, "value": text})
    package["extras"].sort(key=lambda extra: extra["key"])
    others = {file.get("url"): file for file in other.get("resources", ())}
    for resource in package["resources"]:
        for key, value in others.get(resource["url"], {}).items():
            if value and key not in OUR_RESOURCE_FIELDS and not resource.get(key):
                resource[key] = value


VERSION = 3  # increase it when the mapping changes: every record is then imported again

# Match keys by ``id`` of a resource's dict, the only identity that new ones have. The dict beside
# its key keeps that from being used again.
Keys = dict[int, tuple[dict[str, Any], str]]


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values that the harvest source and the portal add to each of its datasets.

    Attributes:
        private: whether a new dataset is visible to its organisation alone.
        tags, extras: added if the record has none with that name; an extra of DEFAULT_FIELDS fills
            CKAN's own field.
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
    """A package dict, and what of it comes from the source.

    Attributes:
        package: the package dict.
        resources: its resources from the source: [(CKAN id, match key), …]. Those of a new dataset
            have "" for an id: CKAN makes one, and looks up each given one twice.
        supplied: its fields from the source.
    """

    package: dict[str, Any]
    resources: list[tuple[str, str]]
    supplied: kept_fields.SuppliedFields


def to_package_dict(
    record: DatasetRecord,
    existing: Mapping[str, Any] | None,
    known_resources: Sequence[Sequence[str]] | None,
    schema: Collection[str],
    defaults: Defaults,
    *,
    supplied: Mapping[str, Any] | None = None,
    found_formats: Mapping[str, str] | None = None,
    change: Callable[[dict[str, Any]], None] | None = None,
) -> MappedDataset:
    """Map one record to a package dict.

    Args:
        record: the parsed record.
        existing: the dataset as package_show returns it, None for a new one.
        known_resources: [(CKAN id, match key), …] that the last import wrote; None if unknown:
            every existing resource then counts as one of the source's.
        schema: names of the dataset type's own fields.
        defaults: values that the source adds.
        supplied: ``Record.supplied_fields`` of the last import; None if unknown: then no field is
            removed.
        found_formats: URL → format that the record has from link checks, not from its source.
        change: changes the package dict before what people own is added; what it adds counts as
            the source's.
    """
    old = list(existing.get("resources", ())) if existing else []
    ours = {pair[0]: pair[1] for pair in known_resources or ()}
    by_hand = [file for file in old if known_resources is not None and file["id"] not in ours]
    free = [file for file in old if file not in by_hand]
    resources, keys = _resources(record, free, ours, defaults, is_new=not existing)
    package = _map(record, resources, schema, defaults)
    if change:
        change(package)
        kept_fields.add_to_existing(package, existing)
    written = _identify(package["resources"], keys, free, ours, is_new=not existing)
    supplied_fields = kept_fields.list_supplied(
        package, existing, defaults.not_overwrite, found_formats or {}
    )
    if existing:
        kept_fields.keep_fields(package, existing, supplied, schema, defaults.not_overwrite)
        before = {file["id"]: file for file in free}
        gone = supplied["resources"] if supplied else {}
        for resource in package["resources"]:
            if resource["id"] in before:
                kept_fields.keep_resource_fields(
                    resource,
                    before[resource["id"]],
                    gone.get(resource["id"], ()),
                    defaults.resource_schema,
                )
        package["resources"] = package["resources"] + by_hand
    return MappedDataset(package, written, supplied_fields)


def _map(
    record: DatasetRecord,
    resources: list[dict[str, Any]],
    schema: Collection[str],
    defaults: Defaults,
) -> dict[str, Any]:
    """Return the package dict of a new dataset."""
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
        **dataset_fields(record, schema, defaults.language),
    }
    package |= {
        key: defaults.extras[key]
        for key in DEFAULT_FIELDS
        if key in defaults.extras and not package[key]
    }
    facts = _facts(record, defaults.reference) | dataset_extras(record, schema)
    for key in [key for key in facts if key in schema and not takes(schema, key, facts[key])]:
        facts[STAND_IN + key] = facts.pop(key)
    _place(package, {**defaults.extras, **facts}, schema)
    for key, value in dcat_fields(record, schema):
        if key not in package and takes(schema, key, value):
            package[key] = value
    if defaults.groups:
        package["groups"] = [{"name": name} for name in defaults.groups]
    return package


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
    "temporal_coverage-from": lambda r: (r.temporal or Period()).start,
    "temporal_coverage-to": lambda r: (r.temporal or Period()).end,
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
    "license_url": lambda r: r.licence.url if r.licence else "",
    "licence": lambda r: licences.describe_licence(r.licence or Licence()),
    "rights": lambda r: r.rights,
}


def _schemas_among_files(record: DatasetRecord) -> Iterable[str]:
    """Return the URLs of resources that are known schemas; many publishers list them only there."""
    return (file.url for file in record.resources if vocabulary.row("schemas", file.url))


def _facts(record: DatasetRecord, reference: str) -> dict[str, str]:
    facts = dict(record.extras)
    # Keep an extra if FACTS has no value for it: it holds text that the parser could not parse.
    facts.update((key, text) for key, value in FACTS.items() if (text := value(record)))
    facts |= {"import_source": "harvest", "harvest_source_reference": reference or record.guid}
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


def _resources(
    record: DatasetRecord,
    free: list[dict[str, Any]],
    ours: Mapping[str, str],
    defaults: Defaults,
    *,
    is_new: bool,
) -> tuple[list[dict[str, Any]], Keys]:
    """Return the resources, known ones with their CKAN ids, and their match keys.

    Args:
        free: resources of the dataset that can be the source's.
        ours: CKAN id → match key of the last import.
    """
    matched = kept_fields.match_resources(record.resources, free, ours)
    resources: list[dict[str, Any]] = []
    keys: Keys = {}
    for resource, before in zip(record.resources, matched, strict=True):
        new_id = "" if is_new else str(uuid.uuid4())
        texts = resource_fields(resource, record, defaults.resource_schema, defaults.language)
        made = {**_resource(resource, before["id"] if before else new_id), **texts}
        if licence := _license(made.get("licence"), record, before, defaults.resource_schema):
            made["license"] = licence
        resources.append(made)
        keys[id(made)] = (made, kept_fields.match_key(resource))
    return resources, keys


def _license(
    own: str | None,
    record: DatasetRecord,
    before: Mapping[str, Any] | None,
    schema: Collection[str],
) -> str:
    """Return a file's licence for the field that ckanext-dcat reads and stock harvesters wrote.

    Only where the portal's form or the file has it, so that it says the same as ours.

    Args:
        own: licence of the file, in our field.
        before: the file as it is, None for a new one.
        schema: names of the form's fields of resources.
    """
    of_dataset = (record.licence.url or record.licence.title) if record.licence else ""
    licence = own or of_dataset
    is_field = "license" in schema
    has_it = bool(before and before.get("license"))
    is_taken = takes(schema, "license", licence) if is_field else has_it
    return licence if is_taken else ""


def _identify(
    resources: Sequence[dict[str, Any]],
    keys: Keys,
    free: Sequence[Mapping[str, Any]],
    ours: Mapping[str, str],
    *,
    is_new: bool,
) -> list[tuple[str, str]]:
    """Return ids and match keys of the source's resources.

    Those that ``change`` added get the ids that they had at the last import.
    """
    used = {resource.get("id") for resource in resources}
    written = []
    for resource in resources:
        _made, key = keys.get(id(resource), (resource, ""))
        key = key or kept_fields.key_of("", str(resource.get("url") or ""))
        if not is_new and not resource.get("id"):
            same = (old["id"] for old in free if ours.get(old["id"]) == key)
            resource["id"] = next((id_ for id_ in same if id_ not in used), "") or str(uuid.uuid4())
            used.add(resource["id"])
        written.append(("" if is_new else str(resource["id"]), key))
    return written


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
    facts_with_value = {key: value for key, value in facts.items() if value not in ("", None)}
    identity = {"id": ckan_id} if ckan_id else {}
    return {**facts_with_value, **identity, "name": resource.name, "url": resource.url}
