"""A dataset as Explore API 2.1 and Search API 1.0 show it, under the same names.

Its resources are exports of its records, attached files, and pages about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import is_no
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import json_fields, table
from ckanext.ukharvest.parsers.json_fields import Fields, as_object, value_text
from ckanext.ukharvest.parsers.package_dict import unread_members
from ckanext.ukharvest.parsers.table import Field, row, without_repeats

# Prefixes of names in tables.
DEFAULT, DCAT, INSPIRE = "metas.default.", "metas.dcat.", "metas.inspire."
_PAGE = "/explore/dataset/"
# Templates that are read, and those about the portal's own pages and processing.
_KNOWN = ("default", "dcat", "inspire")
_OF_PORTAL = ("explore", "processing", "semantic", "visualization")


@dataclass(frozen=True, slots=True)
class Dataset:
    """The fields of a dataset.

    Attributes:
        own: its top level.
        default: the standard metadata: ``metas.default`` of 2.1, ``metas`` of 1.0.
        dcat, inspire: metadata for other systems: ``metas.dcat`` of 2.1, ``interop_metas.dcat``.
        others: the portal's own and other templates, such as ``metas.custom``: name → fields.

        id: its identity on the portal.
        portal: URL of the portal's home page without a slash at the end, "" if it is not known.
        is_search: it came by Search API 1.0.
    """

    own: Fields
    default: Fields
    dcat: Fields
    inspire: Fields
    others: Mapping[str, Mapping[str, Any]]
    id: str
    portal: str
    is_search: bool

    def part(self, prefix: str) -> Fields:
        """Return the fields whose names begin with a prefix."""
        if prefix == DEFAULT:
            return self.default
        return self.dcat if prefix == DCAT else self.inspire

    @property
    def is_restricted(self) -> bool:
        """Whether only some users of the portal may see it."""
        return "restricted" in (self.own.get("visibility"), self.default.get("visibility"))

    @property
    def page(self) -> str:
        """URL of its page for people, "" if the portal is not known."""
        return f"{self.portal}{_PAGE}{self.path_id}/" if self.portal else ""

    @property
    def path_id(self) -> str:
        """Its identity as part of a URL's path."""
        return quote(self.id, safe="@")


def dataset_of(data: Mapping[str, Any], guid: str, url: str, problems: list[Problem]) -> Dataset:
    """Return the fields of a dataset; odd shapes count as empty.

    Args:
        guid: its identity, which is its ``dataset_id``.
        url: of its page, as the reader made it, or of another document.
    """
    metas = as_object(data.get("metas"))
    is_search = "datasetid" in data or not isinstance(metas.get("default"), Mapping)
    if is_search:
        default, others, place = metas, as_object(data.get("interop_metas")), "interop_metas"
        path = "metas."
    else:
        default, others, place = as_object(metas["default"]), metas, "metas"
        path = "metas.default."
    portal, is_page, _ = url.partition(_PAGE)
    return Dataset(
        own=Fields(data, problems),
        default=Fields(default, problems, path),
        dcat=Fields(as_object(others.get("dcat")), problems, f"{place}.dcat."),
        inspire=Fields(as_object(others.get("inspire")), problems, f"{place}.inspire."),
        others={
            name: fields
            for name, fields in {**others, **as_object(data.get("extra_metas"))}.items()
            if name not in (*_KNOWN, *_OF_PORTAL) and isinstance(fields, Mapping)
        },
        id=clean_text(guid),
        portal=portal if is_page and "://" in portal else "",
        is_search=is_search,
    )


default_row = partial(row, prefix=DEFAULT)
dcat_row = partial(row, prefix=DCAT)
inspire_row = partial(row, prefix=INSPIRE)


def names(prefix: str, *fields: str) -> tuple[str, ...]:
    """Return the names of fields with their prefix."""
    return tuple(prefix + field for field in fields)


# Portals cut a Shapefile at this number of records.
MOST_IN_SHAPEFILE = 50_000
# Name in the export's URL, label of the format, media type.
_TABLES = (("csv", "CSV", "text/csv"), ("json", "JSON", "application/json"))
_MAPS = (
    ("geojson", "GeoJSON", "application/geo+json"),
    ("shp", "SHP", "application/zip"),
    ("kml", "KML", "application/vnd.google-earth.kml+xml"),
)
_FILES = (("alternative_exports", "data"), ("attachments", "documentation"))


