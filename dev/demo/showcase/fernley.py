"""A council's data.json. After its website was rebuilt it lists 5 datasets instead of 14."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from .entries import Entry, catalogue, count, entry

__all__ = ["CONFIG", "FAULTS", "ORGANISATION", "PATH", "TITLE", "count", "routes"]

TITLE = "Fernley District Council"
ORGANISATION = "Fernley District Council"
PATH = "/fernley/data.json"
CONFIG: Mapping[str, Any] = {}
FAULTS: tuple[str, ...] = ()

HOST = "https://data.fernley.example"
SUBJECTS = {
    "Allotments": "Sites, plots and waiting times",
    "Business rates": "Properties with their rateable value",
    "Council tax bands": "Number of homes in each band",
    "Dog bins": "Places of bins for dog waste",
    "Food hygiene ratings": "Ratings of kitchens, shops and restaurants",
    "Grants to voluntary groups": "Each grant with its purpose and amount",
    "Licensed premises": "Licences to sell alcohol",
    "Noise complaints": "Complaints by month and kind",
    "Playgrounds": "Playgrounds with their equipment",
    "Public toilets": "Toilets with opening times and access",
    "Recycling points": "Banks for glass, paper and clothes",
    "Taxi licences": "Licensed vehicles and drivers",
    "Trees with preservation orders": "Protected trees, with species and place",
    "Ward boundaries": "Boundaries of the district's wards",
}
LEFT = ("Allotments", "Council tax bands", "Playgrounds", "Recycling points", "Ward boundaries")


def routes(_base: str, fault: str) -> dict[str, Response]:
    """Return the document."""
    return {PATH: catalogue(_entry(each) for each in SUBJECTS if not fault or each in LEFT)}


def _entry(subject: str) -> Entry:
    file = f"{HOST}/files/{subject.lower().replace(' ', '-')}.csv"
    about = f"{SUBJECTS[subject]} in Fernley, updated every quarter."
    box = "-2.41,52.70,-2.19,52.86"
    return entry(HOST, ORGANISATION, subject, about, files=[(file, "CSV")], box=box)
