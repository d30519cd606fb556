"""Resources of a dataset: exports of its records, attached files, and pages about it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from ckanext.ukharvest.core.mapping_table import Field, read_apart
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import is_no
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import Fields
from ckanext.ukharvest.parsers.ods.dataset import Dataset
from ckanext.ukharvest.parsers.package_dict import unread_members
from ckanext.ukharvest.parsers.table import without_repeats

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


def read(dataset: Dataset, limit: int, modified: str) -> tuple[ResourceRecord, ...]:
    """Return the resources of a dataset.

    Args:
        limit: the most files of a list.
        modified: when the records changed, in ISO 8601.
    """
    files = [each for key, kind in _FILES for each in _files(dataset, key, kind, limit)]
    return without_repeats([*_exports(dataset, modified), *files], _references(dataset))


def has_records(dataset: Dataset) -> bool:
    """Tell whether a dataset has a table; one that does not say so has."""
    return not is_no(dataset.own.get("has_records"))


def _exports(dataset: Dataset, modified: str) -> Iterator[ResourceRecord]:
    """Yield the exports of the records, which the portal makes when they are requested."""
    if not dataset.portal or not has_records(dataset):
        return
    is_map = "geo" in dataset.own.texts("features", strict=False)
    for name, label, mimetype in (*_TABLES, *(_MAPS if is_map else ())):
        if name == "shp" and _count(dataset) > MOST_IN_SHAPEFILE:
            continue
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


def _count(dataset: Dataset) -> int:
    count = dataset.default.get("records_count")
    return count if isinstance(count, int) else 0


def _files(dataset: Dataset, key: str, kind: str, limit: int) -> Iterator[ResourceRecord]:
    for number, part in enumerate(dataset.own.objects(key)):
        if number == limit:
            total = len(dataset.own.items(key, strict=False))
            only = f"{total:,} entries; the first {limit:,} were read"
            dataset.own.report("too-many-distributions", key, only)
            return
        if isinstance(part, str):
            dataset.own.report(
                "wrong-type", key, f"'{shorten(part, 60)}' stands where an object is due"
            )
            continue
        if found := _file(dataset, key, kind, part):
            yield found


def _file(dataset: Dataset, key: str, kind: str, part: Fields) -> ResourceRecord | None:
    identity, given = part.text("id"), part.text("url")
    url = given if is_web_url(given) else _file_url(dataset, key, identity)
    if not url and given and not dataset.portal:
        shown = shorten(given, 60)
        words = f"'{shown}' is a file of a portal whose address a saved document does not tell"
        part.report("missing-url", "url", words)
        return None
    if not url:
        part.report("missing-url", "id", "missing; expected the file's id on the portal")
        return None
    mimetype = part.text("mimetype")
    title = plain_line(part.text("title"))
    return ResourceRecord(
        url=url,
        id=f"{key}:{identity}" if identity else "",
        name=title or identity,
        description=plain_text(part.text("description")),
        # "odsfile://plan.pdf" has the file's own name.
        format=formats.label(mimetype) or formats.of_url(given) or formats.of_url(title),
        mimetype=mimetype if "/" in mimetype else "",
        kind=kind,
        extras=table.add_unread({}, unread_members(part.data, _READ), of_file=True),
    )


def _file_url(dataset: Dataset, key: str, identity: str) -> str:
    if not dataset.portal or not identity:
        return ""
    name = quote(identity, safe="")
    if dataset.is_search:
        return f"{dataset.portal}/api/datasets/1.0/{dataset.path_id}/{key}/{name}/"
    return f"{dataset.portal}/api/explore/v2.1/catalog/datasets/{dataset.path_id}/{key}/{name}"


def _references(dataset: Dataset) -> Iterator[ResourceRecord]:
    """Yield the pages that a dataset names: what a dataset without records is about."""
    for text in dataset.default.texts("references", strict=False):
        for url in text.split():
            if is_web_url(url):
                label = formats.of_url(url) or "HTML"
                yield ResourceRecord(url, name="Reference", format=label, kind="documentation")


RESOURCE_MAPPING = (
    Field(("dataset_id", "features"), "url", read_apart),
    Field(("url", "id"), "url, id", read_apart),
    Field(("title", "description"), "name, description", read_apart),
    Field(("mimetype", "url"), "mimetype, format", read_apart),
    Field(("modified",), "modified", read_apart),
    Field(("every other field of attachments and alternative_exports",), "extras", read_apart),
)
_READ = table.names_read(RESOURCE_MAPPING)
