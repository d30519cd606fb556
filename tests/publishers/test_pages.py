"""Pages that do not fit together, for each source type that has pages.

A type that is one document has none; why other cells cannot occur is in ``EXPECTED``.
"""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.readers import walk
from ckanext.ukharvest.source_types import TYPES
from tests.conftest import LOOPBACK
from tests.publisher import Publisher
from tests.publishers.reading import ReadResult, read
from tests.publishing import SERVICES
from tests.publishing.faults import PATIENT
from tests.publishing.listing import FAULTY, GOOD

MOST_PAGES = 40

STOPPED = "the read stops with an error"
NOT_PROVEN = "the read ends, and counts as incomplete"
ALL_READ = "every record is read, and none is missing"
# The protocol has no total, so that one read cannot tell a short list from a shorter catalogue.
# Nothing is deleted at the first such run: the record has to be missing from the next one as well.
MISSING_ONCE = "records count as missing once, and none is deleted"
WITHOUT_TOTAL = {"data_json": MISSING_ONCE, "gemini-waf": MISSING_ONCE}

# By fault: the usual outcome, and those of types whose protocol shows less or more.
EXPECTED: dict[str, tuple[str, dict[str, str]]] = {
    "pages-for-ever": (STOPPED, {"gemini-waf": ALL_READ}),  # the option depth ends it
    "pages-for-ever-and-says-how-many": (
        STOPPED,
        # A count of its own is believed: what is shown behind that number is not requested.
        {"gemini-waf": ALL_READ, "gemini-csw": NOT_PROVEN, "sparql": ALL_READ},
    ),
    "repeats": (NOT_PROVEN, WITHOUT_TOTAL),
    "announces-too-many": (NOT_PROVEN, {"data_json": ALL_READ, "gemini-waf": ALL_READ}),
    "announces-too-few": (
        NOT_PROVEN,
        # Links, and lists that go on until an empty page, lead to all records whatever the total.
        dict.fromkeys(("data_json", "dcat_rdf", "dkan", "gemini-waf"), ALL_READ),
    ),
    "announces-ever-more": (
        NOT_PROVEN,
        dict.fromkeys(("data_json", "dkan", "gemini-waf", "sparql"), ALL_READ),
    ),
    "changes-between-pages": (NOT_PROVEN, WITHOUT_TOTAL),
    "goes-empty-between-pages": (NOT_PROVEN, WITHOUT_TOTAL),
}


@pytest.fixture(autouse=True)
def _few_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take 40 pages for endless, not 10,000."""
    monkeypatch.setattr(walk, "MAX_PAGES", MOST_PAGES)


def test_every_type_and_every_fault_is_in_the_table() -> None:
    assert set(SERVICES) == set(TYPES)
    assert set(EXPECTED) == set(FAULTY)


PAGED = [name for name in sorted(SERVICES) if SERVICES[name].is_paged]
CELLS = [(fault, name) for fault in FAULTY for name in PAGED]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("fault", "type_name"), CELLS)
def test_odd_pages_end_and_delete_nothing(fault: str, type_name: str, publisher: Publisher) -> None:
    kind, service = TYPES[type_name], SERVICES[type_name]
    with HttpClient(Guard(LOOPBACK), PATIENT, sleep=lambda _seconds: None) as http:
        url = publisher.url(service.serve(publisher, GOOD))
        known = read(kind, url, http, set(), service.options).guids
        assert len(known) == 6
        service.serve(publisher, FAULTY[fault])
        result = read(kind, url, http, known, service.options)
    usual, others = EXPECTED[fault]
    expected = others.get(type_name, usual)
    assert _outcome(result, known) == expected
    if expected in (STOPPED, NOT_PROVEN):
        assert any(publisher.base in message for message in result.messages)


def _outcome(result: ReadResult, known: set[str]) -> str:
    plan = result.plan
    assert not plan.delete
    assert not plan.held
    if plan.missing:
        return MISSING_ONCE
    if result.stopped is not None:
        return STOPPED
    assert result.ending is not None
    if not result.ending.complete:
        return NOT_PROVEN
    assert result.guids >= known
    return ALL_READ
