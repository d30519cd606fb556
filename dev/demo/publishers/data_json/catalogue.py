"""The datasets of a fictional council, made from datasets.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOST = "https://data.thornmere.example"
HEAD = {
    "@context": "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld",
    "@type": "dcat:Catalog",
    "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
    "describedBy": "https://project-open-data.cio.gov/v1.1/schema/catalog.json",
}
LICENCE = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
MEDIA_TYPES = {
    "CSV": "text/csv",
    "GeoJSON": "application/geo+json",
    "PDF": "application/pdf",
    "XLSX": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def datasets() -> list[dict[str, Any]]:
    """Return all entries, always in the same order."""
    text = (Path(__file__).parent / "datasets.toml").read_text(encoding="utf-8")
    everything = tomllib.loads(text)
    areas = everything["areas"]
    return [
        _entry(line, each, areas)
        for line in everything["dataset"]
        for each in line.get("each", [""])
    ]


def _entry(line: dict[str, Any], each: str, areas: dict[str, str]) -> dict[str, Any]:
    slug = "-".join(filter(None, (line["id"], _slug(each))))
    entry = {
        "@type": "dcat:Dataset",
        "identifier": f"{HOST}/id/{slug}",
        "title": line["title"].format(each=each),
        "description": line["description"].format(each=each),
        "keyword": line["keywords"],
        "theme": [line["theme"]],
        "modified": line["modified"],
        "issued": line["issued"],
        "accrualPeriodicity": line["every"],
        "publisher": {"@type": "org:Organization", "name": "Thornmere Borough Council"},
        "contactPoint": {
            "@type": "vcard:Contact",
            "fn": f"{line['team']} team",
            "hasEmail": f"mailto:{_slug(line['team'])}@thornmere.example",
        },
        "accessLevel": "public",
        "license": LICENCE,
        "language": ["en-GB"],
        "landingPage": f"{HOST}/dataset/{slug}",
        "spatial": areas.get(each, areas["Thornmere"]),
        "distribution": list(_distributions(line, slug)),
    }
    if each.isdecimal():
        entry["temporal"] = f"{each}-01-01/{each}-12-31"
    return entry


def _distributions(line: dict[str, Any], slug: str) -> Iterator[dict[str, str]]:
    for form in line["files"]:
        place = f"{HOST}/files/{slug}.{form.lower()}"
        yield {
            "@type": "dcat:Distribution",
            "title": f"{line['file']} ({form})",
            "downloadURL": place,
            "mediaType": MEDIA_TYPES[form],
            "format": form,
        }
    if "map" in line:
        yield {
            "@type": "dcat:Distribution",
            "title": line["map"],
            "accessURL": f"https://maps.thornmere.example/layers/{slug}",
            "format": "HTML",
        }


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
