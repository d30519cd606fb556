"""Tables of datasets: rows become records, and what is wrong is named by row and column."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Agent, Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers import spreadsheet
from ckanext.ukharvest.readers.dataset_table import sheet_url
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.reading.type_detection import source_type as detect_type
from ckanext.ukharvest.source_types import TYPES
from tests.publisher import Publisher
from tests.publishing.files import workbook

KIND = TYPES["dataset_table"]
HEADER = "identifier,title,publisher,downloadURL,format,distribution.title\n"


def read(
    publisher: Publisher, http: HttpClient, body: str | bytes
) -> tuple[list[RawRecord], Ending]:
    publisher.serve("/datasets.csv", body)
    source = Source(publisher.url("/datasets.csv"), options.validate({}, KIND.options), http)
    reading = Reading(unique(KIND.reader.records(source)))
    records = list(reading)
    assert reading.ending is not None
    return records, reading.ending


def entries(records: list[RawRecord]) -> list[dict[str, Any]]:
    return [json.loads(raw.content or "") for raw in records]


def test_rows_of_one_identifier_are_files_of_one_dataset(
    publisher: Publisher, http: HttpClient
) -> None:
    rows = "p1,Parks,Council,https://a.example/1.csv,CSV,Old\np2,Fords,,,,\n"
    rows += "p1,,,https://a.example/2.csv,CSV,New\n"
    records, ending = read(publisher, http, HEADER + rows)
    assert ending.complete
    assert [(raw.guid, raw.position) for raw in records] == [("p1", "row 2"), ("p2", "row 3")]
    parks = KIND.parse(records[0], options.validate({}, KIND.options))
    assert [(file.name, file.url, file.format) for file in parks.resources] == [
        ("Old", "https://a.example/1.csv", "CSV"),
        ("New", "https://a.example/2.csv", "CSV"),
    ]


def test_identity_without_identifier_is_title_and_publisher(
    publisher: Publisher, http: HttpClient
) -> None:
    rows = ",Car  Parks,Council,https://a.example/1.csv,,\n,car parks,council,,,\n,Car parks,,,,\n"
    records, _ending = read(publisher, http, HEADER + rows)
    assert [raw.guid for raw in records] == ["car parks | council", "car parks"]


def test_identifier_of_two_titles_is_refused_by_row(publisher: Publisher, http: HttpClient) -> None:
    records, _ending = read(publisher, http, HEADER + "p1,Parks,,,,\np1,Fords,,,,\n")
    assert records[0].error is None
    assert records[1].error is not None
    assert "row 2" in records[1].error.message
    assert "row 3" in records[1].error.message


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (",,,https://a.example/1.csv,,", "row 2, column identifier"),
        ("p1,,,,,", "row 2, column title"),
    ],
)
def test_row_without_title_fails_alone_and_is_named(
    publisher: Publisher, http: HttpClient, row: str, expected: str
) -> None:
    records, ending = read(publisher, http, f"{HEADER}{row}\np2,Fords,,,,\n")
    assert ending.complete
    assert records[0].error is not None
    assert expected in records[0].error.message
    assert records[1].error is None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("p1,Parks,Council,,,\np1,Parks,Town,,,\n", "row 3, column publisher: not as in row 2"),
        ("p1,Parks,,,,,stray\n", "row 2: a value in a column without a name"),
    ],
)
def test_value_that_is_not_used_is_a_problem(
    publisher: Publisher, http: HttpClient, rows: str, expected: str
) -> None:
    _records, ending = read(publisher, http, HEADER + rows)
    assert ending.complete
    (problem,) = ending.problems
    assert expected in problem.message


def test_empty_table_proves_nothing(publisher: Publisher, http: HttpClient) -> None:
    records, ending = read(publisher, http, HEADER)
    assert records == []
    assert not ending.complete
    assert "nothing was deleted" in ending.reason


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("name,colour\na,b\n", "not a table with a column title: row 1 has 'name, colour'"),
        ("title,Title\na,b\n", "row 1, columns 1 and 2: both are 'Title'"),
        ('title\n"a\n', "row 2: expected a quotation mark at the end"),
        ("<html><title>Sign in</title></html>", "web page, title 'Sign in'"),
        (b"PK\x03\x04 is no archive", "XLSX that cannot be read"),
        ("title\n" + "," * 600 + "x\n", "too large in row 2"),
    ],
)
def test_another_file_is_refused_by_row_and_column(
    publisher: Publisher, http: HttpClient, body: str | bytes, expected: str
) -> None:
    with pytest.raises(SourceError) as caught:
        read(publisher, http, body)
    assert expected in caught.value.message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("above", ["", "sep={0}\n", "Our data{0}{0}\n\n", "sep={0}\nOur data\n"])
def test_table_may_have_headings_of_people(
    publisher: Publisher, http: HttpClient, separator: str, above: str
) -> None:
    head = "Dataset title,Summary,Tags,File URL,Licence,Last updated,Organisation,Dataset ID"
    head += ",LGA service,Schema URL"
    body = f"{head}\nToilets,Public,health,https://a.example/1.csv,OGL,01/03/2026,Council,t1,579"
    body += ",https://a.example/1.json\n"
    text = above.format(separator) + body.replace(",", separator)
    records, ending = read(publisher, http, text)
    assert (detect_type(text.encode()), ending.complete) == ("dataset_table", True)
    assert [raw.guid for raw in records] == ["t1"]
    toilets = KIND.parse(records[0], options.validate({}, KIND.options))
    assert (toilets.title, toilets.notes, toilets.tags) == ("Toilets", "Public", ("health",))
    assert toilets.publisher == Agent("Council")
    assert toilets.extras["la_service"] == "http://id.esd.org.uk/service/579"
    assert toilets.resources[0].schema_url == "https://a.example/1.json"
    assert toilets.licence is not None
    assert toilets.licence.id == "uk-ogl"
    assert (toilets.modified, toilets.resources[0].url) == ("2026-03-01", "https://a.example/1.csv")


def test_headings_of_people_identify_no_dataset_that_had_an_identity(
    publisher: Publisher, http: HttpClient
) -> None:
    body = "Title,ID,Organisation,Keywords,Summary,Description\nToilets,t1,Council,a;b,Short,Long\n"
    (record,), _ending = read(publisher, http, body)
    assert record.guid == "toilets"
    (entry,) = entries([record])
    assert (entry["@id"], entry["publisher"], entry["keyword"]) == ("t1", "Council", ["a", "b"])
    assert (entry["Summary"], entry["description"]) == ("Short", "Long")


def test_too_many_rows_delete_nothing(
    publisher: Publisher, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_ROWS", 2)
    assert read(publisher, http, "title\na\nb\n")[1].complete
    for body in ("title\na\nb\nc\n", workbook([["title"], ["a"], ["b"], ["c"]])):
        with pytest.raises(SourceError, match="too large in row 4; expected at most 2 rows"):
            read(publisher, http, body)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_separator_and_encoding_are_recognised(
    publisher: Publisher, http: HttpClient, separator: str, encoding: str
) -> None:
    text = "Identifier,TITLE,download url,keyword\np1,Café,https://a.example/1.csv,a\n"
    records, _ending = read(publisher, http, text.replace(",", separator).encode(encoding))
    assert entries(records) == [
        {
            "identifier": "p1",
            "title": "Café",
            "keyword": ["a"],
            "distribution": [{"accessURL": "https://a.example/1.csv"}],
        }
    ]


def _xlsx(sheet: str, **parts: str) -> bytes:
    """Return a workbook with this inside of its sheet, and these parts."""
    archive = zipfile.ZipFile(io.BytesIO(workbook([])))
    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    empty = "<sheetData></sheetData>"
    assert empty in texts["xl/sheet1.xml"]
    texts["xl/sheet1.xml"] = texts["xl/sheet1.xml"].replace(
        empty, f"<sheetData>{sheet}</sheetData>"
    )
    texts |= {f"xl/{name}.xml": text for name, text in parts.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in texts.items():
            made.writestr(name, text)
    return out.getvalue()


SHARED = (
    '<sst xmlns="urn:x"><si><t>title</t></si>'
    "<si><r><t>Tr</t></r><r><t>ees</t></r><rPh><t>x</t></rPh></si><si><t>modified</t></si></sst>"
)
STYLES = (
    '<styleSheet xmlns="urn:x"><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/>'
    '<numFmt numFmtId="171" formatCode="[Red]0&quot; days&quot;"/></numFmts><cellXfs>'
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>'
    "</styleSheet>"
)


def test_xlsx_is_read_as_excel_writes_it(publisher: Publisher, http: HttpClient) -> None:
    sheet = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c>'
        '<c r="D1" t="inlineStr"><is><t>version</t></is></c>'
        '<c r="E1" t="str"><v>temporal</v></c></row>'
        '<row r="4"><c r="A4" t="s"><v>1</v></c><c r="C4" s="1"><v>45413</v></c>'
        '<c r="D4" s="3"><v>12</v></c><c r="E4" s="2"><v>45413.5</v></c></row>'
        '<row r="5"><c r="A5" t="e"><v>#N/A</v></c></row>'
    )
    records, ending = read(publisher, http, _xlsx(sheet, sharedStrings=SHARED, styles=STYLES))
    assert ending.complete
    assert [raw.position for raw in records] == ["row 4"]
    assert entries(records) == [
        {"title": "Trees", "modified": "2024-05-01", "version": "12", "temporal": "2024-05-01"}
    ]


@pytest.mark.parametrize(
    ("sheet", "shared", "expected"),
    [
        pytest.param('<row><c t="s"><v>7</v></c></row>', "", "cannot be read", id="no-such-text"),
        pytest.param('<row><c r="ZZZ1"><v>7</v></c></row>', "", "too large in row 1", id="far"),
        pytest.param(
            '<row><c t="inlineStr"><is><t>title</t></is></c></row>'
            + '<row><c t="s"><v>0</v></c></row>' * 100,
            f"<sst><si><t>{'x' * 1000}</t></si></sst>",
            "too large in row 6",
            id="one-text-many-times",
        ),
        pytest.param("<row/>" * 1000, "", "unpacks to more than", id="large-part"),
        pytest.param('<!DOCTYPE x [<!ENTITY a "b">]><row/>', "", "cannot be read", id="entity"),
    ],
)
def test_xlsx_that_is_broken_or_a_bomb_is_refused(
    publisher: Publisher,
    http: HttpClient,
    monkeypatch: pytest.MonkeyPatch,
    sheet: str,
    shared: str,
    expected: str,
) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_BYTES", 5000)
    parts = {"sharedStrings": shared} if shared else {}
    with pytest.raises(SourceError, match=expected):
        read(publisher, http, _xlsx(sheet, **parts))


@pytest.mark.parametrize(
    ("page", "path"),
    [
        ("1aB_-/edit?usp=sharing", "1aB_-/export?format=csv"),
        ("1aB_-/edit#gid=12", "1aB_-/export?format=csv&gid=12"),
        ("e/2PACX-1v/pubhtml?gid=3&single=true", "e/2PACX-1v/pub?single=true&output=csv&gid=3"),
        ("1aB_-/export?format=csv", "1aB_-/export?format=csv"),
    ],
)
def test_google_sheets_are_read_as_csv(page: str, path: str) -> None:
    base = "https://docs.google.com/spreadsheets/d/"
    assert sheet_url(base + page) == base + path


def test_template_reads_without_a_problem(publisher: Publisher, http: HttpClient) -> None:
    with open(f"ckanext/ukharvest/public{KIND.template}", encoding="utf-8") as file:
        records, ending = read(publisher, http, file.read())
    assert ending.problems == ()
    parsed = [KIND.parse(raw, options.validate({}, KIND.options)) for raw in records]
    assert [len(record.resources) for record in parsed] == [3, 1]
    assert [record.problems for record in parsed] == [(), ()]
