"""The files behind the links of records: small registers in several formats, which are real files.

A record's rows are made from its name, so that they are the same whenever they are requested.
"""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from tests.publisher import Request, Response
from tests.publishing.records import MEDIA_TYPES, File, Record
from tests.publishing.service import number, path_of

ROWS = 12
COLUMNS = ("reference", "name", "longitude", "latitude", "inspected", "count")
SCHEMA_PATH = "/schemas/register.json"
SCHEMA = {
    "title": "Register of places",
    "fields": [
        {"name": "reference", "type": "string", "constraints": {"required": True, "unique": True}},
        {"name": "name", "type": "string", "constraints": {"required": True}},
        {"name": "longitude", "type": "number", "constraints": {"minimum": -9, "maximum": 3}},
        {"name": "latitude", "type": "number", "constraints": {"minimum": 49, "maximum": 61}},
        {"name": "inspected", "type": "date"},
        {"name": "count", "type": "integer", "constraints": {"minimum": 0}},
    ],
}
Row = dict[str, Any]


def links(base: str, name: str, *formats: str) -> tuple[File, ...]:
    """Return the links of a record to its files; "API" is one of the formats."""
    schema = base + SCHEMA_PATH
    return tuple(
        File(f"{base}/api/{name}?limit=5", "API", "JSON")
        if each == "API"
        else File(
            f"{base}/files/{name}.{ending(each)}",
            f"Register ({each})",
            each,
            schema if each == "CSV" else "",
        )
        for each in formats
    )


def ending(form: str) -> str:
    """Return the ending of files of a format."""
    return "ttl" if form == "Turtle" else form.lower()


def answer(
    request: Request, records: Iterable[Record], wrong: Collection[str] = ()
) -> Response | None:
    """Return a file, an API's rows, a page or the schema; None for any other path.

    Args:
        wrong: names of records whose rows break the schema.
    """
    path = path_of(request)
    if path == SCHEMA_PATH:
        return _response(json.dumps(SCHEMA, indent=2).encode(), "JSON")
    folder, _, file = path.rpartition("/")
    name, _, end = file.partition(".")
    if folder.endswith("/exports"):  # of an Opendatasoft portal
        folder, name, end = "/files", folder.split("/")[-2], file
    record = next((each for each in records if each.name == name), None)
    if record is None:
        return None
    if folder == "/dataset":
        return _response(page(record), "HTML")
    found = rows(record, is_wrong=record.name in wrong)
    if folder == "/api":
        return _response(_json(found[: number(request, "limit", ROWS)]), "JSON")
    form = next((each for each in MAKERS if ending(each) == end), "")
    return _response(MAKERS[form](found), form) if folder == "/files" and form else None


def _response(body: bytes, form: str) -> Response:
    # The reader's browser fetches maps and tables from another site's page.
    headers = {"Content-Type": MEDIA_TYPES[form], "Access-Control-Allow-Origin": "*"}
    return Response(body, headers=headers)


def rows(record: Record, *, is_wrong: bool = False) -> list[Row]:
    """Return a record's rows, all within its box."""
    chance = random.Random(record.name)
    west, south, east, north = record.box or (-1.0, 52.0, -0.9, 52.1)
    found: list[Row] = [
        {
            "reference": f"{record.number:03}-{place:02}",
            "name": f"{record.title}, no. {place}",
            "longitude": round(chance.uniform(west, east), 5),
            "latitude": round(chance.uniform(south, north), 5),
            "inspected": f"2026-0{chance.randint(1, 6)}-{chance.randint(1, 28):02}",
            "count": chance.randint(0, 60),
        }
        for place in range(1, ROWS + 1)
    ]
    if is_wrong:
        found[3] |= {"inspected": "last Tuesday", "reference": found[2]["reference"]}
        found[7]["count"] = -4
    return found


def page(record: Record) -> bytes:
    """Return a web page about a record."""
    title, about = escape(record.title), escape(record.description)
    return f"<html><head><title>{title}</title></head><body><p>{about}</p></body></html>".encode()


def _csv(found: Sequence[Row]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue().encode()


def _json(found: Sequence[Row]) -> bytes:
    return json.dumps(found, indent=1).encode()


def _geojson(found: Sequence[Row]) -> bytes:
    features = [
        {
            "type": "Feature",
            "properties": {"reference": each["reference"], "name": each["name"]},
            "geometry": {"type": "Point", "coordinates": [each["longitude"], each["latitude"]]},
        }
        for each in found
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _xml(found: Sequence[Row], item: str = "place") -> bytes:
    def cells(row: Row) -> str:
        return "".join(f"<{key}>{escape(str(value))}</{key}>" for key, value in row.items())

    inside = "".join(f"<{item}>{cells(each)}</{item}>\n" for each in found)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<register>\n{inside}</register>\n'.encode()


def _turtle(found: Sequence[Row]) -> bytes:
    places = "".join(
        f"<https://id.demo.example/place/{each['reference']}> a schema:Place ;"
        f" schema:name {json.dumps(each['name'], ensure_ascii=False)} .\n"
        for each in found
    )
    return f"@prefix schema: <https://schema.org/> .\n{places}".encode()


def _xlsx(found: Sequence[Row]) -> bytes:
    """Return a workbook with one sheet (ECMA-376, as small as it may be)."""
    return workbook([COLUMNS, *(list(each.values()) for each in found)])


def workbook(rows: Sequence[Sequence[object]]) -> bytes:
    """Return a workbook whose one sheet has these rows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    cells = "".join(
        "<row>"
        + "".join(f'<c t="inlineStr"><is><t>{escape(str(value))}</t></is></c>' for value in values)
        + "</row>"
        for values in rows
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        'package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="'
        f'{types}.sheet.main+xml"/><Override PartName="/xl/sheet1.xml" ContentType="{types}'
        '.worksheet+xml"/></Types>',
        "_rels/.rels": _relationship(f"{of}/officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": _relationship(f"{of}/worksheet", "sheet1.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{of}"><sheets>'
        '<sheet name="Register" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text)  # without the time, always the same
    return out.getvalue()


def _relationship(kind: str, target: str) -> str:
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    inside = f'<Relationship Id="r1" Type="{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{space}">{inside}</Relationships>'


def _pdf(found: Sequence[Row]) -> bytes:
    """Return a page that only lists names, as a scan would show them."""
    lines = "".join(f"({each['name']}) Tj T*\n".replace("’", "'") for each in found)
    stream = f"BT /F1 12 Tf 14 TL 50 780 Td\n{lines}ET".encode("latin-1", "replace")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    body, places = b"%PDF-1.4\n", []
    for place, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (place, each)
    table = b"".join(b"%010d 00000 n \n" % each for each in places)
    return (
        body
        + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\n" % (table)
        + b"startxref\n%d\n%%%%EOF\n" % len(body)
    )


MAKERS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    "CSV": _csv,
    "GeoJSON": _geojson,
    "JSON": _json,
    "PDF": _pdf,
    "Turtle": _turtle,
    "XLSX": _xlsx,
    "XML": _xml,
}
