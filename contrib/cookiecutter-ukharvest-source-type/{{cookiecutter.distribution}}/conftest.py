"""What the contract of source types needs to know of this type."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pytest

from ckanext.ukharvest.source_type_api import SourceType
from ckanext.ukharvest.testing.contract import Item, Serve, Served
from ckanext.ukharvest.testing.fixtures import fake_time, http, publisher  # noqa: F401
from ckanext.ukharvest.testing.publisher import Publisher

from {{ cookiecutter.package }}.source_type import KIND


@pytest.fixture
def kind() -> SourceType:
    return KIND


@pytest.fixture
def serve() -> Serve:
    return _serve


def _serve(publisher: Publisher, records: Sequence[Item]) -> Served:  # noqa: F811
    """Serve the records as a publisher does; a list has no pages, so its URL is given twice."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["id", "title", "description", "url"])
    for record in records:
        guid = "" if record.nameless else f"id-{record.number}"
        url = f"https://data.example/{record.number}.csv"
        rows.writerow([guid, record.title, record.description, url])
    publisher.serve("/datasets.csv", text.getvalue(), headers={"Content-Type": "text/csv"})
    return Served("/datasets.csv", "/datasets.csv")
