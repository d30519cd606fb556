"""Previews of sources of a publisher."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.source_preview import SourcePreview
from tests.conftest import LOOPBACK

PATH = "/data.json"


def preview(url: str, name: str = "data_json", *, budget: Budget | None = None, **more: Any) -> Any:
    kind = source_types.find(name)
    assert kind is not None
    with HttpClient(Guard(LOOPBACK)) as http:
        door = Watched(http, budget or Budget())
        source = Source(url, options.validate({}, kind.options), http)
        return SourcePreview(kind, source, door, **more).run()