def read_resources(dataset: Dataset, limit: int, modified: str) -> tuple[ResourceRecord, ...]:
    """Return the resources of a dataset.

    Args:
        limit: the most files of a list.
        modified: when the records changed, in ISO 8601.
    """
    files = [*_exports(dataset, modified)]
    for key, kind in _FILES:
        read = partial(_file, dataset, key, kind)
        files += json_fields.read_resources(dataset.own, key, limit, "too-many-distributions", read)
    return without_repeats(files, references(dataset))


def has_records(dataset: Dataset) -> bool:
    """Tell whether a dataset has a table; one that does not say so has."""
    return not is_no(dataset.own.get("has_records"))


def _exports(dataset: Dataset, modified: str) -> Iterator[ResourceRecord]:
    """Yield the exports of the records, which the portal makes when they are requested."""
    if not dataset.portal or not has_records(dataset):
        return
    is_map = "geo" in dataset.own.texts("features")
    count = dataset.default.get("records_count")
    is_large = isinstance(count, int) and count > MOST_IN_SHAPEFILE
    for name, label, mimetype in (*_TABLES, *(_MAPS if is_map else ())):
        if name != "shp" or not is_large:
            yield ResourceRecord(
                url=_export_url(dataset, name),
                id=f"export:{name}",
                name=f"{label} export",
                format=label,
                mimetype=mimetype,
                kind="data",
                modified=modified,
            )


def _export_url(dataset: Dataset, name: str) -> str:
    if dataset.is_search:
        return f"{dataset.page}download?format={name}"
    return f"{dataset.portal}/api/explore/v2.1/catalog/datasets/{dataset.path_id}/exports/{name}"


def _file(dataset: Dataset, key: str, kind: str, part: Fields) -> ResourceRecord | None:
    identity, address = part.text("id"), part.text("url")
    url = address if is_web_url(address) else _file_url(dataset, key, identity)
    if not url:
        field, words = "id", Message("missing; expected the file's id on the portal")
        if address and not dataset.portal:
            file = Message("'{address}' is a file of a portal", address=shorten(address, 60))
            field, words = (
                "url",
                Message("{file} whose address is not in a saved document", file=file),
            )
        part.report("missing-url", field, words)
        return None
    mimetype = part.text("mimetype")
    title = plain_line(part.text("title"))
    if mimetype and "/" not in mimetype and not formats.label(mimetype):
        part.report(
            "unknown-format",
            "mimetype",
            Message(
                "'{mimetype}' is not a known type; expected one such as text/csv",
                mimetype=shorten(mimetype, 40),
            ),
        )
    odd = part.odd(name for name in _READ if not value_text(part.get(name)))
    return ResourceRecord(
        url=url,
        id=f"{key}:{identity}" if identity else "",
        name=title or identity,
        description=plain_text(part.text("description")),
        # "odsfile://plan.pdf" has the file's own name.
        format=formats.label(mimetype) or formats.of_url(address) or formats.of_url(title),
        mimetype=mimetype if "/" in mimetype else "",
        kind=kind,
        extras=table.add_unread({}, unread_members(part.data, _READ - odd), of_file=True),
    )


def _file_url(dataset: Dataset, key: str, identity: str) -> str:
    if not dataset.portal or not identity:
        return ""
    name = quote(identity, safe="")
    if dataset.is_search:
        return f"{dataset.portal}/api/datasets/1.0/{dataset.path_id}/{key}/{name}/"
    return f"{dataset.portal}/api/explore/v2.1/catalog/datasets/{dataset.path_id}/{key}/{name}"


def references(dataset: Dataset) -> Iterator[ResourceRecord]:
    """Yield the pages that a dataset names: what a dataset without records is about."""
    for text in dataset.default.texts("references"):
        for url in text.split():
            if is_web_url(url):
                label = formats.of_url(url) or "HTML"
                yield ResourceRecord(url, name="Reference", format=label, kind="documentation")


RESOURCE_MAPPING = (
    Field(("dataset_id", "features"), "url"),
    Field(("url", "id"), "url, id"),
    Field(("title", "description"), "name, description"),
    Field(("mimetype", "url"), "mimetype, format"),
    Field(("modified",), "modified"),
    Field(("every other field of attachments and alternative_exports",), "extras"),
)
_READ = frozenset(("id", "url", "title", "description", "mimetype"))
