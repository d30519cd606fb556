"""Datasets of a data.json without a problem."""

from __future__ import annotations

from typing import Any


def datasets(count: int, **more: Any) -> dict[str, Any]:
    return {"dataset": [{"identifier": f"d{n}", "title": f"D {n}", **more} for n in range(count)]}


FULL = {
    "description": "About it.",
    "keyword": ["a tag"],
    "modified": "2024-05-31",
    "publisher": {"name": "Council"},
    "contactPoint": {"fn": "Team", "hasEmail": "mailto:team@example.gov.uk"},
    "accessLevel": "public",
    "license": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    "distribution": [{"downloadURL": "https://example.gov.uk/a.csv", "mediaType": "text/csv"}],
}
# As data.gov.uk's guide has them: a list, and no field of Project Open Data alone.
GUIDE_LIST = [
    {key: value for key, value in dataset.items() if key != "accessLevel"}
    for dataset in datasets(3, **FULL)["dataset"]
]
