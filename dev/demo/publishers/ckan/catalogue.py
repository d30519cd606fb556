"""The datasets of a fictional county, as its CKAN site returns them."""

from __future__ import annotations

import json
import uuid
from typing import Any

SPACE = uuid.UUID("5d4dd3a5-2f5f-4c2e-9a39-0f6c2d6f8a11")

# District → west, south, east, north.
DISTRICTS = {
    "Ashmoor": (-1.42, 51.60, -1.31, 51.68),
    "Brindle Vale": (-1.31, 51.60, -1.20, 51.68),
    "Coldharbour": (-1.20, 51.60, -1.09, 51.68),
    "Dunsford": (-1.42, 51.68, -1.31, 51.76),
    "Eastmere": (-1.31, 51.68, -1.20, 51.76),
    "Frampton": (-1.20, 51.68, -1.09, 51.76),
    "Glebe Cross": (-1.42, 51.76, -1.31, 51.84),
    "Hollin Heath": (-1.31, 51.76, -1.20, 51.84),
    "Ivelsey": (-1.20, 51.76, -1.09, 51.84),
    "Kingsbarrow": (-1.09, 51.60, -0.98, 51.68),
}

# Subject, content, tags, service of the local government service list, format, frequency.
SUBJECTS = (
    ("Bus stops", "every bus stop and its shelter", ["transport", "buses"], 1198, "CSV", "monthly"),
    ("Road works", "planned works on the roads", ["roads", "works"], 1152, "GeoJSON", "daily"),
    ("Street lights", "lamps with age and wattage", ["lighting"], 1153, "CSV", "quarterly"),
    ("Libraries", "opening hours and addresses", ["libraries", "books"], 437, "CSV", "annual"),
    ("School places", "places and applications", ["schools"], 8, "XLSX", "annual"),
    ("Recycling centres", "sites and what they take", ["waste"], 532, "CSV", "quarterly"),
    ("Rights of way", "footpaths and bridleways", ["walking"], 1161, "GeoJSON", "annual"),
    ("Road casualties", "collisions by severity", ["roads", "safety"], 1158, "CSV", "annual"),
    ("Trees", "trees on highway land", ["trees"], 844, "GeoJSON", "annual"),
    ("Gritting routes", "roads that are gritted first", ["winter"], 1163, "GeoJSON", "annual"),
    ("Car parks", "spaces and charges", ["parking"], 570, "CSV", "monthly"),
    ("Children's centres", "centres and services", ["children"], 1420, "CSV", "annual"),
    ("Day centres", "centres for adults", ["social care"], 212, "CSV", "annual"),
    ("Allotments", "sites and waiting lists", ["allotments"], 641, "CSV", "annual"),
)

ORGANISATION = {
    "id": str(uuid.uuid5(SPACE, "organisation")),
    "name": "wendlesham-county-council",
    "title": "Wendlesham County Council",
    "type": "organization",
    "is_organization": True,
    "state": "active",
    "approval_status": "approved",
}


def packages(base: str) -> list[dict[str, Any]]:
    """Return all 140 packages by their ids, as package_search sorts them."""
    found = [
        _package(base, subject, district, number)
        for number, (subject, district) in enumerate(
            (subject, district) for subject in SUBJECTS for district in DISTRICTS
        )
    ]
    return sorted(found, key=lambda each: str(each["id"]))


def _package(
    base: str, subject: tuple[str, str, list[str], int, str, str], district: str, number: int
) -> dict[str, Any]:
    label, holds, tags, service, file_format, frequency = subject
    name = f"{label} {district}".lower().replace("'", "").replace(" ", "-")
    own_id = str(uuid.uuid5(SPACE, name))
    changed = f"2026-0{number % 9 + 1}-{number % 28 + 1:02}T08:30:00.000000"
    return {
        "id": own_id,
        "name": name,
        "title": f"{label}, {district}",
        "notes": f"The county's list for {district}: {holds}.",
        "license_id": "uk-ogl",
        "license_title": "UK Open Government Licence (OGL)",
        "metadata_created": "2021-04-01T09:00:00.000000",
        "metadata_modified": changed,
        "maintainer": "Open data team",
        "maintainer_email": "opendata@wendlesham.example",
        "type": "dataset",
        "state": "active",
        "private": False,
        "url": f"{base}/dataset/{name}",
        "organization": ORGANISATION,
        "owner_org": ORGANISATION["id"],
        "groups": [],
        "tags": [{"name": tag, "display_name": tag, "state": "active"} for tag in tags],
        "extras": [
            {"key": "la_service", "value": f"http://id.esd.org.uk/service/{service}"},
            {"key": "spatial", "value": _polygon(district)},
            {"key": "update_frequency", "value": frequency},
        ],
        "resources": [_resource(base, name, file_format, changed)],
        "num_resources": 1,
        "num_tags": len(tags),
    }


def _resource(base: str, name: str, file_format: str, changed: str) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid5(SPACE, f"{name}.{file_format}")),
        "name": f"All as {file_format}",
        "description": "",
        "format": file_format,
        "url": f"{base}/download/{name}.{file_format.lower()}",
        "created": "2021-04-01T09:00:00.000000",
        "last_modified": changed,
        "position": 0,
        "state": "active",
        "resource_type": None,
        "url_type": None,
    }


def _polygon(district: str) -> str:
    west, south, east, north = DISTRICTS[district]
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return json.dumps({"type": "Polygon", "coordinates": [ring]})
