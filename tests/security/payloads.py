"""The table of hostile texts, and how to put them into every place of a document."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lxml import etree

from tests.publisher import Publisher, Request, Response

# Where a text becomes live: "hurt" is what it would run, "x-live" what it would be.
MARKUP = {
    "element": "<x-live>a</x-live><script>hurt()</script><img src=x onerror='hurt()'>",
    "svg": "<svg/onload=hurt()><math href='javascript:hurt()'><iframe srcdoc='<x-live>'>",
    "double quotes": '" onmouseover="hurt()" x-live="',
    "single quotes": "' onfocus='hurt()' autofocus x-live='",
    "end of a script": "</script></style></textarea></title>--><x-live>",
    "entity": "&lt;x-live&gt;&#60;x-live&#62;&amp;lt;x-live&amp;gt;",
    "template": "{{ 73331 * 91193 }}{% print 73331 * 91193 %}${73331*91193}"
    "<%= 73331 * 91193 %>{{ config.items() }}",
    "Markdown": "[a](javascript:hurt()) ![b](javascript:hurt()) <javascript:hurt()>",
    "Markdown with a title": '[a](http://a.example "b\\" onclick=\\"hurt())',
    "link in a text": "http://a.example/?\"onmouseover='hurt()'>x",
}
URLS = {
    "script": "javascript:hurt()",
    "script with capitals and a tab": "jAva\tscript:hurt()",
    "script with an entity": "javascript&colon;hurt()",
    "script as a comment": "javascript://a.example/%0ahurt()",
    "script of another kind": "vbscript:hurt()",
    "data": "data:text/html,<script>hurt()</script>",
    "quotes": 'http://a.example/"onmouseover="hurt()"x-live="',
    "element": "http://a.example/'><x-live>",
    "user": "http://good.example@a.example/<x-live>",
    "file": "file:///etc/passwd#hurt()",
}
LINES = {
    "log": "\n2026-01-01 00:00:00,000 CRITICAL [hurt] forged",
    "header": "\r\nBcc: hurt@a.example\r\n\r\nhurt",
    "terminal": "\x1b[2J\x1b]0;hurt\x07\x9b31m",
    "direction": "\u202egnp.exe\u202c",
}
QUERIES = {
    "SQL": "'; DROP TABLE package; --",
    "SQL condition": "' OR '1'='1",
    "placeholders": "%s %(guid)s :guid {0} $1 ?",
    "wildcards": "100% _ * \\",
    "Solr": '*:* OR id:[* TO *] AND "',
    "Solr parser": "{!xmlparser v='<!DOCTYPE a SYSTEM \"http://127.0.0.1/hurt\"><a/>'}",
    "Solr join": "{!join from=id to=id}*:*",
    "XPath": "'] | //* | //x['",
    "path": "../../../../etc/passwd",
    "encoded path": "..%2f..%2fetc%2fpasswd%00.xml",
}
FORMULAS = ("=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "＋1")

_ALL = "".join(f" {each}" for table in (MARKUP, QUERIES, LINES) for each in table.values())
_LINK = re.compile(r"(?:https?|ftp|mailto|urn):\S+\Z")
# Members whose values say what the document is; changed, it would not be read at all.
_FRAME = {
    "@context",
    "@type",
    "success",
    "help",
    "state",
    "type",
    "conformsTo",
    "count",
    "id",
    "@id",
    "next",
}
# The same of elements: the address of the next page, like "next", and how to search.
_FRAME_OF_XML = {"resumptionToken", "Url", "Parameter", "Option", "totalResults"}
# The same of attributes: the relation of a link.
_FRAME_OF_ATTRIBUTES = {"rel"}
_TERMS = ("http://www.w3.org/", "http://purl.org/", "http://xmlns.com/")


class Poison:
    """Puts the texts into a document: all of them behind each text, a URL of ours for each URL."""

    def __init__(self) -> None:
        self.places = 0
        self._urls = list(URLS.values())

    def text(self, value: str) -> str:
        self.places += 1
        if _LINK.match(value):
            return self._urls[self.places % len(self._urls)]
        return f"{FORMULAS[self.places % len(FORMULAS)]} {value}{_ALL}"

    def json(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.json(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self.json(each, key) for each in value]
        return self.text(value) if isinstance(value, str) and key not in _FRAME else value

    def xml(self, text: str) -> str:
        """Change the texts of elements without children, and attributes; what XML can hold."""
        root = etree.fromstring(text.encode())
        for element in root.iter("*"):
            if etree.QName(element).localname in _FRAME_OF_XML:
                continue
            if not len(element) and (element.text or "").strip():
                element.text = self._plain(element.text)
            for name, value in element.attrib.items():
                if "XMLSchema" not in name and name not in _FRAME_OF_ATTRIBUTES:
                    element.attrib[name] = self._attribute(name, value)
        return etree.tostring(root, encoding="unicode")

    def csv(self, text: str) -> str:
        """Change all cells but those of the first row."""
        header, *rows = csv.reader(io.StringIO(text))
        out = io.StringIO()
        changed = ([cell and self.text(cell) for cell in row] for row in rows)
        csv.writer(out).writerows([header, *changed])
        return out.getvalue()

    def _attribute(self, name: str, value: str) -> str:
        if "rdf-syntax" not in name:
            return self._plain(value)
        is_ours = _LINK.match(value) and not value.startswith(_TERMS)  # else it is no RDF
        self.places += bool(is_ours)
        return f"javascript:hurt#{value}" if is_ours else value

    def _plain(self, value: str) -> str:
        return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", self.text(value))


def poisoned(publisher: Publisher, poison: Poison) -> Publisher:
    """Change all answers of a recorded publisher, but its pages of links."""
    publisher.routes = {path: _route(route, poison) for path, route in publisher.routes.items()}
    return publisher


def _route(route: Any, poison: Poison) -> Response | Callable[[Request], Response]:
    if callable(route):
        return lambda request: _changed(route(request), poison)
    return _changed(route, poison)


def _changed(response: Response, poison: Poison) -> Response:
    assert isinstance(response.body, bytes)
    text = response.body.decode("utf-8", "replace")
    if text.lstrip().startswith(("{", "[")):
        text = json.dumps(poison.json(json.loads(text)))
    elif text.lstrip().startswith("<") and "<html" not in text.lower():
        text = poison.xml(text)
    elif response.headers.get("Content-Type") == "text/csv":
        text = poison.csv(text)
    return replace(response, body=text.encode())


# What anybody can send where a text is expected.
SENT = {
    "syntax": "".join((*QUERIES.values(), *LINES.values(), *MARKUP.values()))[:2000],
    "NUL": "a\x00b",
    "half a pair": "\ud800",
    "long": "9" * 5000,
}
ODD_TEXTS = [
    *("", " ", "a", "\t\n", "a\0b", "\ud800", "\x1b[31m", "‮", "ａ", "é", "ß", "١٢٣", "²", "😀"),
    *("true", "None", "null", "undefined", "nan", "Infinity", "-1", "0", "1e400", "0x10", "1.5"),
    *("9" * 25, "9" * 5000, "-" + "9" * 25, "a" * 100_000, "%00", "%", "../..", "a/b", "{}", "[]"),
    *("'; DROP TABLE package; --", "\\", "*:*", "id:[* TO", "{{ 7 * 7 }}", "<script>", "a@b", "*"),
    *("00000000-0000-0000-0000-000000000000", "2026-02-30", "http://[", "javascript:alert(1)"),
]
ODD_VALUES: list[Any] = [
    *(True, False, 0, -1, 1.5, 10**25, -(10**25), float("inf"), float("nan"), 2**63, 2**31),
    *([], [1], ["a", "b"], ["a\0b"], [[]], [{}], [None], {}, {"a": 1}, {"a": ["\ud800"]}, {"": {}}),
]
