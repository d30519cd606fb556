"""A database for pycsw 2.6 (https://pycsw.org), made of the exported datasets.

pycsw needs an older SQLAlchemy than CKAN, so it runs in an environment of its own and shares only
this SQLite file. Its table is pycsw's core metadata model; tests compare it with the one that
pycsw makes itself.

A dataset harvested from an ISO 19139 record is served as that record. Any other becomes a Dublin
Core record (csw:Record, OGC 07-006r1, section 10.2.5), whose identifier is the dataset's URL.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.model import documents, locks
from ckanext.ukharvest.operations.export import csw_records
from ckanext.ukharvest.operations.export.dataset import Catalogue, Dataset, Resource, read
from ckanext.ukharvest.operations.export.files import ExportError, disk_errors, sync_folder
from ckanext.ukharvest.operations.export.formats import FORMATS

NAME = "csw.db"
TABLE = "records"
_NOT_NULL = ("typename", "schema", "mdsource", "insert_date", "xml", "anytext")
_OTHERS = (
    *("language", "type", "title", "title_alternate", "abstract", "keywords", "keywordstype"),
    *("parentidentifier", "relation", "time_begin", "time_end", "topicategory"),
    *("resourcelanguage", "creator", "publisher", "contributor", "organization"),
    *("securityconstraints", "accessconstraints", "otherconstraints", "date", "date_revision"),
    *("date_creation", "date_publication", "date_modified", "format", "source", "crs"),
    *("geodescode", "denominator", "distancevalue", "distanceuom", "wkt_geometry"),
    *("servicetype", "servicetypeversion", "operation", "couplingtype", "operateson"),
    *("operatesonidentifier", "operatesoname", "degree", "classification"),
    *("conditionapplyingtoaccessanduse", "lineage", "responsiblepartyrole"),
    *("specificationtitle", "specificationdate", "specificationdatetype", "links"),
)
_INDEXED = ("typename", "schema", "type", "title", "date_modified")
_PAGE = 200

Row = dict[str, str]


def build(folder: Path, catalogue: Catalogue, progress: Callable[[int], None]) -> int:
    """Make the database of the datasets of the last export; return their number.

    Args:
        folder: of the export, with datasets.jsonl.gz.
        progress: called with the number of datasets done.

    Raises:
        ExportError: there is no export in JSON Lines, or the folder cannot be written; the last
            database was left as it is.
    """
    with locks.alone(locks.EXPORT) as is_alone:
        if not is_alone:
            raise ExportError("another export is running")
        source, path = folder / f"{FORMATS['jsonl'].file}.gz", folder / NAME
        if not source.is_file():
            raise ExportError(
                f"{source} is missing: run 'ckan ukharvest export --format jsonl', or add jsonl to "
                "ckanext.ukharvest.export.formats"
            )
        part = folder / f".{NAME}.part"
        try:
            with disk_errors(path):
                part.unlink(missing_ok=True)
                with gzip.open(source, "rt", encoding="utf-8") as lines:
                    done = _fill(part, map(json.loads, lines), catalogue, progress)
                os.replace(part, path)
        except sqlite3.OperationalError as exc:  # such as: database or disk is full
            raise ExportError(f"{path}: {exc}; the last database was left as it is") from exc
        finally:
            part.unlink(missing_ok=True)
    sync_folder(folder)
    return done


def _fill(
    path: Path,
    packages: Iterator[dict[str, Any]],
    catalogue: Catalogue,
    progress: Callable[[int], None],
) -> int:
    now = tables.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")
    done = 0
    with closing(sqlite3.connect(path)) as database:
        columns = (
            "identifier TEXT PRIMARY KEY",
            *(f"{name} TEXT NOT NULL" for name in _NOT_NULL),
            *(f"{name} TEXT" for name in _OTHERS),
        )
        database.execute(f"CREATE TABLE {TABLE} ({', '.join(columns)})")
        for package in packages:
            _insert(database, read(package, catalogue), str(package["id"]), now)
            done += 1
            if done % _PAGE == 0:
                model.Session.rollback()
                model.Session.expunge_all()
                progress(done)
        for column in _INDEXED:
            database.execute(f"CREATE INDEX by_{column} ON {TABLE} ({column})")
        database.commit()
    return done


def _insert(database: sqlite3.Connection, dataset: Dataset, package_id: str, now: str) -> None:
    """Insert the source's ISO record, or a Dublin Core one if there is none.

    Also if two sources have records with one identifier, which the table cannot hold.
    """
    document = documents.of_dataset(package_id)
    iso = csw_records.iso(document.content) if document else None
    for record in filter(None, (iso, csw_records.dublin_core(dataset))):
        values = {**_columns(dataset), **record, "mdsource": "local", "insert_date": now}
        row = {name: csw_records.NO_XML.sub("", value) for name, value in values.items()}
        places = ", ".join(f":{name}" for name in row)
        statement = f"INSERT OR IGNORE INTO {TABLE} ({', '.join(row)}) VALUES ({places})"  # noqa: S608 - our own names
        if database.execute(statement, row).rowcount:
            return


def _columns(dataset: Dataset) -> Row:
    """Return what searches and short answers are made of."""
    columns = {
        "type": "dataset",
        "title": dataset.title,
        "abstract": dataset.description,
        "keywords": ",".join(keyword.replace(",", " ") for keyword in dataset.keywords),
        "language": ",".join(dataset.languages),
        "publisher": dataset.publisher.name,
        "organization": dataset.publisher.name,
        "otherconstraints": dataset.licence,
        "date": dataset.modified or dataset.stored,
        "date_modified": dataset.modified or dataset.stored,
        "date_publication": dataset.issued,
        "time_begin": dataset.start,
        "time_end": dataset.end,
        "wkt_geometry": _box(dataset),
        "links": "^".join(map(_link, dataset.resources)),
    }
    return {key: value for key, value in columns.items() if value}


def _link(resource: Resource) -> str:
    """Return "name,description,protocol,URL", which pycsw splits at commas and carets."""
    name = re.sub(r"[,^]", " ", resource.title)
    protocol = "WWW:DOWNLOAD-1.0-http--download" if resource.is_file else "WWW:LINK"
    url = resource.url.replace(",", "%2C").replace("^", "%5E")
    return f"{name},,{protocol},{url}"


def _box(dataset: Dataset) -> str:
    if dataset.geometry is None:
        return ""
    west, south, east, north = geometries.bounds(dataset.geometry)
    return (
        f"POLYGON(({west} {south}, {west} {north}, {east} {north}, {east} {south}, {west} {south}))"
    )
