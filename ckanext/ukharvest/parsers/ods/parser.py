"""Datasets of Opendatasoft portals, by Explore API 2.1 or Search API 1.0.

Version 2.1 groups the metadata of a dataset: ``metas.default`` is there always, ``metas.dcat`` and
``metas.inspire`` where the portal uses them. In version 1.0 the same are ``metas``,
``interop_metas.dcat`` and ``interop_metas.inspire``.

A portal answers in one language at a time: that of the option language, else its own.

A portal with an API key gets it from a secret in the ini that the option credential names, such as
``https://portal.example Authorization: Apikey KEY``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import MAX_RESOURCES, Option
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import parties
from ckanext.ukharvest.core.values.geometries import Geometry
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_list, is_no
from ckanext.ukharvest.core.values.periods import join_periods
from ckanext.ukharvest.core.values.places import read_box
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.json_fields import Fields, labels, load_object, value_text
from ckanext.ukharvest.parsers.ods.dataset import (
    DCAT,
    DEFAULT,
    INSPIRE,
    RESOURCE_MAPPING,
    Dataset,
    dataset_of,
    dcat_row,
    default_row,
    has_records,
    inspire_row,
    names,
    read_resources,
    references,
)
from ckanext.ukharvest.parsers.package_dict import text_of, unread_members
from ckanext.ukharvest.parsers.reporting import read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, collect

__all__ = ["FORM", "MAPPING", "OPTIONS", "RESOURCE_MAPPING", "VERSION", "VOLATILE", "parse"]

VERSION = 5
FORM = "json_or_rdf"  # in the fingerprints of all records, from the time when they could be RDF

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
    """Read one dataset of either interface.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: it is restricted, of INSPIRE, or has nothing, and the options exclude it.
    """
    data = load_object(raw)
    table.require(raw, raw.guid, "dataset_id", "missing-identifier")
    problems: list[Problem] = []
    dataset = dataset_of(data, raw.guid, raw.url, problems)
    _check_options(dataset, raw.display_name, options)
    title = plain_line(dataset.default.text("title"))
    table.require(raw, title, "title", "missing-title")
    barren: set[str] = set()
    values, extras = collect(MAPPING, dataset, barren)
    limit, modified = options.get("max_resources", 1000), values.get("modified", "")
    values["resources"] = read_resources(dataset, limit, modified)
    languages = set(filter(None, map(language_code, dataset.default.texts("metadata_languages"))))
    values["text_language"] = _text_language(languages, options.get("language", ""))
    apart = {"metadata_languages": languages, "references": list(references(dataset))}
    barren |= {DEFAULT + name for name, value in apart.items() if not value}
    extras = table.add_unread(extras, _unread(dataset, barren))
    table.report_missing(dataset.default, values, _NEEDED)
    return DatasetRecord(raw.guid, title, extras=extras, problems=tuple(problems), **values)


def _check_options(dataset: Dataset, where: str, options: Mapping[str, Any]) -> None:
    own = dataset.own
    is_restricted = dataset.is_restricted or is_no(own.get("data_visible"))
    if is_restricted and not options.get("include_restricted"):
        raise SkipRecord(
            Message(
                "{where}: only some users of the portal may see it; the option"
                " include_restricted imports it",
                where=where,
            )
        )
    if dataset.inspire.data and not options.get("include_inspire", True):
        raise SkipRecord(
            Message(
                "{where}: it has INSPIRE metadata, and the option include_inspire skips such"
                " records",
                where=where,
            )
        )
    files = own.has("attachments", "alternative_exports") or dataset.default.has("references")
    if not has_records(dataset) and not files:
        raise SkipRecord(Message("{where}: it has no records, no files and no links", where=where))


# Every portal shows these first: without them a dataset page looks empty.
_NEEDED = {
    "notes": ("description", Message("what the data is")),
    "publisher": ("publisher", Message("the name of the body that publishes it")),
    "licence": ("license", Message("a licence, or its URL as license_url")),
}


def _tags(default: Fields, names: table.Names) -> tuple[str, ...]:
    words = labels(default.items(names[0], strict=False))
    return read_tags(default, words, default.full_name(names[0]))


def _themes(dataset: Dataset) -> FieldValues:
    texts = (*dataset.default.values("theme"), *dataset.inspire.values("theme"))
    report = dataset.default.reporter("theme")
    return uk_fields.authority(uk_fields.FieldTexts("", texts, report))


def _contacts(dataset: Dataset) -> FieldValues:
    pairs = ((dataset.dcat, "contact_name"), (dataset.inspire, "contact_individual_name"))
    contacts = parties.with_role(
        dict.fromkeys(
            parties.read_agent(
                fields.text(name),
                (email := "; ".join(fields.texts("contact_email"))),
                "",
                fields.reporter("contact_email", email),
            )
            for fields, name in pairs
        ),
        parties.CONTACT,
    )
    return {
        "contact": replace(contacts[0], role="") if contacts else None,
        "extras": parties.other_parties(contacts[1:]),
    }


def _terms(dataset: Dataset) -> FieldValues:
    texts = table.texts(dataset.default, ("license_url", "license"))
    terms = (*dataset.default.values("attributions"), dataset.dcat.text("accessRights"))
    return {
        "licence": read_licence(texts, dataset.default.reporter("license"), terms),
        "extras": {"access_rights": "restricted" if dataset.is_restricted else ""},
    }


def _other_standards(fields: Fields, names: table.Names) -> str:
    urls = table.schemas(fields, names)
    return ", ".join(text for text in table.texts(fields, names) if text not in urls)


def _identifiers(dataset: Dataset) -> FieldValues:
    others = (*dataset.own.texts("dataset_uid"), dataset.inspire.text("file_identifier"))
    return {"extras": {"alternate_identifier": as_list(list(filter(None, others)))}}


def _source(dataset: Dataset) -> FieldValues:
    """Return where a federated dataset comes from."""
    host, name = map(dataset.default.text, ("source_domain_address", "source_dataset"))
    source = f"https://{host}/explore/dataset/{name}/" if host and name else host or name
    return {"extras": {"source": as_list([source] if source not in ("", dataset.page) else [])}}


def _text_language(languages: Set[str], requested: str) -> str:
    """Return the code of the texts' language, "" if it is not known.

    A portal gives the original text where it has none in the requested language.
    """
    code = language_code(requested)
    # Of several, the metadata does not say which is the portal's own.
    return code if code in languages else "".join(languages) if len(languages) == 1 else ""


def _temporal(fields: Fields, names: table.Names) -> table.Several:
    start, end, period = names
    periods = fields.ends(start, end)
    if not periods.whole:
        periods = join_periods((periods, fields.periods(period)))
    return table.Several(temporal=periods.whole, extras=periods.extras)


def _place(dataset: Dataset) -> FieldValues:
    area = dataset.default.places("bbox")
    box = None if area.geometry else _box(dataset.inspire)
    named = dataset.dcat.places("spatial")
    territory = "; ".join(dataset.default.texts("territory"))
    text = named.names or territory or dataset.inspire.text("extend_description") or area.names
    geometry = area.geometry or box or named.geometry
    unread = "; ".join(
        filter(None, (named.unread, area.unread, area.names if area.names != text else ""))
    )
    return named._replace(geometry=geometry, names=text, unread=unread).values


_SIDE_NAMES = tuple(
    f"extend_bounding_box_{side}"
    for side in ("westbound_longitude", "southbound_latitude")
    + ("eastbound_longitude", "northbound_latitude")
)


def _box(inspire: Fields) -> Geometry | None:
    sides = [value_text(inspire.get(name)) for name in _SIDE_NAMES]
    return read_box(sides, inspire.reporter(_SIDE_NAMES[0]))


# About the portal, its processing and its rows, or said by other fields: see the list "Not read".
_OF_PORTAL = frozenset(
    (*_COUNTERS, "datasetid", "data_visible", "fields", "links", "metas", "basic_metas")
    + ("interop_metas", "extra_metas", "timezone", "modified_updates_on_metadata_change")
    + ("modified_updates_on_data_change", "geographic_reference", "geographic_reference_auto")
    + ("geometry_types", "source_domain", "source_domain_title", "oauth_scope", "parent_domain")
    + ("shared_catalog", "federated", "domain", "visibility", "territory", "update_frequency")
)
_OF_PERSONS = frozenset(("contact_position", "contact_address"))
_OBJECTS = frozenset(("bbox", "spatial", "temporal", *_COUNTERS))
# Kept as a text too, if nothing was made of them.
_NO_TEXT = frozenset((*_SIDE_NAMES, "references", "metadata_languages"))


def _unread(dataset: Dataset, barren: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield that of which no row made anything, of standard metadata and of other systems'."""
    yield from unread_members(dataset.own.data, _READ[""] - dataset.own.odd(barren))
    for prefix, name in ((DEFAULT, ""), (DCAT, "dcat_"), (INSPIRE, "inspire_")):
        fields = dataset.part(prefix)
        names = {key.removeprefix(prefix) for key in barren if key.startswith(prefix)}
        odd = fields.odd(names, table.names_read(MAPPING, prefix) - _OBJECTS) | names & _NO_TEXT
        for key, text in unread_members(fields.data, _READ[prefix] - odd):
            yield name + key, text


