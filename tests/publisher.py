"""The tests' publisher, and one that serves what was recorded of a real publisher."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ckanext.ukharvest.testing.publisher import (
    PLACE,
    Everything,
    Publisher,
    Request,
    Response,
    Route,
)

__all__ = [
    "MEDIA_TYPES",
    "PLACE",
    "SOURCES",
    "Everything",
    "Publisher",
    "Request",
    "Response",
    "Route",
    "recorded",
]

SOURCES = Path(__file__).parent / "sources"
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".nt": "application/n-triples",
    ".rdf": "application/rdf+xml",
    ".ttl": "text/turtle",
    ".xml": "application/xml",
}


def recorded(case: str, folder: Path = SOURCES) -> Publisher:
    """Return a publisher, not yet started, that serves ``<folder>/<case>/routes.json``."""
    place = folder / case
    publisher = Publisher()
    posts: dict[str, list[tuple[str, Response]]] = {}
    for route in json.loads((place / "routes.json").read_text(encoding="utf-8")):
        file = place / route["file"] if "file" in route else None
        headers = {
            name: value.replace(PLACE, publisher.base)
            for name, value in route.get("headers", {}).items()
        }
        if file is not None:
            headers.setdefault("Content-Type", MEDIA_TYPES.get(file.suffix, "text/plain"))
        body = file.read_bytes().replace(PLACE.encode(), publisher.base.encode()) if file else b""
        response = Response(body, route.get("status", 200), headers)
        if "get" in route:
            publisher.routes[f"GET {route['get']}"] = response
        else:
            posts.setdefault(route["post"], []).append((route.get("contains", ""), response))
    for path, answers in posts.items():
        publisher.routes[f"POST {path}"] = _by_body(answers)
    return publisher


def _by_body(answers: list[tuple[str, Response]]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        text = request.body.decode("utf-8", "replace")
        for contains, response in answers:
            if contains in text:
                return response
        return Response(b"not found", 404)

    return answer
