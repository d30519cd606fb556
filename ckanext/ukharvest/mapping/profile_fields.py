"""Merge fields found by ckanext-dcat's profiles into a package dict."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

# Keys that no source sets, and keys that our mapper sets. Our parsers check the last three: with
# invalid values CKAN or ckanext-spatial would refuse the dataset.
OUR_FIELDS = ("id", "name", "type", "state", "private", "owner_org", "groups", "tags", "guid") + (
    "resources",
    "extras",
    "spatial",
    "maintainer_email",
    "author_email",
)
OUR_RESOURCE_FIELDS = ("id", "distribution_ref", "size")


def add_missing_fields(
    package: dict[str, Any], other: Mapping[str, Any], schema: Collection[str]
) -> None:
    """Add values that a package dict lacks, from another package dict of the same record.

    Args:
        package: our package dict; changed in place.
        other: the dataset dict of ckanext-dcat.
        schema: names of the dataset type's own fields.
    """
    present = {extra["key"] for extra in package["extras"]}
    extras = {extra["key"]: extra["value"] for extra in other.get("extras", ())}
    for key, value in {**extras, **other}.items():
        if key in OUR_FIELDS or not value or package.get(key) or key in present:
            continue
        if key in package or key in schema:
            package[key] = value
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            package["extras"].append({"key": key, "value": text})
    package["extras"].sort(key=lambda extra: extra["key"])
    others = {resource.get("url"): resource for resource in other.get("resources", ())}
    for resource in package["resources"]:
        for key, value in others.get(resource["url"], {}).items():
            if value and key not in OUR_RESOURCE_FIELDS and not resource.get(key):
                resource[key] = value
