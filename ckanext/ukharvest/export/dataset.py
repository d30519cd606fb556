"""The facts of a package dict that the exported formats write.

Fields are those of our mapper (mapping/package_mapper.py), of ckanext-dcat and of CKAN's own form;
the first that has a value counts. Values that a format could not hold are left out: they are
people's, and nothing checked them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ckanext.ukharvest.core import relations
from ckanext.ukharvest.core.records import extra_values
from ckanext.ukharvest.core.values import (
    formats,
    geometries,
    licences,
    multivalue,
    places,
    theme_names,
)
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.formats import all_formats as format_table
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary
from ckanext.ukharvest.fields import DATASET, FIELDS, RESOURCE, with_stand_ins

ACCESS_LEVELS = ("public", "restricted public", "non-public")
# RFC 6838, section 4.2, without parameters.
_MEDIA_TYPE = re.compile(r"[a-z0-9][\w.+!#$&^-]{0,126}/[a-z0-9][\w.+!#$&^-]{0,126}", re.ASCII)
# Formats of pages and services: their URL is where people or programs get access, no file.
_NO_FILES = frozenset(
    (
        *("HTML", "API", "WMS", "WFS", "WCS", "WMTS", "WPS", "CSW", "SOS", "SPARQL", "Esri REST"),
        *("OData", "OPeNDAP", "TMS", "OGC API", "OGC API Features", "OAI-PMH", "Atom Feed", "RSS"),
        *("ArcGIS Map Service", "ArcGIS Map Preview", "ArcGIS Online Map"),
    )
)
# Where a person's or body's name and email address are: fields of our mapper, of ckanext-dcat, and
# of CKAN's form.
_CONTACTS = (
    ("contact-name", "contact-email", "contact_url"),
    ("contact_name", "contact_email", "contact_url"),
    ("maintainer", "maintainer_email", ""),
    ("author", "author_email", ""),
)


@dataclass(frozen=True, slots=True)
class Agent:
    """A publisher or contact; "" for what is not known."""

    name: str = ""
    email: str = ""
    url: str = ""

    @property
    def is_reachable(self) -> bool:
        """Whether somebody can write to them."""
        return bool(self.email or self.url)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The portal: its URL without a slash at the end, texts about it, and whom to ask.

    Attributes:
        email: the portal's own address, for documents about the catalogue as a whole.
        contact: of datasets without a contact whose organisation has none either.
        contact_of: organisation's id → its contact.
        language: code of the language of texts whose own is not known.
    """

    url: str
    title: str
    description: str
    email: str
    contact: Agent = Agent()
    contact_of: Callable[[str], Agent] = lambda _organization_id: Agent()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with a valid URL. Dates are ISO 8601, the size is in bytes.

    Attributes:
        id: CKAN's.
        mimetype: as stored, "" if that is no media type.
        is_file: whether the URL leads to the data itself, not to a page or service.
        uk: values of the fields in ``fields.FIELDS``: key → text.
    """

    id: str
    uri: str
    url: str
    title: str
    description: str
    format: str
    mimetype: str
    is_file: bool
    licence: str
    size: str
    issued: str
    modified: str
    uk: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset; "" for what is not known.

    Attributes:
        uri: its URL on the portal, with its id: unique, and never another.
        guid: its identifier at its publisher, else ``uri``.
        page: where people read about it: the publisher's page, else the portal's.
        issued, modified, start, end: ISO 8601.
        stored: when it was last changed on the portal, ISO 8601; always known.
        frequency: "R/P1M", "irregular" or "never".
        licence: a URL.
        themes: as the source names them, then the portal's own, as labels or URIs; the main one
            first, if there is one.
        main_theme: that of the portal, as it is among ``themes``.
        contact: of the dataset, else of its organisation, else of the portal, else nobody.
        geometry: GeoJSON, None if not known.
        place: a name.
        uk: values of the fields in ``fields.FIELDS``: key → text.
        extras: all fields and extras with a value, for what a format has besides.
    """

    uri: str
    guid: str
    page: str
    title: str
    description: str
    keywords: tuple[str, ...]
    themes: tuple[str, ...]
    main_theme: str
    languages: tuple[str, ...]
    issued: str
    modified: str
    stored: str
    start: str
    end: str
    frequency: str
    publisher: Agent
    contact: Agent
    licence: str
    rights: str
    access_level: str
    geometry: geometries.Geometry | None
    place: str
    resources: tuple[Resource, ...]
    uk: Mapping[str, str] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the items of a field that is a list or JSON list, else its text as one item."""
        return tuple(dict.fromkeys(filter(None, multivalue.texts(self.extras.get(key)))))


class Fields:
    """Fields and extras of a package dict or of one of its resources."""

    def __init__(self, own: Mapping[str, Any]) -> None:
        self.values = extra_values(own)
        self.values |= {key: value for key, value in own.items() if value not in ("", None)}
        self.values = with_stand_ins(self.values)

    def text(self, *keys: str) -> str:
        """Return the first text that is not empty."""
        return next(filter(None, (clean_text(self.values.get(key)) for key in keys)), "")

    def texts(self, *keys: str) -> tuple[str, ...]:
        """Return the items of the first list, or JSON list, that is not empty."""
        lists = (tuple(filter(None, multivalue.texts(self.values.get(key)))) for key in keys)
        return next(filter(None, lists), ())

    def valid(self, parse: Callable[[str], str], *keys: str) -> str:
        """Return the first value that a parser takes, as it returns it."""
        return next(filter(None, (parse_or_empty(parse, self.text(key)) for key in keys)), "")

    def uk(self, of: str) -> dict[str, str]:
        """Return the values of the fields in ``fields.FIELDS`` of datasets or resources."""
        texts = {f.key: self._as_text(f.key, *f.aliases) for f in FIELDS if f.of == of}
        return {key: text for key, text in texts.items() if text}

    def _as_text(self, *keys: str) -> str:
        """Return the first value; a schema of ckanext-scheming has lists where we have text."""
        value = next(filter(None, (self.values.get(key) for key in keys)), "")
        is_list = isinstance(value, (list, tuple))
        return multivalue.as_text(value) if is_list else clean_text(value)


def parse_or_empty(parse: Callable[[str], str], text: str) -> str:
    """Return a text as a parser returns it, "" if the parser refuses it."""
    try:
        return parse(text) if text else ""
    except ValueError:
        return ""


def uri_of(id_: str, catalogue: Catalogue) -> str:
    """Return the URI of a dataset."""
    return f"{catalogue.url}/dataset/{id_}"


def name_relations(package: Mapping[str, Any], uris: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a package dict that names its whole and its parts by their URIs.

    Args:
        uris: by the references that it has for them.
    """
    own = {
        key: relations.replace_references(package[key], uris)
        for key in relations.EXTRAS
        if package.get(key)
    }
    extras = [
        {**extra, "value": relations.replace_references(extra["value"], uris)}
        if extra["key"] in relations.EXTRAS
        else extra
        for extra in package.get("extras") or ()
    ]
    return {**package, **own, "extras": extras}


