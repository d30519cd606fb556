"""Datasets of Opendatasoft portals, by Explore API 2.1, Search API 1.0 or the DCAT export.

Version 2.1 groups the metadata of a dataset: ``metas.default`` is there always, ``metas.dcat`` and
``metas.inspire`` where the portal uses them. In version 1.0 the same are ``metas``,
``interop_metas.dcat`` and ``interop_metas.inspire``. Records of the DCAT export are read as on the
page of the type dcat_rdf.

A portal answers in one language at a time: that of the option language, else its own. Titles,
descriptions and keywords in other languages are read if the option translations names these. The
DCAT export has one language.

A portal with an API key gets it from a secret in the ini that the option credential names, such as
``https://portal.example Authorization: Apikey KEY``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.fingerprint import is_triples
from ckanext.ukharvest.core.mapping_table import Field, FieldValues, collect, read_apart
from ckanext.ukharvest.core.options import MAX_RESOURCES, Option
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.translations import Translation
from ckanext.ukharvest.core.values import licences, parties
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import is_no
from ckanext.ukharvest.core.values.record_licence import read_licence
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import parse_email
from ckanext.ukharvest.parsers import uk_fields, unread_fields
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.node import as_list
from ckanext.ukharvest.parsers.json_fields import Fields, load_object
from ckanext.ukharvest.parsers.ods import coverage, resources, translations
from ckanext.ukharvest.parsers.ods.dataset import (
    Dataset,
    dataset_of,
    dcat_names,
    default_names,
    inspire_names,
)
from ckanext.ukharvest.parsers.package_dict import text_of, unread_members

# It grows with the parser of DCAT: a change of either imports records again.
VERSION = 1 + dcat.VERSION
FORM = "json_or_rdf"

OPTIONS = (
    Option(
        "include_restricted",
        "boolean",
        False,
        "Whether datasets that only some users of the portal may see are harvested too. They are "
        "listed only if the source has an API key.",
        label=_("Import restricted datasets too"),
    ),
    Option(
        "include_inspire",
        "boolean",
        True,
        "Whether datasets with INSPIRE metadata are harvested. Their portal often has them from a "
        "CSW server that is harvested itself.",
        label=_("Import datasets with INSPIRE metadata"),
    ),
    MAX_RESOURCES,
)

# Written by the portal each time that it processes a dataset, changed or not.
_COUNTERS = (
    ("records_count", "records_size", "data_processed", "metadata_processed")
    + ("download_count", "api_call_count", "attachment_download_count")
    + ("file_field_download_count", "popularity_score", "reuse_count")
)
_PAIR = rf'"(?:{"|".join(_COUNTERS)})":(?:"(?:[^"\\]|\\.)*"|[^,{{}}\[\]"]+)'
# Together with a comma, so that what is left is still JSON.
VOLATILE = re.compile(rf"(?<=\{{)(?:{_PAIR}(?:,|(?=\}})))+|(?:,{_PAIR})+")


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one dataset of any interface, detected from its content.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: it is restricted, of INSPIRE, or has nothing, and the options exclude it.
    """
    if is_triples(raw.content or ""):
        return dcat.parse(raw, options)
    data = load_object(raw)
    if not raw.guid:
        raise ParseError(f"{raw.display_name}: dataset_id is missing", code="missing-identifier")
    problems: list[Problem] = []
    dataset = dataset_of(data, raw.guid, raw.url, problems)
    _check_options(dataset, raw.display_name, options)
    title = plain_line(dataset.default.text("title"))
    if not title:
        message = f"{raw.display_name}: title is missing; expected a text"
        raise ParseError(message, code="missing-title")
    found, extras = collect(MAPPING, dataset)
    limit, modified = options.get("max_resources", 1000), found.get("modified", "")
    found["resources"] = resources.read(dataset, limit, modified)
    main = Translation(title, found["notes"], found["tags"])
    found |= translations.read(dataset, main, options.get("language", ""))
    _report_missing(dataset.default, found)
    extras = unread_fields.added_to(extras, _unread(dataset))
    return DatasetRecord(raw.guid, title, extras=extras, problems=tuple(problems), **found)


