"""Compare the manifest's facts with the output of ``check``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.conformance import (
    csw_facts,
    gemini_facts,
    oaipmh_facts,
    ods_facts,
    opensearch_facts,
    sparql_facts,
    waf_facts,
)
from tests.conformance.manifest import Sample
from tests.conformance.running import Outcome

# Kind of document → source type. Kinds that are missing belong to types that do not exist yet.
TYPE_OF = {
    "ckan": "ckan",
    "csw": "gemini-csw",
    "datajson": "data_json",
    "dcat": "dcat_rdf",
    "dkan": "dkan",
    "gemini": "gemini-single",
    "inventory": "inventory",
    "oaipmh": "oaipmh",
    "sparql": "sparql",
    "ods": "ods",
    "opensearch": "opensearch",
    "waf": "gemini-waf",
}

# Answers of interfaces about other things than datasets, by a part of the file's name.
NOT_DATASETS = ("organization_", "group_", "-groups", "-orgs", "resource_show")

# Base that the manifest used for relative URIs; a file alone has none.
BASE = "http://holdout.invalid/"


def differences(sample: Sample, outcome: Outcome) -> Iterator[str]:
    """Yield each of the manifest's facts that does not hold, as a sentence."""
    facts, found = sample.facts, outcome.records
    if sample.kind == "waf":
        yield from waf_facts.differences(facts, outcome)
    elif sample.kind == "gemini":
        yield from gemini_facts.differences(facts, outcome)
    elif sample.kind == "oaipmh":
        yield from oaipmh_facts.differences(facts, outcome)
    elif sample.kind == "sparql":
        yield from sparql_facts.differences(facts, outcome)
    elif sample.kind == "ods":
        yield from ods_facts.differences(facts, outcome)
    elif sample.kind == "opensearch":
        yield from opensearch_facts.differences(facts, outcome)
    elif sample.kind == "csw":
        yield from csw_facts.differences(facts, outcome)
    elif "first_dataset_uri" in facts or "triples" in facts:
        yield from _graph(facts, found)
    elif "datasets" in facts:
        yield from _count(facts["datasets"], found)
        yield from _distinct(facts.get("distinct_ids", facts.get("unique_ids")), found)
        yield from _ends(
            found,
            facts.get("first_identifier", facts.get("first_id")),
            facts.get("last_identifier", facts.get("last_id")),
        )
        yield from _title(facts.get("first_title"), found)
    else:
        yield from _answer(sample, outcome)


def _answer(sample: Sample, outcome: Outcome) -> Iterator[str]:
    """Compare an answer of a JSON interface."""
    facts, found = sample.facts, outcome.records
    if "results" in facts:
        first = facts.get("first", facts.get("first_id"))
        first = first if not isinstance(first, dict) else first["id"] or ""
        yield from _count(facts["results"], found)
        yield from _distinct(facts.get("unique_ids"), found)
        yield from _ends(found, first, None)
        yield from _title(facts.get("first_title"), found)
    elif any(part in sample.name for part in NOT_DATASETS):
        yield from _nothing(outcome)
    elif facts["type"] == "list result":
        yield from _count(facts["n"], found)
        yield from _ends(found, facts["first"], facts["last"])
    elif facts.get("id") or facts.get("identifier"):
        identifier = facts.get("id") or facts["identifier"]
        yield from _count(1, found)
        yield from _ends(found, identifier, identifier)
        yield from _title(facts["title"], found)
    else:
        yield from _nothing(outcome)


def _graph(facts: dict[str, Any], found: list[dict[str, Any]]) -> Iterator[str]:
    """Compare a graph, which has no order: search for the manifest's first record."""
    yield from _count(facts["datasets"], found)
    by_guid = {_behind_base(record["guid"]): record["title"] for record in found}
    uri, title = facts.get("first_dataset_uri"), facts.get("first_title")
    if uri and _behind_base(uri) not in by_guid:
        yield f"no record has the identifier {uri}, but {sorted(by_guid)}"
    elif title and not any(_same(title, each) for each in _candidates(by_guid, uri)):
        yield f"title of {uri or 'the first'}: {title!r}, found {_candidates(by_guid, uri)!r}"


def _candidates(by_guid: dict[str, str], uri: str | None) -> list[str]:
    return [by_guid[_behind_base(uri)]] if uri else list(by_guid.values())


def _behind_base(uri: str) -> str:
    for base in (BASE, "file:///"):
        uri = uri.removeprefix(base)
    return uri


def _nothing(outcome: Outcome) -> Iterator[str]:
    """Tell whether all was refused, or only names were given, which look the same."""
    arrived = [record for record in outcome.records if "error" not in record and record["title"]]
    if arrived:
        yield f"no dataset in it, found {[record['title'] for record in arrived]}"


def _count(expected: int, found: list[dict[str, Any]]) -> Iterator[str]:
    if len(found) != expected:
        yield f"{expected} records, found {len(found)}"


def _distinct(expected: int | None, found: list[dict[str, Any]]) -> Iterator[str]:
    guids = {record["guid"] for record in found} - {""}
    if expected is not None and len(guids) != expected:
        yield f"{expected} identifiers, found {len(guids)}"


def _ends(found: list[dict[str, Any]], first: Any, last: Any) -> Iterator[str]:
    for place, expected in ((0, first), (-1, last)):
        guid = found[place]["guid"] if found else None
        if isinstance(expected, dict):
            # An identifier of several parts: the guid is made of them.
            expected = guid if str(expected["notation"]) in str(guid) else expected
        if expected is not None and guid != expected:
            yield f"{('first', 'last')[place]} identifier {expected!r}, found {guid!r}"


def _title(expected: Any, found: list[dict[str, Any]]) -> Iterator[str]:
    title = found[0]["title"] if found else None
    if expected is not None and not _same(expected, title):
        yield f"first title {expected!r}, found {title!r}"


def _same(expected: Any, found: Any) -> bool:
    """Compare texts without blanks; the manifest cuts long ones."""
    expected, found = (" ".join(str(text).split()) for text in (expected, found))
    return found == expected or (expected[-1:] == "…" and found.startswith(expected[:-1]))
