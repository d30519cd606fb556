"""The CSW endpoint: a real pycsw on the exported records, read by OWSLib."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ckan.tests import factories
from owslib.catalogue.csw2 import CatalogueServiceWeb
from owslib.fes import BBox, PropertyIsEqualTo, PropertyIsLike

from ckanext.ukharvest.export import csw
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export.files import ExportError, describe_catalogue
from tests.ckan import gemini_records
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.ckan.servers import pycsw
from tests.ports import own_port
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

GMD = "http://www.isotc211.org/2005/gmd"
PAGE = 4
URL = "https://data.example/2026,all.csv"
WGS84 = "urn:ogc:def:crs:EPSG::4326"  # latitude first
Ckan = Callable[..., subprocess.CompletedProcess[str]]
# pycsw's own way to make the table, run by its Python: the columns.
COLUMNS = """
import sqlite3, sys
from pycsw.core import admin
admin.setup_db("sqlite:///" + sys.argv[1], "records", "")
"""


@pytest.fixture
def exported(portal: Portal, publisher: Publisher, tmp_path: Path) -> dict[str, str]:
    """Identifier → title of an export: two GEMINI records, six of data.json, one by hand."""
    file = {"title": "Bays, all", "downloadURL": URL, "mediaType": "text/csv"}
    place = {"spatial": "-1.8,53.7,-1.3,53.9", "distribution": [file]}
    box = dataset(5, title="Leeds & “Aire”", **place)
    publisher.serve("/data.json", catalogue([*(dataset(number) for number in range(5)), box]))
    portal.run(portal.source(publisher.url("/data.json")))
    for number, place in ((1, (0.1, 1.4, 51.0, 51.4)), (2, None)):
        record = gemini_records.dataset(gemini_records.uuid(number), f"Rivers {number}", box=place)
        publisher.serve(f"/{number}.xml", record, headers={"Content-Type": "application/xml"})
        portal.run(portal.source(publisher.url(f"/{number}.xml"), "gemini-single"))
    factories.Dataset(name="by-hand", title="By hand", notes="\ufffe\x07 odd")
    made = export_files.export_catalogue(tmp_path, ("data_json", "jsonl"), lambda *_: None)
    assert made["datasets"] == 9
    found = json.loads(gzip_text(tmp_path / "data.json.gz"))["dataset"]
    titles = {each["identifier"]: each["title"] for each in found}
    ours = {title: gemini_records.uuid(n) for n, title in ((1, "Rivers 1"), (2, "Rivers 2"))}
    return {ours.get(title, uri): title for uri, title in titles.items()}


def gzip_text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


@pytest.fixture
def endpoint(exported: dict[str, str], ckan: Ckan, tmp_path: Path) -> Iterator[str]:
    """URL of a pycsw with the settings that the command wrote."""
    port = own_port()
    url = f"http://127.0.0.1:{port}/csw"
    done = ckan("ukharvest", "csw", "--folder", str(tmp_path), "--url", url)
    assert done.stdout == f"Wrote 9 records to {tmp_path / 'csw.db'}.\n"
    with pycsw.serve_settings(tmp_path / "pycsw.cfg", port):
        yield url


def read(url: str, **wanted: Any) -> dict[str, Any]:
    """Return identifier → record of GetRecords, page by page."""
    client = CatalogueServiceWeb(url)
    found: dict[str, Any] = {}
    start = 1
    while start:
        client.getrecords2(esn="full", startposition=start, maxrecords=PAGE, **wanted)
        found |= client.records
        start = client.results["nextrecord"]
    assert len(found) == client.results["matches"]
    return found


def titles(records: dict[str, Any]) -> dict[str, str]:
    return {key: each.title for key, each in records.items()}


def test_owslib_reads_what_was_exported(
    exported: dict[str, str], endpoint: str, tmp_path: Path
) -> None:
    assert titles(read(endpoint)) == exported
    found = read(endpoint, outputschema=GMD, typenames="gmd:MD_Metadata")
    assert {key: each.identification[0].title for key, each in found.items()} == exported, "GMD"

    rivers, odd = ["Rivers 1", "Rivers 2"], ["Leeds & “Aire”"]
    box = BBox([53.5, -2.0, 54.0, -1.0], crs=WGS84)
    for condition, expected in (
        (PropertyIsLike("dc:title", "%Rivers%"), rivers),
        (PropertyIsEqualTo("dc:title", "By hand"), ["By hand"]),
        (box, odd),
    ):
        found = read(endpoint, constraints=[condition])
        assert sorted(titles(found).values()) == expected, condition
    assert len(read(endpoint, constraints=[PropertyIsLike("csw:AnyText", "%parking%")])) == 6

    client = CatalogueServiceWeb(endpoint)
    client.getrecordbyid([gemini_records.uuid(1)], outputschema=GMD)
    record = client.records[gemini_records.uuid(1)]
    as_harvested = ("Rivers 1", "2026-05-01")
    assert (record.identification[0].title, record.datestamp) == as_harvested

    own = tmp_path / "own.db"
    subprocess.run([pycsw.ensure(), "-W", "ignore", "-c", COLUMNS, own], check=True)
    assert columns(tmp_path / "csw.db") == columns(own), "the table is pycsw's own"


def columns(path: Path) -> set[tuple[str, bool]]:
    """Return names, and whether NULL is allowed."""
    with sqlite3.connect(path) as database:
        rows = database.execute("PRAGMA table_info(records)").fetchall()
    return {(row[1], bool(row[3])) for row in rows if row[1] != "identifier"}


def test_without_an_export_the_command_says_so(tmp_path: Path, ckan: Ckan) -> None:
    done = ckan("ukharvest", "csw", "--folder", str(tmp_path), check=False)
    assert done.returncode == 1
    assert "run 'ckan ukharvest export --format jsonl'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_links_and_boxes_are_written_as_pycsw_reads_them(
    exported: dict[str, str], tmp_path: Path
) -> None:
    csw.build(tmp_path, describe_catalogue(), lambda _done: None)
    with sqlite3.connect(tmp_path / "csw.db") as database:
        query = "SELECT links, xml FROM records WHERE title LIKE 'Leeds%'"
        ((links, xml),) = database.execute(query).fetchall()
    assert re.fullmatch(r"Bays +all,,[^,^]+,https://data.example/2026%2Call.csv", links)
    assert re.findall(r"Corner>([^<]+)<", xml) == ["53.7 -1.8", "53.9 -1.3"]


def test_a_failure_leaves_the_last_database(
    exported: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build() -> int:
        return csw.build(tmp_path, describe_catalogue(), lambda _done: None)

    assert build() == 9
    before = (tmp_path / "csw.db").read_bytes()

    def insert(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(csw, "_insert", insert)
    with pytest.raises(ExportError, match="database or disk is full; the last database was left"):
        build()
    assert (tmp_path / "csw.db").read_bytes() == before
    assert not list(tmp_path.glob(".*"))
