"""Names of encodings: which are read, and what becomes of a document or header with another."""

from __future__ import annotations

import codecs
import io
import pkgutil
from encodings import __path__ as modules
from encodings import aliases

import pytest

from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import RdfFile
from ckanext.ukharvest.readers.waf import listing

URL = "https://council.example/d"
CONTEXTS = Contexts(HttpClient(Guard()))
RDF_XML = f'''<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:d="{URL}#">
<rdf:Description rdf:about="{URL}"><d:title>Café</d:title></rdf:Description></rdf:RDF>'''
# Of Python's standard library; "mbcs" and "oem" only exist on Windows.
PYTHON = sorted(
    {*aliases.aliases, *aliases.aliases.values(), *(m.name for m in pkgutil.iter_modules(modules))}
)
# No encodings of text, slow ones, or ones that hide markup.
NEVER = (
    *("punycode", "idna", "undefined", "hex", "hex_codec", "base64", "bz2", "zlib", "zip", "uu"),
    *("quopri", "rot13", "rot_13", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "utf-7"),
    *("u7", "charmap", "aliases", "ukharvest-windows-1252", "utf_32", "cp037", ""),
)
# Other names of what is read: WHATWG's, spreadsheets', Java's; any case and punctuation.
OTHERS = {
    "UTF8": "utf-8",
    "x-cp1252": "cp1252",
    "Cp1252": "cp1252",
    "windows-31j": "cp932",
    "x-sjis": "shift_jis",
    "ISO8859_1": "iso8859-1",
    "iso 8859-15": "iso8859-15",
    "MacRoman": "mac-roman",
    "ucs-2": "utf-16",
    "KOI8-RU": "koi8-u",
}


def _reply(text: str, charset: str) -> Reply:
    headers = {"Content-Type": f"text/plain; charset={charset}"} if charset else {}
    return Reply(URL, URL, 200, headers, io.BytesIO(text.encode("cp1252")))


def test_labels_mean_what_they_mean_to_python() -> None:
    for name in PYTHON:
        if codec := encodings.find_codec(name):
            assert codecs.lookup(codec).name == codecs.lookup(name).name, name


@pytest.mark.parametrize(("name", "codec"), OTHERS.items())
def test_names_that_publishers_use_are_read(name: str, codec: str) -> None:
    assert encodings.find_codec(name) == codec


@pytest.mark.parametrize("name", [*NEVER, "a" * 1_000_000, "utf\0", "ｕｔｆ8", "utf8;x"])
def test_other_codecs_of_python_are_not_read(name: str) -> None:
    assert encodings.find_codec(name) == ""


def test_each_codec_reads_any_bytes_and_writes_any_text() -> None:
    every = bytes(range(256)) * 2
    for codec in encodings._LABELS:  # noqa: SLF001 - each, whatever its names
        every.decode(codec, "replace")
        "\ud800 é ŵ 漢 \U0001f30d".encode(codec, "xmlcharrefreplace")


@pytest.mark.parametrize("name", ["klingon", *PYTHON])
def test_json_and_rdf_with_any_charset_are_read(name: str) -> None:
    file = JsonFile(_reply('{"title": "Café"}', name), URL, "data.json")
    (title,) = file.items("title")
    rdf = RdfFile(_reply(f'<{URL}> <{URL}#title> "Café" .', name), URL, CONTEXTS, "nt")
    triples = list(rdf.triples(strict=True))
    named = _reply(f'<?xml version="1.0" encoding="{name}"?>\n{RDF_XML}', "")
    declared = RdfFile(named, URL, CONTEXTS, "xml")
    subjects = list(declared.triples(strict=True))
    for read in (file.problem, *rdf.problems):
        assert read is not None
        assert (read.code, read.line) == ("not-utf-8", 1)
    assert triples[0][:2] == subjects[0][:2] == (f"<{URL}>", f"<{URL}#title>")
    if not encodings.find_codec(name):
        assert title == "Café"
        assert triples[0][2] == subjects[0][2] == '"Café"'
        assert "was read as Windows-1252" in declared.problems[0].message


@pytest.mark.parametrize("name", ["klingon", *PYTHON])
def test_pages_with_any_charset_are_read(name: str) -> None:
    for charset, meta in ((name, ""), ("", f'<meta charset="{name}">')):
        page = f'<html>{meta}<a href="Café.xml">x</a></html>'.encode("cp1252")
        (link,) = listing.read(page, f"{URL}/", charset).links
        if not encodings.find_codec(name):
            assert link.href == "Café.xml"


@pytest.mark.parametrize(
    ("parameters", "charset"),
    [
        ('; Charset="UTF-8"', "utf-8"),
        ("; a=b; charset=iso-8859-1 ; c", "iso-8859-1"),
        (";charset=x;charset=utf-8", ""),
        ("; charset=punycode", ""),
        ("; charset=hex", ""),
        ("; charset*=utf-8''x; charset*1=b", ""),
        (f"; charset*{'9' * 5000}=x", ""),
        ("; charset*=punycode''" + "%C3" * 20_000, ""),
        ('; charset="utf-8', ""),
        ("; charset" + " " * 60_000, ""),
        ("", ""),
    ],
)
def test_charset_of_a_reply_is_one_that_is_read(parameters: str, charset: str) -> None:
    headers = {"Content-Type": f"text/html{parameters}"}
    assert Reply(URL, URL, 200, headers, io.BytesIO()).charset == charset


def test_utf_32_is_known_by_its_mark() -> None:
    text = '<?xml version="1.0" encoding="UTF-32"?><a>é</a>'
    assert xml.parse(text.encode("utf-32")).text == "é"
