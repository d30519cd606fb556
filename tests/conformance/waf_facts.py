"""The manifest's facts about a folder's saved page, whose linked files are missing."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename, dirname
from typing import Any

from tests.conformance.running import Outcome


def differences(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Yield each fact about links and sub-folders that does not hold, as a sentence."""
    files = [record["url"] for record in outcome.records if record["url"].endswith(".xml")]
    found = list(dict.fromkeys(files))
    if len(found) != facts["distinct_xml"]:
        yield f"{facts['distinct_xml']} files, found {found}"
    for place, name in ((0, facts.get("first_xml")), (-1, facts.get("last_xml"))):
        if name and (not found or basename(found[place]) != basename(name)):
            yield f"{('first', 'last')[place]} file {name}, found {found[place : place + 1]}"
    if not found:
        yield from _words(facts, outcome)
    told = " ".join(each["message"] for each in (*outcome.result["problems"], *outcome.errors))
    for folder in _below(facts):
        if folder not in told:
            yield f"the sub-folder {folder} is not named in: {told}"


def _below(facts: dict[str, Any]) -> Iterator[str]:
    """Return the sub-folders; the manifest counts parents as well, which have whole paths."""
    here = dirname(facts.get("first_xml", "")) + "/"
    for name in facts.get("subdirs", ()):
        if not name.startswith("/"):
            yield name
        elif here != "/" and name.startswith(here) and name != here:
            yield name.removeprefix(here)


def _words(facts: dict[str, Any], outcome: Outcome) -> Iterator[str]:
    """Check that the page is refused without its files, or because its links are other things."""
    if outcome.status == 0 or not (outcome.errors or outcome.records):
        yield "no word about a page without files"
    for error in outcome.errors:
        if f"has {facts['links']} links" not in error["message"]:
            yield f"{facts['links']} links, found {error['message']}"
