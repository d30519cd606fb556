"""Find records that a source lists under new identifiers, by their titles and files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from ckanext.ukharvest.mapping.kept_fields import key_of

FEWEST = 2  # pairs that suggest changed identifiers; one may be chance


class RecordFacts(NamedTuple):
    """A record, as far as it can be recognised without its identifier.

    Attributes:
        title: "" if it is not known.
        urls: of its resources.
        keys: match keys of its resources.
    """

    guid: str
    title: str
    urls: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Pair(NamedTuple):
    """A missing record, and the new one that is probably the same dataset."""

    old: RecordFacts
    new: RecordFacts


def enough(pairs: int, missing: int) -> bool:
    """Tell whether so many pairs among the missing records suggest that identifiers changed."""
    return pairs >= FEWEST and 2 * pairs >= missing


def match(missing: Sequence[RecordFacts], new: Sequence[RecordFacts]) -> list[Pair]:
    """Return the pairs of records with the same title or file.

    Only evidence that one missing and one new record alone have counts: a title such as
    "Untitled", or a service that many datasets share, says nothing.
    """
    pairs: list[Pair] = []
    old_left, new_left = list(missing), list(new)
    for evidence in (_titles_with_files, _titles, _files):
        certain = _unique_pairs(old_left, new_left, evidence)
        pairs += certain
        taken = {guid for pair in certain for guid in (pair.old.guid, pair.new.guid)}
        old_left = [record for record in old_left if record.guid not in taken]
        new_left = [record for record in new_left if record.guid not in taken]
    return pairs


Evidence = Callable[[RecordFacts], Collection[Hashable]]


def _unique_pairs(
    old: Iterable[RecordFacts], new: Iterable[RecordFacts], evidence: Evidence
) -> list[Pair]:
    of_new = _by_value(new, evidence)
    pairs: dict[str, Pair] = {}
    taken: set[str] = set()
    for value, records in _by_value(old, evidence).items():
        others = of_new.get(value, ())
        if len(records) != 1 or len(others) != 1:
            continue
        pair = Pair(records[0], others[0])
        if pair.old.guid not in pairs and pair.new.guid not in taken:
            pairs[pair.old.guid] = pair
            taken.add(pair.new.guid)
    return list(pairs.values())


def _by_value(
    records: Iterable[RecordFacts], evidence: Evidence
) -> dict[Hashable, list[RecordFacts]]:
    by_value: dict[Hashable, list[RecordFacts]] = {}
    for record in records:
        for value in evidence(record):
            by_value.setdefault(value, []).append(record)
    return by_value


def _titles_with_files(record: RecordFacts) -> Collection[Hashable]:
    return [(title, file) for title in _titles(record) for file in _files(record)]


def _titles(record: RecordFacts) -> Collection[Hashable]:
    title = " ".join(record.title.casefold().split())
    return [title] if title else []


def _files(record: RecordFacts) -> Collection[Hashable]:
    """Return the URLs of a record's files, without the scheme and volatile parameters."""
    urls = (key_of("", url).partition("://")[2] for url in record.urls)
    return list(dict.fromkeys(filter(None, urls)))
