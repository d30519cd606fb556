"""The datasets of a fictional borough, as Explore API 2.1 shows them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

# Title, description, keyword, theme, whether the rows have a place.
_TOPICS = (
    ("Bus stops", "Shelter, raised kerb and timetable.", "buses", "Transport", True),
    ("Street lights", "Type and height of each column.", "lighting", "Transport", True),
    ("Council spending", "Payments of more than £500.", "spending", "Government", False),
    ("School places", "Places and first choices.", "schools", "Education", False),
    ("Air quality", "Nitrogen dioxide by month.", "air", "Environment", True),
    ("Library loans", "Loans by branch and month.", "libraries", "Culture", False),
)
_YEARS = range(2016, 2026)
BOX = (-1.9, 52.4, -1.7, 52.6)
_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"


def datasets() -> list[dict[str, Any]]:
    """Return all datasets, always in the order of their ids."""
    found = [_dataset(*topic, year) for topic in _TOPICS for year in _YEARS]
    return sorted(found, key=lambda each: str(each["dataset_id"]))


def _dataset(
    title: str, text: str, keyword: str, theme: str, has_place: bool, year: int
) -> dict[str, Any]:
    name = f"{title.lower().replace(' ', '-')}-{year}"
    modified = datetime(2026, 2, 1, 8, tzinfo=UTC) + timedelta(days=year - 2016)
    default = {
        "title": f"{title} {year}",
        "description": f"<p>{title} of the borough in {year}. {text}</p>",
        "keyword": [keyword, "marlbeck"],
        "theme": [theme],
        "license": "Open Government Licence v3.0",
        "license_url": _OGL,
        "language": "en",
        "publisher": "Marlbeck Borough Council",
        "modified": modified.isoformat(),
        "records_count": 1200 + year,
        "data_processed": modified.isoformat(),
        "metadata_processed": modified.isoformat(),
    }
    if has_place:
        default["bbox"] = {"type": "Feature", "geometry": _box(), "properties": {}}
    plan = {"id": "notes_pdf", "title": "Notes.pdf", "mimetype": "application/pdf"}
    return {
        "visibility": "domain",
        "dataset_id": name,
        "dataset_uid": f"da_{name.encode().hex()[-8:]}{year}",
        "has_records": True,
        "data_visible": True,
        "features": ["geo", "analyze"] if has_place else ["analyze"],
        "attachments": [{**plan, "url": "odsfile://notes.pdf"}] if year % 2 else [],
        "alternative_exports": [],
        "metas": {
            "default": default,
            "dcat": {
                "contact_name": "Open data team",
                "contact_email": "opendata@marlbeck.example",
                "issued": f"{year + 1}-04-01",
                "accrualperiodicity": "Annual",
                "temporal": f"{year}-01-01/{year}-12-31",
            },
        },
    }


def _box() -> dict[str, Any]:
    west, south, east, north = BOX
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}
