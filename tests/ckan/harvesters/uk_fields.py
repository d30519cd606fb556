"""A dataset with every UK field, as publishers serve it and as CKAN has it."""

from __future__ import annotations

from typing import Any

from tests.publisher import Publisher
from tests.publishing.packages import SEARCH

TOILETS = "http://schemas.opendata.esd.org.uk/PublicToilets"
LAW = "https://www.legislation.gov.uk/ukpga/1936/49"
CODES = "http://id.esd.org.uk/list/services"
FILE = "https://data.example/toilets.csv"
# The expected dataset, as far as its source type can express it.
WANTED = {
    "theme-primary": "Environment",
    "theme-secondary": '["Health"]',
    "la_function": "http://id.esd.org.uk/function/40 http://id.esd.org.uk/function/9999",
    "la_service": "http://id.esd.org.uk/service/579",
    "schema": f'["{TOILETS}"]',
    "codelist": f'["{CODES}"]',
    "mandate": f'["{LAW}"]',
    "update_frequency": "R/P3M",
    "temporal_coverage-from": "2025-04-01",
    "temporal_coverage-to": "2026-03-31",
    "unpublished": "true",
    "schema_url": TOILETS,
    "schema_type": "csvlint",
}


def package_of(guid: str, facts: dict[str, Any]) -> dict[str, Any]:
    file = {"url": FILE, "format": "CSV", "schema-url": TOILETS, "schema-type": "CSV Lint"}
    return {
        "id": guid,
        "name": guid,
        "title": "A list of places",
        "extras": [{"key": key, "value": value} for key, value in facts.items()],
        "resources": [file],
    }


def publish_ckan(publisher: Publisher) -> str:
    """Serve a site with ckanext-scheming or our form: some fields are the dataset's own."""
    facts = {
        "theme-primary": "environment",
        "la_function": "https://id.esd.org.uk/function/40/, http://id.esd.org.uk/service/579"
        " http://id.esd.org.uk/function/9999",
        "codelist": CODES,
        "mandate": f"{LAW}\n",
        "frequency-of-update": "quarterly",
        "temporal_coverage-from": "01/04/2025",
        "temporal_coverage-to": "31/03/2026",
        "unpublished": "Yes",
    }
    package = package_of("package", facts)
    package |= {"theme-secondary": ["Health"], "schema": [{"id": "7", "url": TOILETS}]}
    result = {"count": 1, "results": [package]}
    publisher.serve(SEARCH.format(0), {"help": "", "success": True, "result": result})
    return SEARCH.format(0)
