"""Compare the datasets of a portal with the records that the publishers serve.

None of the extension's code is used: the publishers say from which records they made their
documents, and the portal is read through its API.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .api import Api, fetch
from .publishers import Served
from .runs import FIGURES, Row, Source

# Solr shows changes within a second; a slow machine gets more time.
INDEX_SECONDS = 15
# Reported differences of one kind: a few are enough to understand a fault of all datasets.
EXAMPLES = 3


class Expectation:
    """One source's expected datasets, run after run, on a portal that began empty."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.datasets: dict[str, Served] = {}
        self._lost: set[str] = set()

    def run(self) -> dict[str, int]:
        """Read the publisher; return the figures that a run over it should have."""
        records = self.source.publisher.served(self.source.server.control)
        if records is None:
            return {**dict.fromkeys(FIGURES, 0), "errored": 1}
        figures = Counter(self._outcome(record) for record in records)
        # A complete run without them deletes nothing yet: that takes two.
        figures["missing"] = len(set(self.datasets) - {record.guid for record in records})
        return {name: figures[name] for name in FIGURES}

    def _outcome(self, record: Served) -> str:
        if not record.is_readable:
            self._lost.add(record.guid)
            return "errored"
        before = self.datasets.get(record.guid)
        self.datasets[record.guid] = record
        if before is None:
            return "added"
        if before.raw == record.raw and record.guid not in self._lost:
            return "not modified"
        self._lost.discard(record.guid)
        return "updated"


def differences(api: Api, row: Row, expected: Expectation, figures: dict[str, int]) -> list[str]:
    """Return the differences after a run, one sentence each."""
    found = [*_figures(api, row, figures), *_datasets(api, expected)]
    if figures["errored"] and not row.messages:
        found.append("the job has an error and does not tell the reason")
    return [f"{row.source.kind}, {row.label}: {each}" for each in found]


def dead_links(api: Api, source: Source) -> list[str]:
    """Return differences between links of datasets that do not open, and the publisher's own."""
    urls = {each["url"] for dataset in api.datasets(source.id) for each in dataset["resources"]}
    dead = {url for url in urls if not _opens(url)}
    expected = {source.server.url + path for path in source.publisher.dead}
    return [f"{source.kind}: {each}" for each in _difference("dead links", dead, expected)]


def _opens(url: str) -> bool:
    try:
        fetch(url)
    except OSError:
        return False
    return True


def _figures(api: Api, row: Row, expected: Mapping[str, int]) -> Iterator[str]:
    """Check that every place shows the same figures of the last run."""
    jobs = api("harvest_job_list", source_id=row.source.id)
    status = api("harvest_source_show_status", id=row.source.id)
    places = {
        "harvest_job_show": row.figures,
        "harvest_job_list": max(jobs, key=lambda job: str(job["created"]))["stats"],
        "harvest_source_show_status": status["last_job"]["stats"],
    }
    for place, figures in places.items():
        for name in FIGURES:
            shown = figures.get(name, 0)
            if shown != expected[name]:
                yield f"{place}: {name} is {shown}, expected {expected[name]}"


def _datasets(api: Api, expected: Expectation) -> list[str]:
    """Compare the search's datasets with the expected ones, once the index is up to date."""
    deadline = time.monotonic() + INDEX_SECONDS
    while True:
        datasets = list(api.datasets(expected.source.id))
        found = list(_compare(datasets, expected.datasets.values()))
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


def _compare(datasets: list[dict[str, Any]], served: Iterable[Served]) -> Iterator[str]:
    wanted = {record.guid: record for record in served}
    if len(datasets) != len(wanted):
        yield f"package_search finds {len(datasets)} datasets, expected {len(wanted)}"
    by_guid = {_extras(each).get("guid", ""): each for each in datasets}
    yield from _difference("identifiers", set(by_guid), set(wanted))
    titles = {each["title"] for each in datasets}
    yield from _difference("titles", titles, {record.title for record in wanted.values()})
    wrong: dict[str, list[str]] = {}
    for guid in sorted(set(by_guid) & set(wanted)):
        for what, found, should in _facts(by_guid[guid], wanted[guid]):
            if found != should:
                wrong.setdefault(what, []).append(f"{guid}: {what} is {found!r}, not {should!r}")
    for what, sentences in wrong.items():
        yield from sentences[:EXAMPLES]
        if len(sentences) > EXAMPLES:
            yield f"{what} is wrong in {len(sentences) - EXAMPLES} more"


def _difference(what: str, found: set[str], wanted: set[str]) -> Iterator[str]:
    for verb, some in (("lack", wanted - found), ("have too much", found - wanted)):
        if some:
            yield f"{what} {verb} {len(some)}, such as {min(some)!r}"


def _facts(dataset: dict[str, Any], record: Served) -> Iterator[tuple[str, Any, Any]]:
    extras = _extras(dataset)
    urls = {resource["url"] for resource in dataset["resources"]}
    yield "title", dataset["title"], record.title
    yield "the set of resource URLs", sorted(urls), sorted(record.urls)
    yield "license_id", dataset.get("license_id", ""), record.licence
    for name, value in record.extras.items():
        yield f"the extra {name}", extras.get(name, ""), value
    if record.box:
        yield "the box around spatial", _box(extras.get("spatial", "")), tuple(record.box)


def _extras(dataset: dict[str, Any]) -> dict[str, str]:
    """Return the extras, and the fields that the dataset form shows instead of extras."""
    fields = {
        name: " ".join(value) if isinstance(value, list) else value
        for name, value in dataset.items()
        if isinstance(value, str)
        or (isinstance(value, list) and all(isinstance(each, str) for each in value))
    }
    extras = {extra["key"]: extra["value"] for extra in dataset.get("extras", [])}
    return {**fields, **extras}


def _box(text: str) -> tuple[float, ...] | None:
    if not text:
        return None
    points = list(_points(json.loads(text)["coordinates"]))
    pick: tuple[Callable[[Iterable[float]], float], ...] = (min, max)
    (west, east), (south, north) = ([f(p[i] for p in points) for f in pick] for i in (0, 1))
    return west, south, east, north


def _points(coordinates: list[Any]) -> Iterator[list[float]]:
    if coordinates and isinstance(coordinates[0], (int, float)):
        yield coordinates
        return
    for each in coordinates:
        yield from _points(each)
