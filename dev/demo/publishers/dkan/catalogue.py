"""The packages of a fictional council, as the templates of DKAN 7 print them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

# Title, description, tag, group.
_TOPICS = (
    ("Public toilets", "Opening hours and access for wheelchairs.", "toilets", "Property"),
    ("Recycling points", "Banks for glass, paper and textiles.", "recycling", "Environment"),
    ("Play areas", "Equipment, surface and the last inspection.", "children's play", "Leisure"),
    ("Allotments", "Plots, rents and the waiting list.", "allotments", "Leisure"),
    ("Listed buildings", "Grade, address and date of listing.", "heritage", "Planning"),
    ("Tree works", "Applications and decisions.", "trees", "Planning"),
    ("Food hygiene", "Inspections of the last year.", "food safety", "Environment"),
    ("Taxi ranks", "Places and hours.", "taxis", "Licensing"),
    ("Licensed premises", "Name, address and hours.", "licensing", "Licensing"),
    ("Flood reports", "Reports by street and month.", "flooding", "Environment"),
)
_PARISHES = ("Ashcombe", "Brook End", "Easterby", "Little Wend", "Marl Hill", "Nethercote") + (
    "Oakhanger",
    "Saint Bride's",
    "Wendbridge",
)
_FILES = (("csv", "text/csv", "12.5 KB"), ("pdf", "application/pdf", "1.2 MB"))
_HOST = "https://data.wendbridge.example"
_CREATED = datetime(2025, 3, 14, 8, 0, tzinfo=UTC)


def packages(base: str) -> list[dict[str, Any]]:
    """Return all packages, always in the same order; ``base`` is the site's own URL."""
    pairs = [(topic, parish) for topic in _TOPICS for parish in _PARISHES]
    return [_package(base, number, *pair) for number, pair in enumerate(pairs)]


def _package(
    base: str, number: int, topic: tuple[str, str, str, str], parish: str
) -> dict[str, Any]:
    title, text, tag, group = topic
    name = _slug(f"{title} {parish}")
    changed = datetime(2026, 1, 2, 9, 30, tzinfo=UTC) + timedelta(days=number, minutes=7 * number)
    return {
        "id": _uuid(name),
        "name": name,
        "title": f"{title} in {parish}",
        "notes": f"<p>{title} in the parish of <em>{parish}</em>.</p>\n<p>{text}</p>\n",
        "maintainer": f"{group} team",
        "maintainer_email": f"{group.lower()}@wendbridge.example",
        "license_title": "UK Open Government Licence (OGL)",
        "url": f"{base}/dataset/{name}",
        "state": "Active",
        "private": True,
        "type": "Dataset",
        "log_message": "Edited by editor.",
        "metadata_created": _printed(_CREATED),
        "metadata_modified": _printed(changed),
        "revision_timestamp": _printed(changed),
        "resources": [_file(name, changed, *each) for each in _FILES[: 1 + number % 2]],
        "tags": [{"id": str(number), "vocabulary_id": "2", "name": tag}],
        "groups": [{"id": _uuid(group), "title": group, "name": f"group/{_slug(group)}"}],
    }


def _file(name: str, changed: datetime, ending: str, mimetype: str, size: str) -> dict[str, str]:
    address = f"{_HOST}/files/{name}.{ending}"
    return {
        "id": _uuid(address),
        "url": address,
        "name": f"List ({ending.upper()})",
        "description": "<p>As on the day of the last change.</p>\n",
        "format": ending,
        "mimetype": mimetype,
        "size": size,
        "state": "Active",
        "created": _printed(_CREATED + timedelta(minutes=5)),
        "last_modified": f"Date changed  {_printed(changed)}",
    }


def _printed(moment: datetime) -> str:
    return moment.strftime("%a, %d/%m/%Y - %H:%M")


def _uuid(text: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_HOST}/{text}"))


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
