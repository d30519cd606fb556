"""What the contract of source types needs to know of this type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ckanext.ukharvest.source_type_api import SourceType
from ckanext.ukharvest.testing.contract import Item, Serve, Served
from ckanext.ukharvest.testing.fixtures import (  # noqa: F401
    fake_time,
    http,
    publisher,
    pytest_configure,
)
from ckanext.ukharvest.testing.publisher import Publisher

from {{ cookiecutter.package }}.source_type import KIND


@pytest.fixture
def kind() -> SourceType:
    return KIND


@pytest.fixture
def serve() -> Serve:
    return _serve


def _serve(publisher: Publisher, records: Sequence[Item]) -> Served:  # noqa: F811
    """Serve the records as a publisher does, on two pages."""
    half = len(records) // 2
    for path, items in (("/items.json", records[:half]), ("/items.json?page=2", records[half:])):
        page: dict[str, Any] = {"total": len(records), "items": [_item(record) for record in items]}
        if path == "/items.json":
            page["next"] = "?page=2"
        publisher.serve(path, page)
    return Served("/items.json", "/items.json?page=2")


def _item(record: Item) -> dict[str, str]:
    item = {"title": record.title, "description": record.description}
    item["url"] = f"https://data.example/{record.number}.csv"
    return item if record.nameless else {"id": f"id-{record.number}", **item}
