"""Datasets that may be duplicates, and what people send about them."""

from __future__ import annotations

from typing import Any

from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.logins import sysadmin
from tests.publisher import Publisher

FILE = "https://data.example/files/1.csv"


def own(number: int, **fields: Any) -> dict[str, Any]:
    """Return a record of another publisher: another identifier."""
    return dataset(number, identifier=f"https://other.example/id/{number}", **fields)


def run(portal: Portal, publisher: Publisher, path: str, records: list[dict[str, Any]]) -> str:
    publisher.serve(path, catalogue(records))
    source = portal.source(publisher.url(path))
    assert figures(portal.run(source)) == {"added": len(records)}
    return source


def by_hand(portal: Portal, title: str, *urls: str) -> dict[str, Any]:
    resources = [{"url": url, "name": "Table"} for url in urls]
    made = factories.Dataset(owner_org=portal.organization_id, title=title, resources=resources)
    return dict(made)


def listed() -> dict[str, Any]:
    return dict(act("ukharvest_duplicate_list"))


def post(app: CKANTestApp, **form: Any) -> str:
    answer = app.post("/harvest/duplicates", params=form, headers=sysadmin())
    return str(answer.body)
