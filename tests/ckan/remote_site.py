"""A CKAN site that is harvested, as far as harvesters use it."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.publisher import Request, Response


class RemoteSite:
    """A CKAN site with a search, as far as the harvesters use it."""

    def __init__(self, packages: list[dict[str, Any]]) -> None:
        self.packages = packages

    def search(self, request: Request) -> Response:
        query = {k: v[0] for k, v in parse_qs(urlsplit(request.path).query).items()}
        since = re.search(r"metadata_modified:\[(\S+)Z TO \*\]", query.get("fq", ""))
        found = [p for p in self.packages if not since or p["metadata_modified"] >= since[1]]
        start, rows = int(query.get("start", 0)), int(query.get("rows", 10))
        result = {"count": len(found), "results": found[start : start + rows]}
        body = json.dumps({"success": True, "result": result}).encode()
        return Response(body, headers={"Content-Type": "application/json"})

    def get(self, path: str, default: Any = None) -> Any:
        return self.search if path.startswith("/api/3/action/package_search") else default


def package(number: int, **fields: Any) -> dict[str, Any]:
    """Return a package as package_search gives it."""
    own = f"11111111-0000-4000-8000-{number:012}"
    files = [
        {
            "id": f"22222222-000{n}-4000-8000-{number:012}",
            "name": "Table" if n else "",
            "url": f"https://remote.example/{number}/data.csv",
            "format": "CSV",
            "position": n,
            "package_id": own,
            "state": "active",
        }
        for n in range(2)
    ]
    return {
        "id": own,
        "name": f"remote_{number}",
        "title": f"Remote {number}",
        "notes": "What the remote site says.",
        "type": "dataset",
        "state": "active",
        "private": False,
        "license_id": "uk-ogl",
        "metadata_created": "2026-01-01T10:00:00.000000",
        "metadata_modified": "2026-02-01T10:00:00.000000",
        "owner_org": None,
        "tags": [{"name": "roads", "state": "active"}],
        "extras": [{"key": "theme-primary", "value": "Transport"}],
        "resources": files,
        **fields,
    }


THERE = {
    "id": "33333333-0000-4000-8000-000000000001",
    "name": "far-council",
    "title": "Far Council",
}
