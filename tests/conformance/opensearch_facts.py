"""The manifest's facts about a page of results of OpenSearch, compared with the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence."""
    found = outcome.records
    if outcome.errors or len(found) != facts["records"]:
        yield f"{facts['records']} records, found {len(found)} and {outcome.errors}"
        return
    guids = [each["guid"] for each in found]
    if len(set(guids)) != facts["distinct_ids"]:
        yield f"{facts['distinct_ids']} identifiers, found {len(set(guids))}"
    for place, name in ((0, "first_id"), (-1, "last_id")):
        if guids[place] != facts[name]:
            yield f"{name} {facts[name]}, found {guids[place]}"
    if found[0]["title"] != facts["first_title"]:
        yield f"first title {facts['first_title']!r}, found {found[0]['title']!r}"
    is_complete = facts["totalResults"] == str(facts["distinct_ids"]) and not facts.get("next")
    reason = outcome.result["reason"]
    words = [] if is_complete else [f"of {facts['totalResults']} records", facts.get("next", "")]
    if outcome.result["complete"] != is_complete or not all(each in reason for each in words):
        yield f"{words or 'complete'}, found {reason!r}"
