"""Results of checks of data: added to the API's answer of ``package_show``, never stored."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.logic.action.data_checks import short
from ckanext.ukharvest.model import data_checks

KEY = "data_check"

load_findings = data_checks.findings_of


def add_computed(package: dict[str, Any]) -> None:
    """Add the result to each resource that was checked; one statement for the dataset.

    None for a dataset without a schema.
    """
    resources = [
        resource for resource in package.get("resources") or () if isinstance(resource, dict)
    ]
    for resource in resources:
        resource.pop(KEY, None)  # of a client that sent back what it was given
    is_possible = any(data_checks.own_schema(resource) for resource in resources) or _has_schema(
        package
    )
    if not is_possible:
        return
    rows = {row.resource_id: row for row in data_checks.of_dataset(str(package["id"]))}
    for resource in resources:
        row = rows.get(str(resource.get("id")))
        if row and data_checks.own_schema(resource) in ("", row.schema_url):
            resource[KEY] = short(row)


def _has_schema(package: dict[str, Any]) -> bool:
    extras = package.get("extras") or ()
    return bool(package.get("schema")) or any(extra.get("key") == "schema" for extra in extras)
