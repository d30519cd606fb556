"""The main facts of a record as it would be imported, as texts.

They are stored, shortened, in a preview's result, and printed by ``ukharvest check``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.reading.preview_result import Sample

Entry = Mapping[str, Any]

LONGEST = 300  # characters of a value
LONGEST_JSON = 2000
MOST = 40  # fields of a record; also resources
PROBLEMS = 10


def sample_of(entry: Entry, fate: str, change: str) -> Sample:
    """Return a record's sample.

    Args:
        entry: the record as ``records.as_entry`` returns it.
        fate, change: see ``Sample``.
    """
    problems = [
        {key: problem[key] for key in ("code", "line")}
        | {"message": shorten(problem["message"], LONGEST)}
        for problem in [*([entry["error"]] if "error" in entry else ()), *entry["problems"]]
    ]
    resources = entry["resources"]
    fields = [*facts(entry), *(entry.get("extras") or {}).items()]
    return {
        "title": shorten(entry["title"], 200),
        "guid": shorten(entry["guid"], 200),
        "url": entry.get("url", ""),
        "position": entry.get("position", ""),
        "fate": fate,
        "change": change,
        "formats": sorted({file["format"] or file["kind"] for file in resources} - {""}),
        "licence": _licence(entry),
        "problems": problems[:PROBLEMS],
        "problems_count": len(problems),
        "why": entry.get("skipped", ""),
        "fields": [[name, _cut(value)] for name, value in fields if _cut(value)][:MOST],
        "resources": [_resource(file) for file in resources[:MOST]],
        "resources_count": len(resources),
    }


def _cut(value: str) -> str:
    """Shorten a text; return "" for a JSON text that is too long, because half of it is useless."""
    if value[:1] in ("[", "{"):
        return value if len(value) <= LONGEST_JSON else ""
    return shorten(value, LONGEST)


def _licence(entry: Entry) -> str:
    licence = entry.get("licence") or {}
    return shorten(licence.get("title") or licence.get("id") or licence.get("url") or "", 100)


def _resource(resource: Entry) -> dict[str, str]:
    return {
        "name": shorten(resource["name"], 200),
        "url": shorten(resource["url"], LONGEST),
        "format": resource["format"],
        "kind": resource["kind"],
    }


def facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield names and values of a record's own fields, without extras; "" for one that it lacks."""
    yield "title", entry["title"]
    yield "notes", entry.get("notes", "")
    yield "guid", entry["guid"]
    yield "url", entry.get("url", "")
    for key in ("publisher", "contact", "author"):
        agent = entry.get(key) or {}
        yield key, " · ".join(filter(None, (agent.get("name"), agent.get("email"))))
    yield "licence", _licence(entry)
    yield "rights", entry.get("rights", "")
    for key in ("tags", "themes", "language", "translations", "schema_urls"):
        yield key, ", ".join(entry.get(key, ()))
    for key in ("frequency", "issued", "modified", "metadata_modified", "version"):
        yield key, entry.get(key, "")
    period = entry.get("temporal")
    yield "temporal", f"{period['start'] or '…'} – {period['end'] or '…'}" if period else ""
    yield "spatial", " · ".join(filter(None, (entry.get("spatial_text"), _box(entry))))


def _box(entry: Entry) -> str:
    geometry = entry.get("spatial")
    return ", ".join(f"{side:g}" for side in bounds(geometry)) if geometry else ""
