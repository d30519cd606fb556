"""A folder of records on the loopback interface."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Copy, Ending, RawRecord, Reading, Source
from ckanext.ukharvest.source_types.gemini import GEMINI_WAF
from tests.publisher import Publisher
from tests.publishing.gemini import gemini
from tests.publishing.records import Item

LIKE_XML = {"Content-Type": "application/xml"}
FGDC = "<?xml version='1.0'?><metadata><idinfo><descript/></idinfo></metadata>"


class Folder:
    """A folder at /waf/ of a publisher, and its reader."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.url = publisher.url("/waf/")
        self.http = http

    def page(self, *links: str, path: str = "/waf/") -> None:
        """Serve a page; a link is a URL, and after a blank the rest of its line."""
        parts = (link.partition(" ") for link in links)
        lines = "".join(f'<li><a href="{href}">x</a> {words}</li>' for href, _, words in parts)
        text = f"<html><head><title>Records</title></head><body><ul>{lines}</ul></body></html>"
        self.publisher.serve(path, text, headers={"Content-Type": "text/html"})

    def file(self, name: str, number: int = 1, **more: Any) -> str:
        """Serve a record; return its URL."""
        headers = {**LIKE_XML, **more.pop("headers", {})}
        self.publisher.serve(f"/waf/{name}", gemini(Item(number)), headers=headers, **more)
        return f"{self.url}{name}"

    def files(self, count: int) -> None:
        """Serve a page with this many records."""
        for number in range(count):
            self.file(f"{number}.xml", number)
        self.page(*(f"{number}.xml" for number in range(count)))

    def source(self, copies: dict[str, Copy] | None = None, url: str = "", **given: Any) -> Source:
        declared = options.validate(given, GEMINI_WAF.options)
        return Source(url or self.url, declared, self.http, copies=copies or {})

    def read(self, *args: Any, **given: Any) -> tuple[list[RawRecord], Ending]:
        reading = Reading(GEMINI_WAF.reader.records(self.source(*args, **given)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    @property
    def requested(self) -> list[str]:
        return [path.removeprefix("/waf/") for path in self.publisher.paths if path != "/waf/"]


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]
