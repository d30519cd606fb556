"""The format of a file, from its first bytes."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from ckanext.ukharvest.core.values.formats import all_formats
from ckanext.ukharvest.core.values.link_protocols import SERVICES
from ckanext.ukharvest.links import content
from tests.links.support import look_at
from tests.publisher import Publisher


def label_of(data: bytes | str, **more: object) -> str:
    head = data.encode() if isinstance(data, str) else data
    return content.format_label(head[: content.HEAD], is_cut=len(head) > content.HEAD, **more)  # type: ignore[arg-type]


def zipped(*names: str, **files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_every_label_is_in_the_table() -> None:
    assert {each.label for each in all_formats()} >= content.CERTAIN - SERVICES


TEXTS = [
    ("CSV", "id,name\n1,Thames\n2,Severn\n"),
    ("CSV", "id;name;x\r\n1;Thames;2\r\n"),
    ("CSV", 'Rivers of the county\n\nid,name,x\n1,"Tha\nmes",3\n2,b,3\n3,c,3\n4,d,4\n'),
    ("CSV", "\ufeffa,b\n1,é\n"),
    ("TSV", "id\tname\n1\tThames\n"),
    ("PSV", "id|name\n1|Thames\n"),
    ("TXT", "Dear reader, good day\nThis file is about rivers.\nIt is, in parts, old, sadly.\n"),
    ("TXT", "Not found"),
    ("JSON", '{"a": 1}'),
    ("JSON", "[1, 2]"),
    ("JSON", '{"rows": [' + "1," * 40_000 + "1]}"),
    ("JSON", '{"a": 1'),
    ("NDJSON", '{"a": 1}\n{"a": 2}\n'),
    ("GeoJSON", '{"type": "FeatureCollection", "features": []}'),
    ("GeoJSON", '{"type": "Point", "coordinates": [0, 51]}'),
    ("GeoJSON", '{"features": [' + '{"type": "Feature", "geometry": null},' * 3000 + "0]}"),
    ("JSON", '{"geometryType": "esriGeometryPoint", "features": [{"attributes": {}}]}'),
    ("JSON", '{"type": "Topology", "objects": {}}'),
    ("JSON-LD", '{"@context": "https://schema.org/", "name": "x"}'),
    ("JSON", '{"openapi": "3.0.0", "paths": {}}'),
    ("TXT", "# rivers\n@prefix dct: <http://purl.org/dc/terms/> .\n"),
    ("TXT", '<http://a.example/1> <http://a.example/p> "x"@en .\n'),
    (
        "TXT",
        "<http://a.example/1> <http://a.example/p> <http://a.example/2> <http://a.example/g> .\n",
    ),
    ("ICS", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"),
    ("VCF", "BEGIN:VCARD\n"),
    ("RTF", "{\\rtf1 a}"),
    ("TXT", "ncols 4\nnrows 6\nxllcorner 0\n"),
    ("TXT", 'CHARSET="ANSI";\nAXIS-VERSION="2010";\n'),
    ("TXT", 'Version 300\nCharset "Neutral"\n'),
    ("DXF", "  0\nSECTION\n  2\nHEADER\n"),
    ("TXT", "Dataset {\n Float32 lat[lat = 2];\n} x;\n"),
    ("HTML", "<!DOCTYPE html>\n<title>Sign in</title><p>a,b\n"),
    ("HTML", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
    ("RDF", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'),
    ("XML", '<?xml version="1.0"?><rss version="2.0"><channel/></rss>'),
    ("XML", '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>'),
    ("XML", '<gpx version="1.1"/>'),
    ("SVG", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ("XML", '<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml"/>'),
    (
        "XML",
        '<b:Base xmlns:b="urn:b" xmlns:gml="http://www.opengis.net/gml/3.2"><gml:boundedBy/>'
        + "<b:x>1</b:x>" * 9000,
    ),
    ("XML", '<gmd:MD_Metadata xmlns:gmd="urn:m" xmlns:gml="http://www.opengis.net/gml"><gmd:x/>'),
    ("XML", "<rivers><river/></rivers>"),
    ("XML", '<?mso?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>'),
    ("XML", '<iati-activities version="2.03"/>'),
    ("XML", '<m:GenericData xmlns:m="http://www.sdmx.org/resources/sdmxml/schemas/v2_1"/>'),
]


@pytest.mark.parametrize(("label", "text"), TEXTS)
def test_texts(label: str, text: str) -> None:
    assert label_of(text) == label


# Of a document's head, no more is read than this; with its square that takes a minute.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("before", ["", "<?xml version='1.0'?>", '{"a":', "a,b\n"])
@pytest.mark.parametrize(
    "turn",
    ["[", '{"a":', "<title>", "<title ", "<?xml ", "<!--", "<a>", '"', ",", "#\n", "PK\x03\x04"],
)
def test_bytes_made_to_keep_the_reader_busy(before: str, turn: str) -> None:
    assert isinstance(label_of(before + turn * 70_000), str)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_encodings(encoding: str) -> None:
    assert label_of("name,city\nJosé,Málaga\n".encode(encoding)) == "CSV"


def test_a_cut_through_a_character() -> None:
    assert label_of(("x" + "é,é\n" * 30_000).encode()) == "CSV"


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
BINARIES = [
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\n"),
    ("", b"PAR1\x15\x04\x15\x10"),
    ("", b"ARROW1\0\0\xff\xff"),
    ("", b"fgb\x03fgb\x00\x10\0"),
    ("TIFF", b"II*\0\x08\0\0\0"),
    ("TIFF", b"MM\0+\0\x08\0\0"),
    ("NetCDF", b"CDF\x02\0\0\0\0"),
    ("HDF", b"\x89HDF\r\n\x1a\n\0\0\0_NCProperties\0version=2"),
    ("HDF", b"\x89HDF\r\n\x1a\n\0\0\0"),
    ("GRIB", b"GRIB\0\0\0\x02"),
    ("PNG", PNG),
    ("JPEG", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
    ("GIF", b"GIF89a\1\0\1\0\0"),
    ("", b"\0\0\0\x0cjP  \r\n\x87\n"),
    ("", b"\0\0\x27\x0a" + b"\0" * 20),
    ("", b"LASF" + b"\0" * 100 + b"\x03"),
    ("", b"LASF" + b"\0" * 100 + b"\x83"),
    ("MDB", b"\0\1\0\0Standard Jet DB\0"),
    ("", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512 + "Workbook".encode("utf-16-le")),
    ("GZ", gzip.compress(b"\0\1\2\3" * 10)),
    ("CSV", gzip.compress(b"a,b\n1,2\n")),
    ("GeoJSON", gzip.compress(json.dumps({"type": "Point", "coordinates": [0, 0]}).encode())),
    ("", b"\0\1\2\3\4\5" * 9),
    ("", b""),
]


@pytest.mark.parametrize(("label", "data"), BINARIES)
def test_binaries(label: str, data: bytes) -> None:
    assert label_of(data) == label


@pytest.mark.parametrize(
    ("label", "data"),
    [("7Z", b"7z\xbc\xaf\x27\x1c\0\4"), ("BZ2", b"BZh91AY&SY\0"), ("RAR", b"Rar!\x1a\x07\0\xcf")],
)
def test_libmagic_knows_the_rest(label: str, data: bytes) -> None:
    assert label_of(data) == label


@pytest.mark.parametrize("label", ["SQLite", "GPKG", "MBTiles"])
def test_sqlite(tmp_path: Path, label: str) -> None:
    with sqlite3.connect(tmp_path / "a") as database:
        database.execute("create table a (b)")
    data = (tmp_path / "a").read_bytes()
    assert label_of(data) == "SQLite"
    assert label_of(data, named=[label]) == label


ZIPS = [
    ("SHP", ("a/rivers.shp", "a/rivers.dbf", "a/rivers.shx", "readme.txt")),
    ("GDB", ("rivers.gdb/a00000001.gdbtable", "rivers.gdb/gdb")),
    ("XLSX", ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml")),
    ("XLSX", ("[Content_Types].xml", "xl/workbook.xml", "xl/vbaProject.bin")),
    ("ZIP", ("[Content_Types].xml", "word/document.xml")),
    ("ZIP", ("[Content_Types].xml", "ppt/presentation.xml")),
    ("KMZ", ("doc.kml", "files/a.png")),
    ("GTFS", ("agency.txt", "stops.txt", "routes.txt", "trips.txt")),
    ("CSV", ("a.csv", "b.csv", "readme.pdf")),
    ("PDF", ("a.pdf", "b.pdf")),
    ("ZIP", ("a.csv", "b.json")),
    ("ZIP", ("a.pdf", "b.txt")),
    ("ZIP", ("unknown",)),
    ("ZIP", ()),
]


@pytest.mark.parametrize(("label", "names"), ZIPS)
def test_zips(label: str, names: tuple[str, ...]) -> None:
    assert label_of(zipped(*names)) == label


@pytest.mark.parametrize("label", ["ODS", "ODT"])
def test_open_document(label: str) -> None:
    kind = {"ODS": "spreadsheet", "ODT": "text"}[label]
    media_type = f"application/vnd.oasis.opendocument.{kind}".encode()
    assert label_of(zipped(**{"mimetype": media_type, "content.xml": b""})) == label


def test_a_zip_that_is_cut_off() -> None:
    big = bytes(range(256)) * 1000
    data = zipped(**{"readme.txt": b"", "rivers.shp": big, "rivers.dbf": big})
    assert label_of(data) == "SHP"
    assert label_of(zipped(**{"readme.txt": big, "rivers.tab": big}), named=["TAB"]) == "TAB"


@pytest.mark.parametrize(
    ("found", "data", "named", "typed"),
    [
        pytest.param("CSV", "river\nThames\nSevern\n", ["CSV"], "", id="one column"),
        pytest.param(
            "SQL", "create table a;\ninsert 1;\n", ["SQL"], "TXT", id="a text of a known kind"
        ),
        pytest.param("TXT", "Please sign in", ["CSV"], "CSV", id="one line is no table"),
        pytest.param("TXT", "Please sign in", ["XLSX"], "PDF", id="a text is no document"),
        pytest.param("HTML", "<html><title>Sign in</title>", ["CSV"], "CSV", id="a page"),
        pytest.param("XML", "<a/>", ["HTML"], "JSON", id="XML is no page"),
        pytest.param("KML", "<kml/>", ["KML"], "XML", id="a kind of XML"),
        pytest.param("TXT", "Please\nsign\nin\n", ["KML"], "KML", id="a text is no XML"),
        pytest.param("TTL", "@prefix a: <u:b> .\n\n\n", [], "TTL", id="Turtle"),
        pytest.param("TopoJSON", '{"type": "Topology"}', ["TopoJSON"], "", id="a kind of JSON"),
        pytest.param("DOCX", zipped("[Content_Types].xml", "a.xml"), ["DOCX"], "", id="a document"),
        pytest.param("Parquet", b"PAR1\x15\x04\x15\x10", ["Parquet"], "", id="Parquet"),
        pytest.param("SHP", b"\0\0\x27\x0a" + b"\0" * 20, ["SHP"], "", id="a file of a shapefile"),
        pytest.param("TXT", "Please\nsign\nin\n", ["Parquet"], "", id="a text is no Parquet"),
        pytest.param("XML", "<a/>", ["WMS"], "WMS", id="a service says so itself"),
        pytest.param("NetCDF", b"\x89HDF\r\n\x1a\n\0", ["NetCDF"], "", id="NetCDF 4"),
        pytest.param("ECW", b"e\x02\0\0\xff\xfe\x01", ["ECW"], "", id="by its name alone"),
        pytest.param("", b"e\x02\0\0\xff\xfe\x01", ["PDF"], "CSV", id="a name that lies"),
        pytest.param("PNG", PNG, ["TIFF"], "TIFF", id="the bytes win"),
        pytest.param("SQL", gzip.compress(b"create table a;"), ["SQL"], "GZ", id="packed"),
    ],
)
def test_names_decide_what_the_bytes_leave_open(
    found: str, data: bytes | str, named: list[str], typed: str
) -> None:
    assert label_of(data, named=named, typed=typed) == found


def test_the_name_in_content_disposition(publisher: Publisher) -> None:
    publisher.serve(
        "/download?id=7",
        "river\nThames\n",
        headers={
            "Content-Type": "application/octet-stream",
            "Content-Disposition": "attachment; filename*=UTF-8''..%2Frivers%20%C3%A9.csv",
        },
    )
    found = look_at(publisher, "/download?id=7")
    assert (found.format, found.media_type) == ("CSV", "application/octet-stream")


def test_something_that_nothing_tells(publisher: Publisher) -> None:
    publisher.serve("/x", b"\0\1\2\3", headers={"Content-Type": "application/octet-stream"})
    found = look_at(publisher, "/x", expected="some words")
    assert publisher.neutral(found.why) == (
        "http://publisher.test/x answered with something whose format its first bytes do not tell,"
        " which it calls application/octet-stream; expected some words."
        " Check the address, or write the format into the metadata, such as CSV."
    )
