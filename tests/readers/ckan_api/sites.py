"""A CKAN site with a search, and one without."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ckanext.ukharvest.core.records import Ending, RawRecord
from tests.publisher import Publisher, Request, Response


def package(number: int, **more: Any) -> dict[str, Any]:
    day = f"2024-01-{number % 28 + 1:02}T10:00:00.000000"
    own = {"id": f"id-{number:04}", "name": f"name-{number}", "title": f"Title {number}"}
    return {**own, "metadata_modified": day, **more}


class Site(dict[str, Any]):
    """Routes of a CKAN site with a search.

    Attributes:
        packages: its packages; a test may change them between pages by ``before_page``.
        most: the largest page that it returns.
    """

    def __init__(self, count: int, most: int = 1000) -> None:
        super().__init__()
        self.packages = [package(number) for number in range(count)]
        self.most = most
        self.asked: list[dict[str, str]] = []
        self.before_page: Callable[[int], None] = lambda _number: None

    def get(self, key: str, default: Any = None) -> Any:
        if "/package_search" not in key or key.startswith("GET "):
            return super().get(key, default)
        return self.search

    def search(self, request: Request) -> Response:
        query = parse_qs(urlsplit(request.path).query)
        params = {name: values[0] for name, values in query.items()}
        self.asked.append(params)
        self.before_page(len(self.asked))
        found = sorted(self.packages, key=lambda each: each["id"])
        since = re.search(r"metadata_modified:\[(\S+) TO \*\]", params.get("fq", ""))
        if since:
            found = [each for each in found if each["metadata_modified"] >= since[1].rstrip("Z")]
        start, rows = int(params["start"]), min(int(params["rows"]), self.most)
        result = {"count": len(found), "results": found[start : start + rows]}
        return answer(result)


def answer(result: Any, status: int = 200) -> Response:
    body = {"help": "", "success": True, "result": result}
    return Response(json.dumps(body).encode(), status)


def refusal(status: int, message: str) -> Response:
    body = {"success": False, "error": {"__type": "Search Error", "message": message}}
    return Response(json.dumps(body).encode(), status)


Read = Callable[..., tuple[list[RawRecord], Ending]]


def ids(records: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in records]


ALL = [f"id-{number:04}" for number in range(10)]


def old_site(publisher: Publisher, count: int = 3) -> None:
    names = [f"name-{number}" for number in range(count)]
    publisher.serve("/api/3/action/package_list", {"success": True, "result": names})
    for number, name in enumerate(names):
        found = package(number, organization={"name": "a" if number else "b"})
        path = f"/api/3/action/package_show?id={name}"
        publisher.serve(path, {"success": True, "result": found})
