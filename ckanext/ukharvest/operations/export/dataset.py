"""The facts of a package dict that the exported formats write.

Fields are those of our mapper (mapping/package_mapper.py), of ckanext-dcat and of CKAN's own form;
the first that has a value counts. Values that a format could not hold are left out: they are
people's, and nothing checked them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.values import geometries, licences, multivalue
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url

ACCESS_LEVELS = ("public", "restricted public", "non-public")
# RFC 6838, section 4.2, without parameters.
_MEDIA_TYPE = re.compile(r"[a-z0-9][\w.+!#$&^-]{0,126}/[a-z0-9][\w.+!#$&^-]{0,126}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The portal: its URL without a slash at the end, and texts about it."""

    url: str
    title: str
    description: str
    email: str


@dataclass(frozen=True, slots=True)
class Agent:
    """A publisher or contact; "" for what is not known."""

    name: str
    email: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with a valid URL. Dates are ISO 8601, the size is in bytes."""

    uri: str
    url: str
    title: str
    description: str
    format: str
    mimetype: str
    licence: str
    size: str
    issued: str
    modified: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset; "" for what is not known.

    Attributes:
        uri: its URL on the portal, with its id: unique, and never another.
        guid: its identifier at its publisher, else ``uri``.
        page: where people read about it: the publisher's page, else the portal's.
        issued, modified, start, end: ISO 8601; ``modified`` is always known.
        frequency: "R/P1M", "irregular" or "never".
        licence: a URL.
        geometry: GeoJSON, None if not known.
        place: a name.
    """

    uri: str
    guid: str
    page: str
    title: str
    description: str
    keywords: tuple[str, ...]
    themes: tuple[str, ...]
    languages: tuple[str, ...]
    issued: str
    modified: str
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


class _Fields:
    """Fields and extras of a package dict or of one of its resources."""

    def __init__(self, own: Mapping[str, Any]) -> None:
        extras = own.get("extras") or ()
        self._values = {each["key"]: each["value"] for each in extras}
        self._values |= {key: value for key, value in own.items() if value not in ("", None)}

    def text(self, *keys: str) -> str:
        """Return the first text that is not empty."""
        return next(filter(None, (clean_text(self._values.get(key)) for key in keys)), "")

    def texts(self, *keys: str) -> tuple[str, ...]:
        """Return the items of the first list, or JSON list, that is not empty."""
        lists = (multivalue.texts(self._values.get(key)) for key in keys)
        return next(filter(None, (tuple(filter(None, each)) for each in lists)), ())

    def valid(self, parse: Callable[[str], str], *keys: str) -> str:
        """Return the first value that a parser takes, as it returns it."""
        return next(filter(None, (_parsed(parse, self.text(key)) for key in keys)), "")


def _parsed(parse: Callable[[str], str], text: str) -> str:
    try:
        return parse(text) if text else ""
    except ValueError:
        return ""


def read(package: Mapping[str, Any], catalogue: Catalogue) -> Dataset:
    """Return what a package dict of ``package_show`` says."""
    fields = _Fields(package)
    uri = f"{catalogue.url}/dataset/{package['id']}"
    title = fields.text("title", "name")
    publisher = _publisher(fields, package, catalogue)
    page = f"{catalogue.url}/dataset/{package['name']}"
    tags = package.get("tags") or ()
    level = fields.text("access_level").lower()
    return Dataset(
        uri=uri,
        guid=fields.text("guid", "identifier") or uri,
        page=fields.valid(parse_url, "url") or page,
        title=title,
        description=fields.text("notes") or title,
        keywords=tuple(filter(None, (clean_text(tag["name"]) for tag in tags))),
        themes=fields.texts("dcat_subject", "theme", "theme-primary"),
        languages=_languages(fields),
        issued=fields.valid(parse_date, "data_issued", "issued", "metadata_created"),
        modified=fields.valid(parse_date, "data_modified", "modified", "metadata_modified"),
        start=fields.valid(parse_date, "temporal_coverage-from", "temporal_start"),
        end=fields.valid(parse_date, "temporal_coverage-to", "temporal_end"),
        frequency=fields.valid(parse_frequency, "update_frequency", "frequency"),
        publisher=publisher,
        contact=_contact(fields, publisher, catalogue),
        licence=_licence(fields, package),
        rights=fields.text("rights", "access_rights"),
        access_level=level if level in ACCESS_LEVELS else "public",
        geometry=_geometry(fields.text("spatial")),
        place=fields.text("spatial-text", "spatial_text"),
        resources=tuple(filter(None, (_resource(each, uri) for each in package["resources"]))),
    )


def _publisher(fields: _Fields, package: Mapping[str, Any], catalogue: Catalogue) -> Agent:
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


def _contact(fields: _Fields, publisher: Agent, catalogue: Catalogue) -> Agent:
    name = fields.text("contact-name", "contact_name", "maintainer", "author")
    keys = ("contact-email", "contact_email", "maintainer_email", "author_email")
    return Agent(
        name or publisher.name,
        fields.valid(parse_email, *keys) or publisher.email or catalogue.email,
    )


def _licence(fields: _Fields, package: Mapping[str, Any]) -> str:
    """Return the URL that the record had, else the one that CKAN's register has for the id.

    The record's own names the version.
    """
    own = _Fields({"extras": package.get("extras")}).valid(parse_url, "license_url")
    named = licences.find(own)
    is_of_id = named is not None and fields.text("license_id") in ("", named.id)
    return own if is_of_id else fields.valid(parse_url, "license_url")


def _languages(fields: _Fields) -> tuple[str, ...]:
    found = [part for text in fields.texts("language") for part in text.split(",")]
    return tuple(dict.fromkeys(filter(None, (_parsed(parse_language, part) for part in found))))


def _geometry(text: str) -> geometries.Geometry | None:
    try:
        return geometries.parse_spatial(text) if text else None
    except (ValueError, RecursionError):
        return None


def _resource(own: Mapping[str, Any], dataset_uri: str) -> Resource | None:
    fields = _Fields(own)
    url = fields.valid(parse_url, "url")
    if not url:
        return None
    size = fields.text("size")
    mimetype = fields.text("mimetype").lower()
    return Resource(
        uri=f"{dataset_uri}/resource/{own['id']}",
        url=url,
        title=fields.text("name"),
        description=fields.text("description"),
        format=fields.text("format"),
        mimetype=mimetype if _MEDIA_TYPE.fullmatch(mimetype) else "",
        licence=fields.valid(parse_url, "licence", "license"),
        size=size if size.isascii() and size.isdigit() else "",
        issued=fields.valid(parse_date, "data_issued", "issued", "created"),
        modified=fields.valid(parse_date, "data_modified", "modified", "metadata_modified"),
    )
