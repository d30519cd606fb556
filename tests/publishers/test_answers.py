"""Each fault of a publisher's answers, played to each source type.

Every read ends by itself with an error of ours that names the URL and the cause, and no dataset
counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.source_types import TYPES
from tests.conftest import LOOPBACK
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishers.reading import ReadResult, read
from tests.publishing.faults import FAULTS, PATIENT, Fault, play
from tests.publishing.records import items

MOST_REQUESTS = 60  # for six records on two pages, with retries and other interfaces
# Where a fault is played: at all addresses, or at the last one of the read.
PLACES = ("everywhere", "late")
AT_ONCE = 16


def _no_wait(_seconds: float) -> None:
    """Do not wait between two attempts."""


def _faults_of(type_name: str, place: str, fault: Fault) -> Iterator[str]:
    """Play one fault to one type; yield what is wrong with the outcome."""
    kind = TYPES[type_name]
    with Publisher() as publisher:
        served = SERVERS[type_name](publisher, items(6))
        url = publisher.url(served.path)
        with HttpClient(Guard(LOOPBACK), PATIENT) as http:
            known = read(kind, url, http, set()).guids
        assert len(known) == 6
        late = "/waf/5.xml" if type_name == "gemini-waf" else served.late_path
        play(fault, publisher, late if place == "late" else "")
        publisher.requests.clear()
        with HttpClient(Guard(LOOPBACK), fault.limits, sleep=_no_wait) as http:
            result = read(kind, url, http, known)
        if len(publisher.requests) > MOST_REQUESTS:
            yield f"{len(publisher.requests)} requests"
        yield from _wrong(fault, place, result, known, publisher.base)


def _wrong(
    fault: Fault, place: str, result: ReadResult, known: set[str], base: str
) -> Iterator[str]:
    plan = result.plan
    if plan.missing or plan.delete or plan.held:
        yield f"datasets count as missing: {plan}"
    is_whole = result.guids == known and not result.lost
    if not (fault.is_read and is_whole) and result.ending and result.ending.complete:
        yield "the read counts as complete"
    if place == "everywhere" and not fault.is_read and result.guids:
        yield f"records were read: {result.guids}"
    if not fault.causes and is_whole:
        return
    told = [message for message in result.messages if base in message]
    if not any(cause in message.lower() for message in told for cause in fault.causes):
        yield f"no message names the URL and the cause: {result.messages}"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_read_ends_with_url_and_cause_and_deletes_nothing(fault: Fault) -> None:
    cells = [(name, place) for name in sorted(TYPES) for place in PLACES]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda cell: list(_faults_of(*cell, fault)), cells))
    wrong = {cell: faults for cell, faults in zip(cells, found, strict=True) if faults}
    assert not wrong
