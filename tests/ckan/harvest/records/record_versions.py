"""Versions of a record."""

from __future__ import annotations

from tests.ckan.catalogues import catalogue, dataset
from tests.publisher import Publisher

PATH = "/data.json"
GUID = "https://data.example/id/00000"


def change(publisher: Publisher, description: str) -> None:
    publisher.serve(PATH, catalogue([dataset(0, description=description), dataset(1)]))
