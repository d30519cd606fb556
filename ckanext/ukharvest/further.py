"""A second reading of a record: what it found and our own did not goes into the package dict."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

# What no source decides here, whoever read it, and what the mapper makes itself; the last three
# can lose the dataset: CKAN or ckanext-spatial refuses bad ones, so ours went through a check.
OURS = ("id", "name", "type", "state", "private", "owner_org", "groups", "tags", "guid") + (
    "resources",
    "extras",
    "spatial",
    "maintainer_email",
    "author_email",
)
OUR_RESOURCES = ("id", "distribution_ref", "size")


def add_missing(
    package: dict[str, Any], further: Mapping[str, Any], schema: Collection[str]
) -> None:
    """Add what another reading of the same record found and this one did not.

    Args:
        package: our package dict; changed.
        further: the dataset dict of the other one, as ckanext-dcat makes it.
        schema: names of the dataset type's own fields.
    """
    present = {extra["key"] for extra in package["extras"]}
    found = {extra["key"]: extra["value"] for extra in further.get("extras", ())}
    for key, value in {**found, **further}.items():
        if key in OURS or not value or package.get(key) or key in present:
            continue
        if key in package or key in schema:
            package[key] = value
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            package["extras"].append({"key": key, "value": text})
    package["extras"].sort(key=lambda extra: extra["key"])
    others = {each.get("url"): each for each in further.get("resources", ())}
    for resource in package["resources"]:
        for key, value in others.get(resource["url"], {}).items():
            if value and key not in OUR_RESOURCES and not resource.get(key):
                resource[key] = value
