"""Expected fields of a package, read without the extension's code."""

from __future__ import annotations

import json
from typing import Any

from demo.publishers import Box, Served


def served(package: dict[str, Any]) -> Served:
    """Read one answer of package_show."""
    extras = {each["key"]: each["value"] for each in package["extras"]}
    return Served(
        guid=package["id"],
        title=package["title"],
        urls=frozenset(each["url"] for each in package["resources"]),
        raw=json.dumps(package, sort_keys=True),
        licence=package["license_id"],
        extras={
            "dcat_publisher_name": package["organization"]["title"],
            "la_service": extras["la_service"],
        },
        box=_box(extras["spatial"]),
        is_readable=bool(package["title"]),
    )


def _box(text: str) -> Box:
    corners = json.loads(text)["coordinates"][0]
    across, up = [each[0] for each in corners], [each[1] for each in corners]
    return min(across), min(up), max(across), max(up)
