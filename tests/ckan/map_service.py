"""A web map service for tests, and resources that the portal shows on a map."""

from __future__ import annotations

import struct
import zlib
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ckan import model
from ckan.tests import factories

from ckanext.ukharvest.core.link_states import Layer, LinkResult
from ckanext.ukharvest.harvest.records import links as link_results
from tests.publisher import Publisher, Request, Response

HOSTILE = "\"'><img src=x onerror=document.title='broken'><script>document.title='in'</script>"
BOX = [[[-4, 55], [-3, 55], [-3, 56], [-4, 56], [-4, 55]]]


def png(size: int = 512) -> bytes:
    """Return a see-through square with a coloured edge."""
    edge, within = b"\xa0\x30\x10\xff", b"\x20\x80\x40\x50"
    rows = [b"\0" + edge * size]
    rows += [b"\0" + edge + within * (size - 2) + edge] * (size - 2) + rows
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(rows))),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


DRAWN = Response(png(), headers={"Content-Type": "image/png"})


class MapService(Publisher):
    """A web map service that draws the same square for any area."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = DRAWN

    def respond(self, request: Request) -> Response:
        super().respond(request)
        return self.answer

    def maps(self) -> list[dict[str, str]]:
        """Return the parameters of the requested pictures, names in lower case."""
        queries = [dict(parse_qsl(urlsplit(path).query, True)) for path in self.paths]
        lower = [{name.lower(): value for name, value in query.items()} for query in queries]
        return [query for query in lower if query.get("request") == "GetMap"]


def page_of(url: str, format_: str = "WMS", **fields: Any) -> str:
    """Make a dataset of one resource, and return the path of the resource's page."""
    shown = factories.Dataset(resources=[{"url": url, "format": format_, "name": "It"}], **fields)
    return f"/dataset/{shown['name']}/resource/{shown['resources'][0]['id']}"


def looked_at(url: str, base: str, *layers: Layer, **fields: Any) -> None:
    """Save a service's layers as the background job does."""
    known = {"version": "1.3.0", "title": "Rivers of Somewhere", **fields}
    found = LinkResult(url, format="WMS", layers=layers, base_url=base, **known)
    link_results.save_link_results([found], days=30)
    model.Session.commit()
