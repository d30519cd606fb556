"""The manifest's facts about a GEMINI record, compared with the outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome

# Fact → extra. Unreadable values are reported as a problem and kept unchanged.
EXTRAS = {
    "hierarchyLevel": "resource-type",
    "dateStamp": "metadata-date",
    "parent": "parent-identifier",
}
SIDES = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence."""
    if "FGDC" in facts["root"]:
        yield from _refused("FGDC record, not ISO/GEMINI", outcome.errors, outcome.records)
        return
    if outcome.errors or len(outcome.records) != 1:
        yield f"one record, found {outcome.records} and {outcome.errors}"
        return
    (record,) = outcome.records
    if "fileIdentifier" not in facts:
        error = record.get("error") or {"message": "nothing"}
        yield from _refused("gmd:fileIdentifier is missing", [error], [])
        return
    if "error" in record:
        yield f"lost: {record['error']['message']}"
        return
    yield from _texts(facts, record)
    yield from _keywords(facts["keywords"], record)
    yield from _links(facts, record)
    yield from _box(facts.get("bbox_wsen"), record)


def _refused(words: str, errors: list[dict[str, Any]], records: list[Any]) -> Iterator[str]:
    messages = [error["message"] for error in errors]
    if records or not any(words in message for message in messages):
        yield f"refused with {words!r}, found {messages} and {len(records)} records"


def _texts(facts: dict[str, Any], record: dict[str, Any]) -> Iterator[str]:
    expected = {"guid": facts["fileIdentifier"], "title": facts["title"]}
    found = {"guid": record["guid"], "title": record["title"]}
    for fact, extra in EXTRAS.items():
        if fact in facts:
            expected[extra], found[extra] = facts[fact], record["extras"].get(extra, "")
    if "standard" in facts:
        names = ("metadata-standard-name", "metadata-standard-version")
        expected |= dict(zip(names, facts["standard"], strict=True))
        found |= {name: record["extras"].get(name, "") for name in names}
    for name, text in expected.items():
        if text != found[name]:
            yield f"{name}: {text!r}, found {found[name]!r}"


def _keywords(expected: int, record: dict[str, Any]) -> Iterator[str]:
    groups = json.loads(record["extras"].get("keywords", "[]"))
    found = sum(len(group["keywords"]) for group in groups)
    if found != expected:
        yield f"{expected} keywords, found {found}"


def _links(facts: dict[str, Any], record: dict[str, Any]) -> Iterator[str]:
    """Compare links; the manifest counts all of the distribution, a distributor's page too.

    Links that are no URLs, or are repeated, are reported and make no resource.
    """
    urls = [resource["url"] for resource in record["resources"]]
    distributors = json.loads(record["extras"].get("distributor", "[]"))
    pages = [each["url"] for each in distributors if "url" in each]
    codes = [problem["code"] for problem in record["problems"] if problem["field"] == "gmd:linkage"]
    told = sum(code in ("bad-url", "repeated-link") for code in codes)
    if len(urls) + len(pages) + told != facts["online"]:
        yield f"{facts['online']} links, found {len(urls)}, {told} reported, {len(pages)} pages"
    first = facts.get("first_url", "")
    if first and not any(_starts(first, url) for url in (*urls[:1], *pages)):
        yield f"first link {first}, found {urls[:1]}"


def _starts(expected: str, url: str) -> bool:
    """Compare URLs; the manifest truncates long ones."""
    return url == expected or (expected[-1] == "…" and url.startswith(expected[:-1]))


def _box(expected: list[str] | None, record: dict[str, Any]) -> Iterator[str]:
    """Compare boxes: the manifest has the first; a record with several has the hull, and all."""
    found = [float(record["extras"][side]) for side in SIDES if side in record["extras"]]
    wanted = [float(text) for text in expected or ()]
    spatial = record["spatial"] or {}
    parts = spatial["coordinates"] if spatial.get("type") == "MultiPolygon" else []
    if wanted and wanted not in (found, *(_bounds(part[0]) for part in parts)):
        yield f"box {expected}, found {found}"


def _bounds(ring: list[list[float]]) -> list[float]:
    longitudes, latitudes = zip(*ring, strict=True)
    return [min(longitudes), min(latitudes), max(longitudes), max(latitudes)]