def _check_options(dataset: Dataset, where: str, options: Mapping[str, Any]) -> None:
    own = dataset.own
    restricted = (own.get("visibility"), dataset.default.get("visibility"))
    is_restricted = "restricted" in restricted or is_no(own.get("data_visible"))
    if is_restricted and not options.get("include_restricted"):
        raise SkipRecord(
            f"{where}: only some users of the portal may see it; the option include_restricted"
            " brings it in"
        )
    if dataset.inspire.data and not options.get("include_inspire", True):
        raise SkipRecord(
            f"{where}: it has INSPIRE metadata, and the option include_inspire leaves such out"
        )
    files = own.has("attachments", "alternative_exports") or dataset.default.has("references")
    if not resources.has_records(dataset) and not files:
        raise SkipRecord(f"{where}: it has no records, no files and no links")


# Every portal shows these first: without them a dataset page looks empty.
_EXPECTED = (
    ("description", "notes", "what the data is"),
    ("publisher", "publisher", "the name of the body that publishes it"),
    ("license", "licence", "a licence, or its URL as license_url"),
)


def _report_missing(default: Fields, found: FieldValues) -> None:
    for key, name, expected in _EXPECTED:
        if not found.get(name) and not default.is_settled(key):
            default.report("missing-field", key, f"missing; expected {expected}")


def _notes(dataset: Dataset) -> FieldValues:
    return {"notes": plain_text(dataset.default.text("description"))}


def _tags(dataset: Dataset) -> FieldValues:
    default = dataset.default
    tags, problems = clean_tags(default.items("keyword", strict=False), f"{dataset.path}keyword")
    default.add(problems)
    return {"tags": tags}


def _themes(dataset: Dataset) -> FieldValues:
    given = dataset.default.texts("theme", strict=False)
    given += dataset.inspire.texts("theme", strict=False)
    report = dataset.default.reporter("theme")
    return uk_fields.authority(uk_fields.FieldTexts("", given, report))


def _people(dataset: Dataset) -> FieldValues:
    default, dcat_metas, inspire = dataset.default, dataset.dcat, dataset.inspire
    publisher, creator = default.text("publisher"), dcat_metas.text("creator")
    email = dcat_metas.read("contact_email", parse_email, "bad-email")
    contacts = [Agent(plain_line(dcat_metas.text("contact_name")), email)]
    email = inspire.read("contact_email", parse_email, "bad-email")
    contacts.append(Agent(plain_line(inspire.text("contact_individual_name")), email))
    contacts = parties.with_role(dict.fromkeys(contacts), parties.CONTACT)
    return {
        "publisher": parties.parse_agent(publisher) if publisher else None,
        "author": parties.parse_agent(creator) if creator else None,
        "contact": replace(contacts[0], role="") if contacts else None,
        "extras": {
            "contributor": dcat_metas.text("contributor"),
            **parties.other_parties(contacts[1:]),
        },
    }


def _terms(dataset: Dataset) -> FieldValues:
    default = dataset.default
    texts = filter(None, (default.text("license_url"), default.text("license")))
    return {
        "licence": read_licence(map(licences.find, texts), default.reporter("license")),
        "rights": "\n".join(default.texts("attributions", strict=False)),
        "extras": {"access_rights": dataset.dcat.text("accessRights") or _access(dataset)},
    }


def _access(dataset: Dataset) -> str:
    given = (dataset.own.get("visibility"), dataset.default.get("visibility"))
    return "restricted" if "restricted" in given else ""


def _language(dataset: Dataset) -> FieldValues:
    default = dataset.default
    texts = default.texts("language", strict=False)
    return {"language": read_languages(texts, default.reporter("language"))}


def _standards(dataset: Dataset) -> FieldValues:
    texts = dataset.dcat.texts("conforms_to", strict=False)
    urls = uk_fields.schemas(texts)
    others = ", ".join(text for text in texts if text not in urls)
    return {"schema_urls": urls, "extras": {"conforms_to": others}}


def _origin(dataset: Dataset) -> FieldValues:
    """Return the page, other identifiers, and where a federated dataset comes from."""
    host, name = (dataset.default.text(f"source_{each}") for each in ("domain_address", "dataset"))
    source = f"https://{host}/explore/dataset/{name}/" if host and name else ""
    others = (clean_text(dataset.own.get("dataset_uid")), dataset.inspire.text("file_identifier"))
    return {
        "url": dataset.page,
        "extras": {
            "alternate_identifier": as_list([each for each in others if each]),
            "source": as_list([source] if source and source != dataset.page else []),
        },
    }