def read(package: Mapping[str, Any], catalogue: Catalogue) -> Dataset:
    """Return what a package dict of ``package_show`` says."""
    fields = Fields(package)
    uri = uri_of(package["id"], catalogue)
    title = fields.text("title", "name")
    level = fields.text("access_level").lower()
    # The portal's dates are those of datasets that were made on it, not of harvested ones.
    is_harvested = fields.text("import_source") == "harvest"
    portal_dates = () if is_harvested else ("metadata_created", "metadata_modified")
    resources = (_resource(own, uri, is_harvested) for own in package["resources"])
    main_theme = _main_theme(fields)
    tags = (clean_text(tag["name"]) for tag in package.get("tags") or ())
    return Dataset(
        uri=uri,
        guid=fields.text("guid", "identifier") or uri,
        page=fields.valid(parse_url, "url") or f"{catalogue.url}/dataset/{package['name']}",
        title=title,
        description=fields.text("notes") or title,
        keywords=tuple(filter(None, tags)),
        themes=tuple(dict.fromkeys(filter(None, (main_theme, *_themes(fields))))),
        main_theme=main_theme,
        languages=_languages(fields),
        issued=fields.valid(parse_date, "data_issued", "issued", *portal_dates[:1]),
        modified=fields.valid(parse_date, "data_modified", "modified", *portal_dates[1:]),
        stored=fields.valid(parse_date, "metadata_modified"),
        start=fields.valid(parse_date, "temporal_coverage-from", "temporal_start"),
        end=fields.valid(parse_date, "temporal_coverage-to", "temporal_end"),
        frequency=fields.valid(parse_frequency, "update_frequency", "frequency"),
        publisher=_publisher(fields, package, catalogue),
        contact=_contact(fields, package, catalogue),
        licence=_licence(fields, package),
        rights=fields.text("rights", "access_rights"),
        access_level=level if level in ACCESS_LEVELS else "public",
        geometry=parse_geometry(fields.text("spatial")),
        place=fields.text("spatial-text", "spatial_text"),
        resources=tuple(filter(None, resources)),
        uk=fields.uk(DATASET),
        extras={key: value for key, value in fields.values.items() if key != "extras"},
    )


def _themes(fields: Fields) -> tuple[str, ...]:
    """Return the themes that the source names, and those of the portal that it does not name."""
    themes = dict.fromkeys(fields.texts("dcat_subject", "theme"))
    named = set(map(theme_names.of_uk, themes))
    own = (*fields.texts("theme-primary"), *fields.texts("theme-secondary"))
    return (*themes, *(text for text in own if (theme_names.of_uk(text) or text) not in named))


