"""data.json catalogues for tests: plain, numbered, of any size."""

from __future__ import annotations

from typing import Any


def dataset(number: int, **fields: Any) -> dict[str, Any]:
    """Return one dataset of POD 1.1; ``fields`` replace or add."""
    return {
        "@type": "dcat:Dataset",
        "identifier": f"https://data.example/id/{number:05}",
        "title": f"Dataset {number:05}",
        "description": f"What is known about number {number}.",
        "keyword": ["parking", "roads"],
        "modified": "2026-05-01",
        "accessLevel": "public",
        "publisher": {"@type": "org:Organization", "name": "Somewhere Council"},
        "contactPoint": {"fn": "Data team", "hasEmail": "mailto:data@somewhere.example"},
        "license": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
        "distribution": [
            {
                "@type": "dcat:Distribution",
                "title": f"Table {number}",
                "downloadURL": f"https://data.example/files/{number}.csv",
                "mediaType": "text/csv",
            }
        ],
        **fields,
    }


def catalogue(datasets: Any) -> dict[str, Any]:
    """Return a catalogue of POD 1.1 with some datasets, or with the numbers 0 to n-1."""
    if isinstance(datasets, int):
        datasets = [dataset(number) for number in range(datasets)]
    return {
        "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
        "dataset": list(datasets),
    }
