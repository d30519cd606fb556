"""The rows of a spreadsheet: CSV in any usual encoding, and Excel’s files."""

from __future__ import annotations

import io
import zipfile

import pytest

from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.readers import spreadsheet
from ckanext.ukharvest.readers.dataset_table import sheet_url
from tests.publisher import Publisher
from tests.publishing.files import workbook
from tests.readers.read_tables import entries, read


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
