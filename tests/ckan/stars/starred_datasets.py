"""Datasets with stars."""

from __future__ import annotations

from typing import Any

from tests.ckan.harvesting import act

OGL = "uk-ogl"


def make_dataset(
    name: str, organisation: str | None, format_: str, licence: str, **more: Any
) -> None:
    resource = {"url": "https://files.example/data", "format": format_}
    act(
        "package_create",
        name=name,
        title=f"Title of {name}",
        owner_org=organisation,
        license_id=licence,
        resources=[resource],
        **more,
    )
