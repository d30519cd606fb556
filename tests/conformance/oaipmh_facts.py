"""The manifest's facts about a response of OAI-PMH, compared with the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence."""
    if facts.get("records"):
        yield from _records(facts, outcome)
        return
    found = [error["message"] for error in outcome.errors]
    words = _refusal(facts)
    if outcome.records or len(found) != 1 or not all(each in found[0] for each in words):
        yield f"refused with {words!r}, found {found} and {len(outcome.records)} records"


def _refusal(facts: dict[str, Any]) -> list[str]:
    """Return the texts that the only error has to contain."""
    if facts.get("root"):
        return [f"<{facts['root'].rpartition('}')[2]}>", "expected OAI-PMH"]
    if facts.get("errors"):
        (error,) = facts["errors"]
        code, _, said = error.removesuffix("…").partition(": ")
        if code == "noRecordsMatch":  # no error of the protocol, but nothing to read
            return ["the source lists no records"]
        return ["refused the request", code, said.strip()]
    (verb,) = facts["verb"]
    counts = [facts[each] for each in ("headers", "sets") if each in facts]
    return [f"an answer of {verb}", "expected an answer of ListRecords", *map(str, counts)]


def _records(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    found = outcome.records
    count = facts["records"]
    if outcome.errors or len(found) != count:
        yield f"{count} records, found {len(found)} and {outcome.errors}"
        return
    # A deleted record without an identifier is an error.
    deleted = [each for each in found if each.get("deleted") or not each["guid"]]
    if len(deleted) != facts.get("deleted", 0):
        yield f"{facts.get('deleted', 0)} deleted, found {len(deleted)}"
    guids = [each["guid"] for each in found]
    expected = facts.get("distinct_ids", len(set(guids)))
    if len(set(guids)) != expected:
        yield f"{expected} identifiers, found {len(set(guids))}"
    for place, name in ((0, "first_id"), (-1, "last_id")):
        if facts.get(name) and guids[place] != facts[name]:
            yield f"{name} {facts[name]}, found {guids[place]}"
    title = facts.get("first_dc_title", "").removesuffix("…")
    titles = [each["title"] for each in found if not each.get("deleted") and each["guid"]]
    if not any(each.startswith(title) for each in titles[:1]):
        yield f"first title {title!r}, found {titles[:1]}"
    yield from _totals(facts, count, outcome)


def _totals(facts: dict[str, Any], count: int, outcome: Outcome) -> Iterator[str]:
    """Check that a page that is not the last says so, with the numbers."""
    complete, reason = outcome.result["complete"], outcome.result["reason"]
    if facts["verb"] == ["GetRecord"]:
        words = ["GetRecord, which does not list other records"]
    else:
        token = facts.get("resumptionToken", "")
        words = [f" holds {count:,} of ", f"resumptionToken {token}"] if token else []
    if complete == bool(words) or not all(each in reason for each in words):
        yield f"{words or 'complete'}, found {complete}: {reason}"
