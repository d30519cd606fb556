"""The manifest's facts about results of SPARQL, compared with the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact that does not hold, as a sentence: a saved result at best names datasets."""
    if "dataset" in facts.get("vars", ()):
        named = [each for each in outcome.records if "not described" in str(each.get("error"))]
        if len(named) != facts["rows"] or outcome.result["complete"]:
            yield f"{facts['rows']} named and not described, found {outcome.records}"
        return
    if facts["format"] in ("csv", "tsv"):
        words = "not JSON"
    elif "boolean" in facts:
        words = "an answer to ASK; expected results of SELECT"
    else:
        names = ", ".join(facts["vars"])
        words = f"variables {names}; expected dataset"
    found = [each["message"] for each in outcome.errors]
    if outcome.records or len(found) != 1 or words not in found[0]:
        yield f"refused with {words!r}, found {found} and {len(outcome.records)} records"
