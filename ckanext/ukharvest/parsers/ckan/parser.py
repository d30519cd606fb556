"""Datasets of other CKAN sites, 2.0 to 2.12, as package_show and package_search give them.

The extras named in data.gov.uk's guide are read, and the fields of data.europa.eu's extended
schema, such as ``contact_point``, ``accrual_periodicity``, ``dcat_spatial`` or a resource's
``checksum``, where they are objects or lists as its guide has them. Groups named after one of the
EU's data themes become themes. All others are kept unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import LEFT_OUT_TYPES, MAX_RESOURCES, Option, is_left_out
from ckanext.ukharvest.core.records import (
    OF_DATASET,
    Agent,
    DatasetRecord,
    Origin,
    Period,
    Problem,
    RawRecord,
    Translation,
)
from ckanext.ukharvest.core.values import licences, multivalue
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import json_fields, table, uk_fields
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers.ckan import names
from ckanext.ukharvest.parsers.json_fields import Fields
from ckanext.ukharvest.parsers.package_resources import resources
from ckanext.ukharvest.parsers.reporting import ignore
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row, collect, row

VERSION = 4
FORM = "json"

OPTIONS = (
    Option(
        "fields",
        "table",
        {},
        'Translation of the remote site\'s fields: {"remote name": "our name"}, null to drop one,'
        ' or {"to": …, "values": {…}, "default": …}.',
        check=names.wrong,
        label=_("Translation of fields"),
        form_help=_(
            "Each row copies one field of the other site to a field here. Leave “field here” "
            "empty to drop the field. Values: one on each line, written there = here."
        ),
    ),
    MAX_RESOURCES,
    LEFT_OUT_TYPES,
    Option(
        "remote_groups",
        "text",
        "",
        "What happens to the remote site's groups: only_local puts datasets into groups of "
        "the same id or name here, create also creates missing groups; without it groups are "
        "ignored.",
        choices={
            "only_local": _("Use groups that this site has too"),
            "create": _("Also create groups that this site does not have"),
        },
        sysadmin_only=True,
        label=_("Groups of the other site"),
        form_help="",
        empty=_("Ignore them"),
    ),
)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one package.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: of a type that is no dataset, private, deleted, or excluded from harvesting.
    """
    flat = package.flatten(package.load(raw))
    _check_wanted(flat, raw, options)
    problems: list[Problem] = []
    translated = names.translate(names.translate_eu(flat), options.get("fields", {}))
    fields = Fields(translated, problems, base=raw.url)
    title = package.line(fields, ("title",))
    table.require(raw, title, "title", "missing-title")
    barren: set[str] = set()
    values, extras = collect(MAPPING, fields, barren)
    limit = options.get("max_resources", 1000)
    values["resources"] = files = resources(fields, limit)
    report, terms = fields.reporter("license_id"), package.terms(fields)
    values["licence"] = licences.of_dataset(values.get("licence"), terms, files, report)
    odd = fields.odd(barren)
    table.report_missing(fields, values, _NEEDED)
    values["origin"] = _origin(flat, raw.guid)
    read = _READ - (barren.intersection(_KEPT) | odd)
    extras = dict(package.unread_fields(translated, read)) | extras
    return DatasetRecord(raw.guid, title, extras=extras, problems=tuple(problems), **values)


def _origin(flat: Mapping[str, Any], guid: str) -> Origin:
    """Return where the remote portal got a harvested dataset, as its extras name it."""
    named = (package.text_of(flat.get(key)) for key in ("original_guid", "guid"))
    guids = dict.fromkeys(name for name in named if name and name != guid)
    return Origin(tuple(guids), package.text_of(flat.get("harvest_source_reference")))


def _check_wanted(flat: Mapping[str, Any], raw: RawRecord, options: Mapping[str, Any]) -> None:
    where, kind = raw.display_name, package.text_of(flat.get("type"))
    if is_left_out(kind, options):
        raise SkipRecord(
            Message("{where}: its type is {kind}, which is not a dataset", where=where, kind=kind)
        )
    if multivalue.is_no(package.text_of(flat.get("dgu_harvest_me"))):
        raise SkipRecord(
            Message(
                "{where}: its extra dgu_harvest_me says that it is not for harvesting", where=where
            )
        )
    if multivalue.is_yes(flat.get("private")):
        raise SkipRecord(Message("{where}: it is private", where=where))
    state = package.text_of(flat.get("state"))
    if state in ("deleted", "draft"):
        raise SkipRecord(
            Message("{where}: its state is {state}; expected active", where=where, state=state)
        )


_NEEDED = {
    "notes": ("notes", Message("what the data is")),
    "licence": ("license_id", Message("a licence's id such as uk-ogl")),
}


def _translations(fields: Fields) -> FieldValues:
    title = package.line(fields, ("title",))
    texts = json_fields.ckan_translations(fields.data, Translation, OF_DATASET)
    return json_fields.with_language(title, texts)


_CONTACT, _MAINTAINER = ("contact-name", "contact-email"), ("maintainer", "maintainer_email")


