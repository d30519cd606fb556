"""The manifest's facts about a CSW answer, compared with the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence."""
    if "children" in facts:
        yield from _records(facts, outcome)
        return
    found = [error["message"] for error in outcome.errors]
    words = [_without_mark(each) for each in _refusal(facts)]
    if outcome.records or len(found) != 1 or not all(each in found[0] for each in words):
        yield f"refused with {words!r}, found {found} and {len(outcome.records)} records"


def _refusal(facts: dict[str, Any]) -> list[str]:
    """Return the text that the only error has to contain."""
    if facts["root"] == "ExceptionReport":
        said = facts["text"].rstrip(".")  # the quotation goes on in our own sentence
        return [f"{facts['exceptionCode']} ({facts['locator']}): {said}"]
    if facts["root"] == "Capabilities":
        return ["Capabilities", f"'{facts['title']}'"]
    return ["SOAP", *facts["body"]]


def _records(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    found = outcome.records
    count = sum(facts["children"].values())
    guids = [record["guid"] for record in found]
    # An empty answer is an error of the source, not of a record.
    expected = [] if count else ["no-records"]
    if [error["code"] for error in outcome.errors] != expected or len(found) != count:
        yield f"{count} records, found {len(found)} and {outcome.errors}"
        return
    if len(set(guids)) != facts["distinct_ids"]:
        yield f"{facts['distinct_ids']} identifiers, found {len(set(guids))}"
    if found and (guids[0], guids[-1]) != (facts["first_id"], facts["last_id"]):
        yield f"from {facts['first_id']} to {facts['last_id']}, found {guids}"
    if found and not _is_title(facts["first_title"], found[0]):
        yield f"first title {facts['first_title']!r}, found {found[0]['title']!r}"
    yield from _totals(facts, count, outcome)


def _is_title(expected: str, record: dict[str, Any]) -> bool:
    """Tell whether the title matches; a listed record has it in its place."""
    return record["title"] == expected or f"'{expected}'" in record["position"]


def _totals(facts: dict[str, Any], count: int, outcome: Outcome) -> Iterator[str]:
    """Check that a page that is not the last says so, with the numbers."""
    complete, reason = outcome.result["complete"], outcome.result["reason"]
    if "matched" not in facts:
        if complete or "GetRecordById" not in reason:
            yield f"not complete, found {complete}: {reason}"
        return
    matched, following = int(facts["matched"]), int(facts["nextRecord"])
    words = [] if count == matched else [f" holds {count} of {matched} records"]
    words += [f" begins at {following}"] if following else []
    # Records of Dublin Core are only names: the reader asks for each in a format that it parses.
    words += (
        ["content is elsewhere"] if any("elsewhere" in record for record in outcome.records) else []
    )
    if complete == bool(words) or not all(each in reason for each in words):
        yield f"{words or 'complete'}, found {complete}: {reason}"


def _without_mark(text: str) -> str:
    """Remove the mark of a text that the manifest cut."""
    return text.removesuffix("…")
