"""Records of the CSW endpoint: ISO 19139 as harvested, or Dublin Core of a dataset."""

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
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.values import geometries
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.export.dataset import Catalogue, Dataset, Resource, read
from ckanext.ukharvest.export.files import FORMATS, ExportError, disk_errors, sync_folder
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.parsers.gemini import document
from ckanext.ukharvest.parsers.gemini.document import IsoNode

GMD = "http://www.isotc211.org/2005/gmd"
CSW = "http://www.opengis.net/cat/csw/2.0.2"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
OWS = "http://www.opengis.net/ows"
_NAMES = {"csw": CSW, "dc": DC, "dct": DCT, "ows": OWS}
# Characters that XML 1.0 has not, beyond those that clean_text removes.
NO_XML = re.compile(r"[\ufffe\uffff]")
_CRS = "urn:x-ogc:def:crs:EPSG:6.11:4326"


def iso_record(content: str) -> Row | None:
    """Return an ISO 19139 record with an identifier, None for any other text."""
    if "MD_Metadata" not in content[:4096]:
        return None
    try:
        root = xml.parse(content)
    except ParseError:
        return None
    identifier = document.identifier(root) if root.tag == f"{{{GMD}}}MD_Metadata" else ""
    if not identifier:
        return None
    kind = IsoNode(root, []).code("hierarchyLevel")
    return _record(root, identifier, "gmd:MD_Metadata", GMD) | ({"type": kind} if kind else {})


def dublin_core_record(dataset: Dataset) -> Row:
    """Return a csw:Record of a dataset."""
    root = etree.Element(f"{{{CSW}}}Record", nsmap=_NAMES)

    def add(namespace: str, name: str, text: str, **attributes: str) -> None:
        if text:
            etree.SubElement(root, f"{{{namespace}}}{name}", attributes).text = NO_XML.sub("", text)

    add(DC, "identifier", dataset.uri)
    add(DC, "title", dataset.title)
    add(DC, "type", "dataset")
    for keyword in dataset.keywords:
        add(DC, "subject", keyword)
    for form in dict.fromkeys(resource.format for resource in dataset.resources):
        add(DC, "format", form)
    add(DCT, "modified", dataset.modified or dataset.stored)
    add(DCT, "abstract", dataset.description)
    add(DC, "publisher", dataset.publisher.name)
    for language in dataset.languages:
        add(DC, "language", language)
    add(DC, "rights", dataset.licence)
    for resource in dataset.resources:
        add(DCT, "references", resource.url, scheme="WWW:LINK")
    if dataset.geometry is not None:
        west, south, east, north = geometries.bounds(dataset.geometry)
        box = etree.SubElement(root, f"{{{OWS}}}BoundingBox", crs=_CRS)
        # The reference system has the latitude first.
        etree.SubElement(box, f"{{{OWS}}}LowerCorner").text = f"{south} {west}"
        etree.SubElement(box, f"{{{OWS}}}UpperCorner").text = f"{north} {east}"
    return _record(root, dataset.uri, "csw:Record", CSW)


def _record(root: etree._Element, identifier: str, typename: str, schema: str) -> Row:
    # Only elements: comments and processing instructions are no text of the record.
    texts = (text for element in root.iter(etree.Element) for text in (element.text, element.tail))
    return {
        "identifier": identifier,
        "typename": typename,
        "schema": schema,
        "xml": etree.tostring(root, encoding="unicode"),
        "anytext": " ".join(" ".join(filter(None, texts)).split()),
    }


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
    with database.hold_alone(database.EXPORT) as is_alone:
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
    document = record_history.document_of_dataset(package_id)
    iso = iso_record(document.content) if document else None
    for record in filter(None, (iso, dublin_core_record(dataset))):
        values = {**_columns(dataset), **record, "mdsource": "local", "insert_date": now}
        row = {name: NO_XML.sub("", value) for name, value in values.items()}
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
