"""Datasets that come back under another identifier or from another portal."""

from __future__ import annotations

from typing import Any

from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher


def remade(number: int, **fields: Any) -> dict[str, Any]:
    """Return the dataset under an identifier that has nothing of the old one."""
    return dataset(number, identifier=f"https://data.example/id/new-{number}", **fields)


ORIGIN = "44444444-0000-4000-8000-{:012}"


def handed(number: int, shift: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a package that a portal harvested; ``shift`` makes it another portal's."""
    made = package(number + shift, title=f"Rivers {number}", **fields)
    for resource in made["resources"]:
        resource["url"] = f"https://data.example/{number}.csv"
    named = [
        {"key": "guid", "value": ORIGIN.format(number)},
        {"key": "import_source", "value": "harvest"},
    ]
    return {**made, "extras": [*made["extras"], *named]}


def serve(publisher: Publisher, packages: list[dict[str, Any]]) -> None:
    publisher.routes = RemoteSite(packages)  # type: ignore[assignment]


def ids(portal: Portal) -> dict[str, tuple[str, list[str]]]:
    """Return id of each dataset → its name and resource ids."""
    return {
        each["id"]: (each["name"], [r["id"] for r in each["resources"]])
        for each in portal.datasets()
    }
