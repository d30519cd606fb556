"""Each fault of a publisher's answers, played to each source type.

Every read ends by itself with an error of ours that names the URL, the cause and what was sent, and
no dataset counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import REPAIRED
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import SourceType
from tests.conftest import LOOPBACK
from tests.contract import SERVERS
from tests.publisher import Publisher, Response, Route
from tests.publishers.reading import ReadResult, read
from tests.publishing.faults import FAULTS, PATIENT, Fault, body_of, play
from tests.publishing.records import items

MOST_REQUESTS = 60  # for six records on two pages, with retries and other interfaces
# Where a fault is played: at all addresses, or at the last one of the read.
PLACES = ("everywhere", "late")
AT_ONCE = 16
# In messages of libxml2 and oxigraph about documents that are cut off.
OF_LIBRARIES = ("attvalue", "specification mandates", "expected '>'", "unexpected end", "''")


def _no_wait(_seconds: float) -> None:
    """Do not wait between two attempts."""


@dataclass
class Cell:
    """A publisher of a source type, the place of its faults, and what it serves without one.

    Attributes:
        late: the address whose answer is faulty; "" for all.
        known: identities of its records.
    """

    kind: SourceType
    late: str
    publisher: Publisher
    url: str
    known: set[str]
    routes: dict[str, Route]


@pytest.fixture(scope="module")
def cells() -> Iterator[list[Cell]]:
    with ExitStack() as stack:
        yield [
            _make_cell(name, place, stack.enter_context(Publisher()))
            for name in sorted(TYPES)
            for place in PLACES
        ]


def _make_cell(type_name: str, place: str, publisher: Publisher) -> Cell:
    served = SERVERS[type_name](publisher, items(6))
    url = publisher.url(served.path)
    with HttpClient(Guard(LOOPBACK), PATIENT) as http:
        known = read(TYPES[type_name], url, http, set()).guids
    assert len(known) == 6
    late = "/waf/5.xml" if type_name == "gemini-waf" else served.late_path
    late = late if place == "late" else ""
    return Cell(TYPES[type_name], late, publisher, url, known, publisher.routes)


def _faults_of(cell: Cell, fault: Fault) -> list[str]:
    """Play one fault to one type; return what is wrong with the outcome."""
    cell.publisher.routes = cell.routes.copy()
    play(fault, cell.publisher, cell.late)
    cell.publisher.requests.clear()
    with HttpClient(Guard(LOOPBACK), fault.limits, sleep=_no_wait) as http:
        result = read(cell.kind, cell.url, http, cell.known)
    number = len(cell.publisher.requests)
    wrong = [f"{number} requests"] if number > MOST_REQUESTS else []
    return [*wrong, *_wrong(fault, cell, result)]


def _wrong(fault: Fault, cell: Cell, result: ReadResult) -> Iterator[str]:
    plan = result.plan
    if plan.missing or plan.delete or plan.held:
        yield f"datasets count as missing: {plan}"
    is_whole = result.guids == cell.known and not result.lost
    if not (fault.is_read and is_whole) and result.ending and result.ending.complete:
        yield "the read counts as complete"
    if not cell.late and not fault.is_read and result.guids:
        yield f"records were read: {result.guids}"
    if not fault.causes and is_whole:
        return
    told = [message.lower() for message in result.messages if cell.publisher.base in message]
    if not any(map(fault.is_named_in, told)):
        yield f"no message names the URL, the cause and what was sent: {result.messages}"
    if any("<b>" in message or not message.isprintable() for message in told):
        yield f"a message has markup or control characters: {told}"
    if any(words in message for message in told for words in OF_LIBRARIES):
        yield f"a message has words of a library, or a quotation in quotes: {told}"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_read_ends_with_url_and_cause_and_deletes_nothing(
    fault: Fault, cells: list[Cell]
) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = pool.map(lambda cell: _faults_of(cell, fault), cells)
    wrong = {f"{c.kind.name} {c.late}": found for c, found in zip(cells, results, strict=True)}
    assert {name: found for name, found in wrong.items() if found} == {}


# Types whose records are in XML.
XML_TYPES = ("gemini-csw", "gemini-single", "gemini-waf", "inventory", "oaipmh", "opensearch")


def _with_small_fault(response: Response) -> Response:
    body = body_of(response).replace(b"description.", b"A & B \x0bdescription.", 1)
    return replace(response, body=body)


SMALL = Fault("small-fault-of-syntax", _with_small_fault, (), is_read=True)


@pytest.mark.timeout(120)
def test_recovered_page_is_read_and_deletes_nothing(cells: list[Cell]) -> None:
    for cell in (each for each in cells if each.kind.name in XML_TYPES):
        cell.publisher.routes = cell.routes.copy()
        known = {*cell.known, "gone"}
        with HttpClient(Guard(LOOPBACK), PATIENT, sleep=_no_wait) as http:
            before = read(cell.kind, cell.url, http, known)
            play(SMALL, cell.publisher, cell.late)
            result = read(cell.kind, cell.url, http, known)
        assert result.guids == cell.known, cell.kind.name
        assert before.ending is not None
        assert result.ending is not None
        assert (before.ending.problems, before.plan.missing) == ((), ("gone",)), cell.kind.name
        assert (result.ending.complete, result.plan.missing) == (False, ()), cell.kind.name
        repaired = [each for each in result.ending.problems if each.code == REPAIRED]
        assert repaired, cell.kind.name
        assert all(each.line and cell.publisher.base in each.message for each in repaired)
