"""Entries of data.json: Project Open Data 1.0 and 1.1, DCAT-US 3, and data.gov.uk's dialect.

Specifications: project-open-data.cio.gov/v1.1/schema and its version 1.0; github.com/GSA/dcat-us;
data.gov.uk's guide to DCAT fields, which lists more fields than data.gov.uk ever read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import MAX_RESOURCES, Option
from ckanext.ukharvest.core.records import (
    OF_DATASET,
    DatasetRecord,
    Problem,
    RawRecord,
    Translation,
)
from ckanext.ukharvest.core.values import licences, multivalue
from ckanext.ukharvest.core.values.frequencies import parse_frequency, read_frequency
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import is_redacted, shorten
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import json_fields, package_dict, table, uk_fields
from ckanext.ukharvest.parsers.data_json import resources
from ckanext.ukharvest.parsers.data_json import shared_fields as parts
from ckanext.ukharvest.parsers.data_json.resources import ROWS, own_extras, own_fields
from ckanext.ukharvest.parsers.json_fields import (
    Fields,
    labels,
    load_object,
    value_text,
    value_url,
    with_language,
)
from ckanext.ukharvest.parsers.package_dict import text_of, unread_members
from ckanext.ukharvest.parsers.reporting import ignore, read_link, read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, collect, row, without_repeats

VERSION = 4
FORM = "json"


def _wrong_filters(filters: Mapping[str, Any]) -> str:
    wrong = next((name for name, values in filters.items() if not isinstance(values, list)), "")
    return (
        Message('{wrong} has no list of values; expected one, such as ["public"]', wrong=wrong)
        if wrong
        else ""
    )


OPTIONS = (
    # That of ckanext-datajson, which looks at values as they stand in the document.
    Option(
        "filters",
        "table",
        {},
        "Only datasets whose fields have one of these values, exactly as data.json has them: field "
        "→ list of values. include_values selects by what is read from any format.",
        check=_wrong_filters,
    ),
    Option(
        "include_non_public",
        "boolean",
        False,
        "Whether datasets with the access level non-public are harvested too.",
        label=_("Import non-public datasets too"),
        form_help="",
    ),
    MAX_RESOURCES,
)


def identifier(data: Mapping[str, Any]) -> str:
    """Return a dataset's identity as text, "" if it has none."""
    keys = ("identifier", "uri", "@id")
    return next(filter(None, (parse_identifier(data.get(key)) for key in keys)), "")


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one entry of ``dataset``.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: the options exclude the entry, or all that are not public, as it is.
    """
    data = load_object(raw)
    problems: list[Problem] = []
    fields = Fields(data, problems, base=raw.url)
    title = plain_line(fields.text("title", "titleMap"))
    table.require(raw, raw.guid, "identifier", "missing-identifier")
    for name, values in (options.get("filters") or {}).items():
        if data.get(name) not in values:
            raise SkipRecord(
                Message(
                    "{record}: its {name} is not among those in the option filters",
                    record=raw.display_name,
                    name=name,
                )
            )
    _check_access(fields, raw.display_name, options)
    table.require(raw, title, "title", "missing-title")
    barren: set[str] = set()
    values, extras = collect(MAPPING, fields, barren)
    files = resources.distributions(fields, options.get("max_resources", 1000))
    links = [*resources.documents(fields)]
    kind = kind_of(data)
    if kind == "service":
        links = [*resources.endpoints(fields), *links]
    values["resources"] = without_repeats(files, links)
    report, terms = fields.reporter("license"), table.texts(fields, parts.TERMS)
    values["licence"] = licences.of_dataset(values.get("licence"), terms, files, report)
    odd = fields.odd({*barren, "format", "mediaType"})
    table.report_missing(fields, values, _NEEDED)
    if is_web_url(raw.guid):
        extras.setdefault("metadata_uri", raw.guid)
    apart = frozenset[str]().union(*(_OWN_FIELDS[other] for other in _OWN_FIELDS if other != kind))
    extras = table.add_unread(extras, unread_members(data, _READ - apart - odd))
    return DatasetRecord(raw.guid, title, extras=extras, problems=tuple(problems), **values)


# Classes of DCAT-US 3 that are records, but no datasets → what they are in the words of ISO 19115,
# as records of GEMINI and DCAT have it; and the fields that only they have.
_KINDS = {"DataService": "service", "DatasetSeries": "series"}
_SERIES = {"seriesMember": "series_members", "first": "first_in_series", "last": "last_in_series"}
_OWN_FIELDS = {"service": resources.ENDPOINTS, "series": frozenset(_SERIES)}


def kind_of(data: Mapping[str, Any]) -> str:
    """Return "service" or "series" for an entry of that class of DCAT-US 3, else ""."""
    classes = data.get("@type")
    names = classes if isinstance(classes, list) else [classes]
    kinds = (_KINDS.get(str(name).rpartition(":")[2], "") for name in names)
    return next(filter(None, kinds), "")


_LEVELS = ("public", "restricted public", "non-public")


def is_excluded(level: str, options: Mapping[str, Any]) -> bool:
    """Tell whether the options leave out datasets of an access level, in lower case."""
    is_public = level not in ("non-public", "nonpublic", "private")
    return not (is_public or options.get("include_non_public"))


def _check_access(fields: Fields, where: str, options: Mapping[str, Any]) -> None:
    level = value_text(fields.get("accessLevel")).lower()
    if is_excluded(level, options):
        raise SkipRecord(
            Message(
                "{where}: accessLevel is non-public; the option include_non_public imports it",
                where=where,
            )
        )
    if level and level not in _LEVELS:
        words = Message(
            "'{level}'; expected one of: {levels}",
            level=shorten(level, 40),
            levels=", ".join(_LEVELS),
        )
        fields.report("bad-access-level", "accessLevel", words)


_NEEDED = {
    "notes": ("description", Message("what the data is")),
    "publisher": ("publisher", Message("the name of the body that publishes it")),
    "contact": ("contactPoint", Message("a name and an email address")),
    "licence": ("license", Message("the web address of a licence")),
}


def _translations(fields: Fields) -> FieldValues:
    names = {"title": "title", "description": "notes", "keyword": "tags"}
    texts = parts.translations(fields, Translation, names)
    title = value_text(fields.get("title")) or value_text(fields.get("titleMap"))
    return with_language(plain_line(title), texts)


def _tags(fields: Fields, names: table.Names) -> table.Names:
    return read_tags(fields, labels(fields.items(names[0])), names[0])


def _themes(fields: Fields) -> FieldValues:
    # data.gov.uk's guide: functions and services of local government are themes too.
    own = [text for key in uk_fields.THEMES for text in fields.texts(key)]
    themes = (*own, *fields.listed("theme"), *fields.texts("subject"))
    return uk_fields.authority(
        uk_fields.FieldTexts("", themes, fields.reporter("theme")),
        *(
            uk_fields.FieldTexts(kind, fields.texts(key), fields.reporter(key))
            for key, kind in uk_fields.AUTHORITY.items()
        ),
    )


def _modified(fields: Fields, names: table.Names) -> str:
    # POD 1.1 allows a repeating interval as "modified": then it is a frequency, not a date.
    repeats = re.match(r"R\d*/P", value_text(fields.get(names[0])), re.IGNORECASE)
    return "" if repeats else fields.date(names[0])


def _frequency(fields: Fields) -> FieldValues:
    for key in ("accrualPeriodicity", "frequency"):
        text = value_url(fields.get(key))
        if text and not is_redacted(text):
            frequency, unread = read_frequency(text, fields.reporter(key))
            return {"frequency": frequency, "extras": unread}
    text = value_text(fields.get("modified"))
    if text[:1].upper() == "R":
        return {"frequency": fields.parse_value("modified", text, parse_frequency, "bad-date")}
    return {}


def _own(fields: Fields) -> FieldValues:
    texts = json_fields.ckan_translations(own_fields(fields), Translation, OF_DATASET)
    title = value_text(fields.get("title"))
    return {"extras": own_extras(fields), **with_language(title, texts)}


def _rights(fields: Fields, names: table.Names) -> str:
    return own_extras(fields).get("rights") or table.plain_lines(fields, names)


def _languages(fields: Fields, names: table.Names) -> table.Names:
    return read_languages(fields.listed(names[0]), fields.reporter(names[0]))


def _place(fields: Fields) -> FieldValues:
    place = fields.places("spatial")
    own = Fields(own_fields(fields), []).places("spatial")
    area = own if own.geometry else place
    extras = own.extras | area.extras | place.extras
    boxes = list(filter(None, fields.items("geographicBoundingBox", strict=False)))
    if area.geometry is None and boxes:
        area = fields.places("geographicBoundingBox")
        extras = area.extras | extras
    elif boxes:
        extras["bbox"] = text_of(boxes)
    identifiers = [
        item.get("identifier")
        for item in fields.items("spatial", strict=False)
        if isinstance(item, Mapping)
    ]
    extras["spatial_identifier"] = multivalue.as_text(map(value_text, identifiers))
    names = place.names or area.names
    return {"spatial": area.geometry, "spatial_text": names, "extras": extras}


def _member(item: Any) -> str:
    return identifier(item) if isinstance(item, Mapping) else parse_identifier(item)


def _kind(fields: Fields) -> FieldValues:
    kind = kind_of(fields.data)
    extras = {"resource-type": kind}
    if kind == "series":
        for key, name in _SERIES.items():
            members = fields.items(key, strict=False)
            extras[name] = multivalue.as_text(map(_member, members))
    return {"extras": extras}


def _standards(fields: Fields) -> FieldValues:
    # "schema" is our own export's: conformsTo of DCAT-US 1.1 has room for one.
    keys = ("conformsTo", "schema")
    items = [item for key in keys for item in fields.items(key, strict=False)]
    texts = [value_url(item) for item in items]
    names = [value_text(item) for item in items]
    urls = uk_fields.schemas(texts)
    # A reference system is not a schema: its URL alone is kept.
    others = [
        text if is_web_url(text) else name
        for text, name in zip(texts, names, strict=True)
        if text not in urls
    ]
    return {"schema_urls": urls, "extras": {"conforms_to": ", ".join(filter(None, others))}}


def _page(fields: Fields, names: table.Names) -> str:
    urls = map(value_url, fields.items(names[0], strict=False))
    pages = (read_link(url, "", ignore) for url in urls)  # reported as a resource
    return next(filter(is_web_url, pages), "")


def _uri(fields: Fields, names: table.Names) -> str:
    uri = next(filter(None, (value_text(fields.get(name)) for name in names)), "")
    return uri if is_web_url(uri) else ""


MAPPING: tuple[Field | table.Row, ...] = (
    Field(("identifier", "uri", "@id"), "guid"),
    Field(("title",), "title"),
    Field(
        ("distribution", "sample", "dataDictionary", "describedBy", "page", "landingPage")
        + ("references", "webService", "accessURL", "downloadURL", "format", "mediaType")
        + ("describedByType", "dataDictionaryType"),
        "resources",
    ),
    # The first: it has what the others can only have in another form.
    Field(("extras",), "extras; translations, text_language", _own),
    row("description descriptionMap", "notes", table.paragraph),
    row("keyword", "tags", _tags),
    Field(
        ("title", "titleMap", "description", "descriptionMap", "keyword", "keywordMap"),
        "translations, text_language",
        _translations,
    ),
    Field(
        ("theme", "subject", *uk_fields.THEMES, *uk_fields.AUTHORITY),
        "themes; extras la_function, la_service",
        _themes,
    ),
    row("temporal", "temporal", table.period),
    row("issued", "issued", table.date),
    row("modified", "modified", _modified),
    row("created", "extra created", table.date),
    Field(("accrualPeriodicity", "frequency", "modified"), "frequency", _frequency),
    Field(
        ("publisher", "contactPoint", "mbox", "contactEmail", "creator"),
        "publisher, contact, author; extra responsible-organisation",
        parts.people,
    ),
    row("rights accessRights accessLevelComment", "rights", _rights),
    row("license licence", "licence", parts.licence),
    row("language", "language", _languages),
    Field(
        ("spatial", "geographicBoundingBox"),
        "spatial, spatial_text; extras bbox, spatial_identifier (list)",
        _place,
    ),
    Field(("conformsTo", "schema"), "schema_urls; extra conforms_to", _standards),
    row("landingPage", "url", _page),
    row("version", "version", table.words),
    row("uri @id", "extra metadata_uri", _uri),
    Field(
        ("@type", *_SERIES),
        "extras resource-type, series_members, first_in_series, last_in_series",
        _kind,
    ),
    Field(tuple(sorted(resources.ENDPOINTS)), "resources"),
    *ROWS,
    row("codelist", "extra codelist", package_dict.addresses),
    row("mandate", "extra mandate", package_dict.addresses),
    row("unpublished", "extra unpublished", package_dict.unpublished),
    Field(("every other field",), "extras"),
)
_READ = table.names_read(MAPPING)