# Fields without a DatasetRecord field, kept as text: name → CKAN extra.
_DCAT_EXTRAS = {
    "granularity": "granularity",
    "dataquality": "data_quality",
    "relation": "related_resource",
    "publisher_type": "publisher_type",
}
_INSPIRE_EXTRAS = {
    "lineage": "provenance",
    "identification_purpose": "purpose",
    "topologic_consistency": "data_quality",
    "spatial_resolution": "spatial_resolution",
    "hierarchy_level": "dcat_type",
    "hierarchy_level_name": "hierarchy-level-name",
    "type": "resource-type",
}


# About the portal, its processing and its rows, or said by other fields: see the list "Not read".
_OF_PORTAL = frozenset(
    (*_COUNTERS, "datasetid", "data_visible", "fields", "links", "metas", "basic_metas")
    + ("interop_metas", "extra_metas", "timezone", "modified_updates_on_metadata_change")
    + ("modified_updates_on_data_change", "geographic_reference", "geographic_reference_auto")
    + ("geometry_types", "source_domain", "source_domain_title", "oauth_scope", "parent_domain")
    + ("shared_catalog", "federated", "domain", "visibility", "territory", "update_frequency")
)
_OF_PERSONS = frozenset(("contact_position", "contact_address"))


def _unread(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """Yield what no other row reads, of the standard metadata and of other systems'."""
    yield from unread_members(dataset.own.data, _READ[""])
    yield from unread_members(dataset.default.data, _READ["default"])
    for name, fields in (("dcat", dataset.dcat), ("inspire", dataset.inspire)):
        for key, text in unread_members(fields.data, _READ[name]):
            yield f"{name}_{key}", text


def _more(dataset: Dataset) -> FieldValues:
    # Those of the portal's own templates, which can have any name, also one of CKAN's.
    found = {
        clean_text(f"{template}_{key}"): text_of(value)
        for template, fields in dataset.others.items()
        for key, value in fields.items()
    }
    # Where both have a value, that of inspire keeps its own name.
    for fields, names in ((dataset.dcat, _DCAT_EXTRAS), (dataset.inspire, _INSPIRE_EXTRAS)):
        for key, name in names.items():
            if text := plain_text(fields.text(key)):
                found[key if found.get(name, text) != text else name] = text
    return {"extras": found}


MAPPING: tuple[Field[Dataset], ...] = (
    Field(("dataset_id",), "guid", read_apart),
    Field(default_names("title"), "title", read_apart),
    Field(
        ("has_records", "features", "attachments", "alternative_exports")
        + default_names("references", "records_count"),
        "resources",
        read_apart,
    ),
    Field(default_names("description"), "notes", _notes),
    Field(default_names("keyword"), "tags", _tags),
    Field(default_names("metadata_languages"), "translations, text_language", read_apart),
    Field(
        default_names("theme") + inspire_names("theme"),
        "themes; extras la_function, la_service",
        _themes,
    ),
    Field(
        default_names("publisher")
        + dcat_names("creator", "contact_name", "contact_email", "contributor")
        + inspire_names("contact_individual_name", "contact_email"),
        "publisher, author, contact; extras contributor, responsible-organisation",
        _people,
    ),
    Field(
        ("visibility",)
        + default_names("license", "license_url", "attributions")
        + dcat_names("accessRights"),
        "licence, rights; extra access_rights",
        _terms,
    ),
    *coverage.MAPPING,
    Field(default_names("language"), "language", _language),
    Field(dcat_names("conforms_to"), "schema_urls; extra conforms_to", _standards),
    Field(
        ("dataset_uid",)
        + inspire_names("file_identifier")
        + default_names("source_domain_address", "source_dataset"),
        "url; extras alternate_identifier (list), source (list)",
        _origin,
    ),
    Field(
        dcat_names(*_DCAT_EXTRAS)
        + inspire_names(*_INSPIRE_EXTRAS)
        + ("metas.custom.*, and every other template",),
        "extras granularity, data_quality, related_resource, publisher_type, provenance, purpose,"
        " spatial_resolution, dcat_type, hierarchy-level-name, resource-type, and the portal's own",
        _more,
    ),
    Field(("every other field",), "extras", read_apart),
)

_READ = {
    "": unread_fields.names_of(MAPPING) | _OF_PORTAL | {translations.KEY},
    "default": unread_fields.names_of(MAPPING, "metas.default.") | _OF_PORTAL,
    "dcat": unread_fields.names_of(MAPPING, "metas.dcat."),
    "inspire": unread_fields.names_of(MAPPING, "metas.inspire.") | _OF_PERSONS,
}

RESOURCE_MAPPING = resources.RESOURCE_MAPPING
