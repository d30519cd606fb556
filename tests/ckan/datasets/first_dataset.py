"""The datasets of a source, and the first of them and its record."""

from __future__ import annotations

from typing import Any

from ckan import model

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, extras
from tests.publisher import Publisher

PATH = "/data.json"


GUID = "https://data.example/id/00000"


def serve(publisher: Publisher, *more: dict[str, Any], **fields: Any) -> None:
    publisher.serve(PATH, catalogue([dataset(0, **fields), dataset(1), *more]))


def first(portal: Portal) -> dict[str, Any]:
    return next(each for each in portal.datasets() if extras(each).get("guid") == GUID)


def record_id(guid: str = GUID) -> int:
    return int(model.Session.query(Record.id).filter_by(guid=guid).scalar())
