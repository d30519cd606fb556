"""The manifest's facts about an answer of Opendatasoft, compared with the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence."""
    found = outcome.records
    expected = facts.get("ids", [facts.get("datasetid")])
    guids = [each["guid"] for each in found]
    if outcome.errors or guids != expected:
        yield f"identifiers {expected}, found {guids} and {outcome.errors}"
        return
    titles = [each["title"] for each in found if not each.get("skipped")]
    title = facts.get("first_title", facts.get("title"))
    if titles and title not in titles[:1]:
        yield f"first title {title!r}, found {titles[:1]}"
    has_records = facts.get("has_records", [])
    has_records = has_records if isinstance(has_records, list) else [has_records]
    files = facts.get("attachments", 0)
    for record, has in zip(found, has_records, strict=True):
        # One without records, files and links is skipped, and no other of the samples.
        if bool(record.get("skipped")) != (not has and not files):
            yield f"has_records {has} of {record['guid']}, found {record.get('skipped')!r}"
    total = facts.get("nhits", facts.get("datasets", 1))
    is_whole = total == len(found)
    if outcome.result["complete"] != is_whole:
        yield f"{total} announced of {len(found)}, found {outcome.result['complete']}"
