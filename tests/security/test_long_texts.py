"""No small document keeps a process busy: work grows with the length of what it holds alone."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from ckanext.ukharvest.core.document_head import DocumentHead
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import hide_secrets, safe_url
from ckanext.ukharvest.core.records import RawRecord, Source
from ckanext.ukharvest.core.xml import repair
from ckanext.ukharvest.links import check
from ckanext.ukharvest.parsers import oai_dc
from ckanext.ukharvest.readers import spreadsheet
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from ckanext.ukharvest.readers.waf import listing
from ckanext.ukharvest.rendering import source_record

# Seconds and characters: work that grew with the square of a text would go on for minutes.
pytestmark = pytest.mark.timeout(60)
LENGTH = 500_000
URL = "https://a.example/1"
DC = "http://purl.org/dc/elements/1.1/"
XML = "<?xml version='1.0' encoding='{}'?>\n<a>&"


def _read_xml(text: str) -> None:
    repair.parse(text.encode(), [], url=URL)


def _read_elements(text: str) -> None:
    list(repair.elements(io.BytesIO(text.encode()), [("a", "b")], [], url=URL))


def _read_page(text: str) -> None:
    listing.read(text.encode(), URL)


def _read_beginning(text: str) -> None:
    head = DocumentHead(text.encode())
    assert not head.is_json or head.root is None


def _read_rdf(text: str) -> None:
    """Read RDF of a server that sends the text as a header."""
    headers = {"Content-Type": f"text/turtle{text}", "Link": text}
    body = io.BytesIO(b"<a:d> a <http://www.w3.org/ns/dcat#Dataset> .")
    http = SimpleNamespace(get=lambda *_args, **_how: Reply(URL, URL, 200, headers, body))
    list(RdfReader().records(Source(URL, {}, http)))  # type: ignore[arg-type]


def _read_dublin_core(text: str) -> None:
    record = f'<dc xmlns:d="{DC}"><d:title>x</d:title><d:coverage>{text}</d:coverage></dc>'
    oai_dc.parse(RawRecord("a", record), {})


def _check_link(text: str) -> None:
    headers = {"Content-Disposition": f"attachment{text}"}
    reply = Reply(URL, URL, 200, headers, io.BytesIO(b"a"))
    check.answer(check.Question(URL), reply, 1000)


def _punycode(length: int) -> str:
    return "x" * length + "-" + "ba" * length


# What reads, and a text of so many characters for it.
READERS: dict[str, tuple[Callable[[str], Any], Callable[[int], str]]] = {
    "blanks in a declaration": (_read_xml, lambda n: "<?xml " + " " * n),
    "blanks before elements": (_read_elements, lambda n: "<?xml " + " " * n),
    "names in a declaration": (_read_xml, lambda n: "<?xml version='1.0'" + " encoding= " * n),
    "punycode": (_read_xml, lambda n: XML.format("punycode") + _punycode(n) + "</a>"),
    "idna": (_read_elements, lambda n: XML.format("idna") + "ä." * n + "</a>"),
    "comments": (_read_xml, lambda n: "<a>&" + "<!--" * n + "</a>"),
    "sections": (_read_xml, lambda n: "<a>&" + "<![CDATA[" * n + "</a>"),
    "references": (_read_xml, lambda n: "<a>&" + "&a" * n + "</a>"),
    "names of entities": (_read_xml, lambda n: "<a>" + f"&{'a' * 40_000};" * (n // 40_000)),
    "names of namespaces": (_read_elements, lambda n: f"<a xmlns='http: {'1 ' * n}'/>"),
    "a list of blanks": (_read_beginning, lambda n: "[" + " " * n + "x"),
    "a page's meta": (_read_page, lambda n: "<html>" + "<meta charset" * n),
    "links of a header": (_read_rdf, lambda n: "<" * n),
    "charset of a header": (_read_rdf, lambda n: "; charset*=punycode''" + _punycode(n)),
    "file's name in a header": (_check_link, lambda n: "; filename*=punycode''" + _punycode(n)),
    "marks in a URL": (safe_url, lambda n: URL + "?" * n),
    "secrets in a URL": (safe_url, lambda n: URL + "?token" * n),
    "secrets in a text": (hide_secrets, lambda n: URL + "&token;key_" * n),
    "parts of a coverage": (_read_dublin_core, lambda n: "z" * n),
    "blanks of a coverage": (_read_dublin_core, lambda n: "name= " + "z\n" * n),
    "declaration on a page": (source_record.as_utf8, lambda n: f"<?xml {' ' * n}?><a/>"),
}


@pytest.mark.parametrize("name", READERS)
def test_work_grows_with_the_text_alone(name: str) -> None:
    read, text = READERS[name]
    with suppress(UkharvestError):
        read(text(LENGTH))


def test_format_of_a_spreadsheet_takes_no_time() -> None:
    letters = f"{'[' * LENGTH}yyyy"
    assert spreadsheet._NO_LETTERS.sub("", letters) == ""  # noqa: SLF001 - of styles.xml


@pytest.mark.parametrize(
    "parameters",
    [
        "; filename*=utf-8''x; filename*1=b",
        f"; filename*{'9' * 5000}=x",
        "; filename*=hex''%C3",
        "; filename*=undefined''%C3",
    ],
)
def test_odd_name_of_a_file_in_a_header_is_no_error(parameters: str) -> None:
    _check_link(parameters)