def _contact(fields: Fields) -> FieldValues:
    contact, maintainer = package.agent(fields, _CONTACT), package.agent(fields, _MAINTAINER)
    extras = {}
    if contact and maintainer and maintainer != contact:
        # The mapper writes the contact as the maintainer and would overwrite it.
        extras["original_maintainer"] = maintainer.name
        extras["original_maintainer_email"] = maintainer.email
    return {"contact": contact or maintainer, "extras": extras}


def _publisher(fields: Fields, keys: table.Names) -> Agent | None:
    """Return the publisher named by the dataset, else its organisation on the remote site."""
    if publisher := package.agent(fields, keys[:3]):
        return publisher
    organisation = package.group(fields.get(keys[3]))
    name = plain_line((organisation.title or organisation.name) if organisation else "")
    return Agent(name) if name else None


def _licence(fields: Fields, keys: table.Names) -> table.Several:
    licence = package.licence(fields, keys)
    terms = package.text_of(fields.get("licence"))
    # Licence terms as text are kept as well when the licence id is known.
    is_more = licence and licence.id and terms and terms != licence.title
    key = package.text_of(fields.get("license_id"))
    is_odd = licence and not licence.id and key not in (licence.title, licence.url)
    extras = {"licence": terms if is_more else "", "original_license_id": key if is_odd else ""}
    return table.Several(licence=licence, extras=extras)


# The first theme is the main one.
_THEMES = (*uk_fields.THEMES, "themes")


def _subjects(fields: Fields) -> FieldValues:
    # Theme names of other portals may contain commas; those of UK portals do not.
    themes = [
        theme
        for key in _THEMES
        for theme in package.split_list(fields.get(key), "" if key == "themes" else r"[,;|\n]+")
    ]
    return uk_fields.authority(
        uk_fields.FieldTexts("", themes, fields.reporter("themes")),
        *(
            uk_fields.FieldTexts(
                kind, tuple(multivalue.texts(fields.get(key))), fields.reporter(key)
            )
            for key, kind in uk_fields.AUTHORITY.items()
        ),
    )


def _frequency(fields: Fields, keys: table.Names) -> str:
    text = package.text(fields, keys)
    return fields.parse_value(keys[0], text, parse_frequency, "bad-frequency")


def _period(fields: Fields, keys: table.Names) -> table.Several:
    """Return the time span; values that are not understood stay under their own names."""
    start, end, whole = keys
    ends = package.text(fields, (start,)), package.text(fields, (end,))
    periods = fields.read_periods([ends], "", start, end)
    period = periods.whole or Period()
    unread = {start: period.start, end: period.end} if periods.unread else {}
    if not periods.whole:
        # ckanext-dcat and data.gov have the period as one text.
        periods = fields.periods(whole)
        unread |= {whole: ""} if periods.unread else {}
    extras = {key: package.text(fields, (key,)) for key, date in unread.items() if not date}
    return table.Several(temporal=periods.whole, extras=extras)


def _standards(fields: Fields, keys: table.Names) -> str:
    """Return what the data conforms to; what is named as a schema, but is none, is added."""
    named = uk_fields.addresses("schema", fields.get(keys[1]), ignore)["extras"]
    return package.with_more(fields, keys[0], tuple(filter(None, named.values())))


MAPPING: tuple[Field | Row, ...] = (
    Field(("id",), "guid"),
    Field(("title",), "title"),
    Field(("resources",), "resources"),
    row("notes", "notes", package.paragraph),
    row("rights", "rights", package.paragraph),
    row("version", "version", package.text),
    Field((*OF_DATASET,), "translations, text_language", _translations),
    row("url", "url", table.link),
    row("organization owner_org", "organisation", package.organisation),
    row("groups", "groups", package.groups),
    row("name", "name", package.dataset_name),
    row("tags", "tags", package.tags),
    Field((*_CONTACT, *_MAINTAINER), "contact", _contact),
    row("author author_email", "author", package.agent),
    row(
        "dcat_publisher_name dcat_publisher_email dcat_publisher_uri organization",
        "publisher",
        _publisher,
    ),
    row("license_id license_url license_title license licence", "licence", _licence),
    Field((*_THEMES, *uk_fields.AUTHORITY), "themes; extras la_function, la_service", _subjects),
    row("language", "language", package.languages),
    row("update_frequency", "frequency", _frequency),
    row("data_issued", "issued", package.date),
    row("data_modified", "modified", package.date),
    row("metadata_modified revision_timestamp", "metadata_modified", package.date),
    row("temporal_coverage-from temporal_coverage-to temporal", "temporal", _period),
    Field(("spatial", "spatial-text"), "spatial, spatial_text", package.place),
    row("conforms_to schema", "extra conforms_to", _standards),
    row("schema", "schema_urls", package.addresses),
    row("codelist", "extra codelist", package.addresses),
    row("mandate", "extra mandate", package.addresses),
    row("unpublished", "extra unpublished", package.unpublished),
    Field(("every other field and extra",), "extras"),
)
_READ = table.names_read(MAPPING) | table.PORTAL_FIELDS
# Fields that stay as they are, too, if their value is not understood.
_KEPT = ("update_frequency", "data_issued", "data_modified")
