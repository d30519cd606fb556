"""Compare the datasets of a portal with the records that the publishers serve.

None of the extension's code is used: the publishers say from which records they made their
documents, and the portal is read through its API.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from .api import Api, fetch
from .publishers import Served
from .runs import FIGURES, Row, Source

# Solr shows changes within a second; a slow machine gets more time.
INDEX_SECONDS = 15


def differences(api: Api, row: Row, figure: str) -> list[str]:
    """Return the differences after a run, one sentence each.

    Args:
        figure: what all records have become, such as "added".
    """
    served = {each.guid: each for each in row.source.publisher.served(row.source.server.control)}
    figures = {**dict.fromkeys(FIGURES, 0), figure: len(served)}
    found = [*_figures(api, row, figures), *_datasets(api, row.source, served)]
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


def _datasets(api: Api, source: Source, served: Mapping[str, Served]) -> list[str]:
    """Compare the search's datasets with the served records, once the index is up to date."""
    deadline = time.monotonic() + INDEX_SECONDS
    while True:
        shown = {_guid(each): each for each in api.datasets(source.id)}
        found = [*_difference("identifiers", set(shown), set(served))]
        for guid in sorted(shown.keys() & served.keys()):
            urls = {each["url"] for each in shown[guid]["resources"]}
            found += _difference(f"{guid}: titles", {shown[guid]["title"]}, {served[guid].title})
            found += _difference(f"{guid}: resource URLs", urls, set(served[guid].urls))
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


def _guid(dataset: dict[str, Any]) -> str:
    extras = {extra["key"]: extra["value"] for extra in dataset.get("extras", [])}
    return str(extras.get("guid", ""))


def _difference(what: str, found: set[str], wanted: set[str]) -> Iterator[str]:
    for verb, some in (("lack", wanted - found), ("have too much", found - wanted)):
        if some:
            yield f"{what} {verb} {len(some)}, such as {min(some)!r}"