def _main_theme(fields: Fields) -> str:
    """Return the portal's main theme, as the source names it unless that is a topic category."""
    own = fields.text("theme-primary")
    name = theme_names.of_uk(own)
    topics = fields.texts("topic-category")
    themes = (text for text in fields.texts("dcat_subject", "theme") if text not in topics)
    return next((text for text in themes if name and theme_names.of_uk(text) == name), own)


def _publisher(fields: Fields, package: Mapping[str, Any], catalogue: Catalogue) -> Agent:
    own = Agent(
        fields.text("dcat_publisher_name", "publisher_name"),
        fields.valid(parse_email, "dcat_publisher_email", "publisher_email"),
        fields.valid(parse_url, "dcat_publisher_uri", "publisher_uri"),
    )
    organisation = package.get("organization") or {}
    url = f"{catalogue.url}/organization/{organisation['id']}" if organisation else ""
    name = clean_text(organisation.get("title") or organisation.get("name"))
    if not own.name or own.name == name:
        return Agent(name or catalogue.title, own.email, own.url or url or catalogue.url)
    return own


def _contact(fields: Fields, package: Mapping[str, Any], catalogue: Catalogue) -> Agent:
    """Return whom to ask: named by the dataset, else its organisation's, else the portal's.

    A name without an address keeps it, and has the next one's address.
    """
    named = [
        Agent(fields.text(name), fields.valid(parse_email, email), fields.valid(parse_url, url))
        for name, email, url in _CONTACTS
    ]
    if own := next((agent for agent in named if agent.is_reachable), None):
        return own
    contact = Agent(
        fields.text("dcat_publisher_name", "publisher_name"),
        fields.valid(parse_email, "dcat_publisher_email", "publisher_email"),
    )
    if not contact.is_reachable and package.get("organization"):
        contact = catalogue.contact_of(package["organization"]["id"])
    if not contact.is_reachable:
        contact = catalogue.contact
    name = next((agent.name for agent in named if agent.name), contact.name)
    return replace(contact, name=name)


def _licence(fields: Fields, package: Mapping[str, Any]) -> str:
    """Return the URL that the record had, else the one that CKAN's register has for the id.

    The record's own names the version.
    """
    own = Fields({"extras": package.get("extras")}).valid(parse_url, "license_url")
    named = licences.find(own)
    is_of_id = named is not None and fields.text("license_id") in ("", named.id)
    return own if is_of_id else fields.valid(parse_url, "license_url")


def _languages(fields: Fields) -> tuple[str, ...]:
    parts = (part for text in fields.texts("language") for part in text.split(","))
    tags = (parse_or_empty(parse_language, part) for part in parts)
    return tuple(dict.fromkeys(filter(None, tags)))


def parse_geometry(text: str) -> geometries.Geometry | None:
    """Return the shape or box that a text has, None if it has none."""
    try:
        return places.parse_spatial(text) if text else None
    except (ValueError, RecursionError):
        return None


def _resource(own: Mapping[str, Any], dataset_uri: str, is_harvested: bool) -> Resource | None:
    fields = Fields(own)
    url = fields.valid(parse_url, "url")
    if not url:
        return None
    size = fields.text("size")
    portal_dates = () if is_harvested else ("created", "metadata_modified")
    mimetype = fields.text("mimetype").lower().partition(";")[0].strip()
    if not _MEDIA_TYPE.fullmatch(mimetype):
        mimetype = ""
    return Resource(
        id=own["id"],
        uri=f"{dataset_uri}/resource/{own['id']}",
        url=url,
        title=fields.text("name"),
        description=fields.text("description"),
        format=fields.text("format"),
        mimetype=mimetype,
        is_file=_is_file(fields, url, mimetype),
        licence=fields.valid(parse_url, "licence", "license"),
        size=size if size.isascii() and size.isdigit() else "",
        issued=fields.valid(parse_date, "data_issued", "issued", *portal_dates[:1]),
        modified=fields.valid(parse_date, "data_modified", "modified", *portal_dates[1:]),
        uk=fields.uk(RESOURCE),
    )


def _is_file(fields: Fields, url: str, mimetype: str) -> bool:
    """Tell whether a URL leads to a file: as its source says, else by media type or format."""
    if download := fields.text("download_url"):
        return url in download
    is_other = fields.text("access_url") == url or fields.text("resource_type") == "service"
    label = formats.label(fields.text("format")) or formats.of_url(url)
    return not is_other and bool(mimetype or (label and label not in _NO_FILES))


def media_type(resource: Resource) -> str:
    """Return a file's media type: its own, else the usual one of its format; "" for no file."""
    label = formats.label(resource.format) or formats.of_url(resource.url)
    return (resource.mimetype or _media_types().get(label, "")) if resource.is_file else ""


@vocabulary.derived("file_types")
def _media_types(_read: Vocabulary) -> Mapping[str, str]:
    return {kind.label: kind.media_types[0] for kind in format_table() if kind.media_types}
