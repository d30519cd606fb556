"""A museum's data.json. It was read once, and the server has answered 404 since then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from .entries import catalogue, count, entry

__all__ = ["CONFIG", "FAULTS", "ORGANISATION", "PATH", "TITLE", "count", "routes"]

TITLE = "Museum of the Wend"
ORGANISATION = "Museum of the Wend"
PATH = "/museum/data.json"
CONFIG: Mapping[str, Any] = {}
FAULTS: tuple[str, ...] = ()

HOST = "https://open.wendmuseum.example"
COLLECTIONS = {
    "Paintings": "Oil paintings and watercolours, with artist, year and size.",
    "River boats": "Models and photographs of the boats that worked on the Wend.",
    "Pottery": "Pots and tiles of the Thornmere kilns, with marks and glazes.",
    "Herbarium": "Pressed plants, with species, place and year of collection.",
    "Visitors": "Visits by month, counted at the door, since 2009.",
}


def routes(_base: str, fault: str) -> dict[str, Response]:
    """Return the document, or the error page."""
    if fault:
        page = b"<html><head><title>404 Not Found</title></head><body></body></html>"
        return {PATH: Response(page, 404, {"Content-Type": "text/html"})}
    return {
        PATH: catalogue(
            entry(HOST, ORGANISATION, title, about, files=[(_file(title), "CSV")])
            for title, about in COLLECTIONS.items()
        )
    }


def _file(title: str) -> str:
    return f"{HOST}/files/{title.lower().replace(' ', '-')}.csv"
