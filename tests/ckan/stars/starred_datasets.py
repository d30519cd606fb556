"""Datasets with stars."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action

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


def make(*resources: dict[str, Any], **fields: Any) -> str:
    """Make a dataset under an open licence as a person does; return its id."""
    made = act(
        "package_create",
        **{
            "name": "rivers",
            "license_id": "uk-ogl",
            "owner_org": fields.pop("owner_org", None) or factories.Organization()["id"],
            "resources": [{"url": "https://files.example/data", **each} for each in resources],
            **fields,
        },
    )
    return str(made["id"])


def show(package_id: str) -> dict[str, Any]:
    model.Session.remove()
    return dict(call_action("ukharvest_stars_show", id=package_id))