def _quality(dataset: Dataset) -> FieldValues:
    """Return both texts on quality: that of inspire keeps its own name beside another one."""
    texts = {
        "data_quality": plain_text(dataset.dcat.text("dataquality")),
        "topologic_consistency": plain_text(dataset.inspire.text("topologic_consistency")),
    }
    several = set(filter(None, texts.values()))
    return {"extras": texts if len(several) > 1 else {"data_quality": "".join(several)}}


def _other_templates(dataset: Dataset) -> FieldValues:
    """Return what the portal's own templates have; their names can be any, also those of CKAN."""
    return {
        "extras": {
            clean_text(f"{template}_{key}"): text_of(value)
            for template, fields in dataset.others.items()
            for key, value in fields.items()
        }
    }


MAPPING: tuple[Field | table.Row, ...] = (
    Field(("dataset_id",), "guid"),
    Field(("dataset_id",), "url", lambda dataset: {"url": dataset.page}),
    Field(names(DEFAULT, "title"), "title"),
    Field(
        ("has_records", "features", "attachments", "alternative_exports")
        + names(DEFAULT, "references", "records_count"),
        "resources",
    ),
    default_row("description", "notes", table.paragraph),
    default_row("keyword", "tags", _tags),
    Field(names(DEFAULT, "metadata_languages"), "text_language"),
    Field(
        names(DEFAULT, "theme") + names(INSPIRE, "theme"),
        "themes; extras la_function, la_service",
        _themes,
    ),
    default_row("publisher", "publisher", table.agent),
    dcat_row("creator", "author", table.agent),
    Field(
        names(DCAT, "contact_name", "contact_email")
        + names(INSPIRE, "contact_individual_name", "contact_email"),
        "contact; extra responsible-organisation",
        _contacts,
    ),
    dcat_row("contributor", "extra contributor", table.text),
    dcat_row("accessRights", "extra access_rights", table.text),
    Field(
        ("visibility", *names(DEFAULT, "license_url", "license"), *names(DCAT, "accessRights")),
        "licence; extra access_rights",
        _terms,
    ),
    default_row("attributions", "rights", table.one_per_line),
    dcat_row("issued", "issued", table.date),
    default_row("modified", "modified", table.date),
    dcat_row("created", "extra created", table.date),
    dcat_row("accrualperiodicity", "frequency", table.frequency),
    default_row("update_frequency", "frequency", table.frequency),
    dcat_row("temporal_coverage_start temporal_coverage_end temporal", "temporal", _temporal),
    Field(
        names(DEFAULT, "bbox", "territory")
        + names(DCAT, "spatial")
        + names(INSPIRE, *_SIDE_NAMES, "extend_description"),
        "spatial, spatial_text",
        _place,
    ),
    default_row("language", "language", table.languages),
    dcat_row("conforms_to", "schema_urls", table.schemas),
    dcat_row("conforms_to", "extra conforms_to", _other_standards),
    Field(
        ("dataset_uid", *names(INSPIRE, "file_identifier")),
        "extra alternate_identifier (list)",
        _identifiers,
    ),
    Field(
        names(DEFAULT, "source_domain_address", "source_dataset"), "extra source (list)", _source
    ),
    dcat_row("granularity", "extra granularity", table.paragraph),
    dcat_row("relation", "extra related_resource", table.paragraph),
    dcat_row("publisher_type", "extra publisher_type", table.paragraph),
    Field(
        names(DCAT, "dataquality") + names(INSPIRE, "topologic_consistency"),
        "extra data_quality",
        _quality,
    ),
    inspire_row("lineage", "extra provenance", table.paragraph),
    inspire_row("identification_purpose", "extra purpose", table.paragraph),
    inspire_row("spatial_resolution", "extra spatial_resolution", table.paragraph),
    inspire_row("hierarchy_level", "extra dcat_type", table.paragraph),
    inspire_row("hierarchy_level_name", "extra hierarchy-level-name", table.paragraph),
    inspire_row("type", "extra resource-type", table.paragraph),
    Field(("metas.custom.*, and every other template",), "extras of the portal", _other_templates),
    Field(("every other field",), "extras"),
)

_READ = {
    "": table.names_read(MAPPING) | _OF_PORTAL,
    DEFAULT: table.names_read(MAPPING, DEFAULT) | _OF_PORTAL,
    DCAT: table.names_read(MAPPING, DCAT),
    INSPIRE: table.names_read(MAPPING, INSPIRE) | _OF_PERSONS,
}
