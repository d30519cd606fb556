"""A bus company's data.json: some of its entries cannot be imported, others lack something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.publisher import Response

from .entries import Entry, catalogue, count, entry

__all__ = ["CONFIG", "FAULTS", "ORGANISATION", "PATH", "TITLE", "count", "routes"]

TITLE = "Wend Valley Buses"
ORGANISATION = "Wend Valley Buses"
PATH = "/buses/data.json"
CONFIG: Mapping[str, Any] = {}
FAULTS: tuple[str, ...] = ()

HOST = "https://data.wendbuses.example"
SUBJECTS = {
    "Bus stops": "Stops with their names, codes and shelters.",
    "Timetables": "Departures at each stop, for weekdays and weekends.",
    "Fares": "Prices of single, return and season tickets.",
    "Punctuality": "Buses on time and late, by route and month.",
    "Passengers": "Boardings by stop and hour.",
    "Lost property": "What was found on buses, and what was collected.",
    "Park and ride": "Spaces at the park and ride sites.",
    "School routes": "Routes that run on school days only.",
}


def routes(_base: str, _fault: str) -> dict[str, Response]:
    """Return the document, the same in both states."""
    entries = [_entry(title, about) for title, about in SUBJECTS.items()]
    by_title = {each["title"]: each for each in entries}
    by_title["Fares"]["title"] = ""
    by_title["Lost property"]["identifier"] = by_title["Bus stops"]["identifier"]
    del by_title["Punctuality"]["license"]
    by_title["Passengers"]["modified"] = "last Tuesday"
    by_title["Park and ride"]["distribution"] = []
    del by_title["Park and ride"]["landingPage"]
    return {PATH: catalogue(entries)}


def _entry(title: str, about: str) -> Entry:
    file = f"{HOST}/files/{title.lower().replace(' ', '-')}.csv"
    return entry(HOST, ORGANISATION, title, about, files=[(file, "CSV")], keywords=["buses"])
