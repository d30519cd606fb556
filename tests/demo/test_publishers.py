"""Every source type has a publisher for the demo, and each shows its faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from demo.api import fetch
from demo.publishers import FAULTS, Served, load
from stack.console import StackError

from ckanext.ukharvest.source_types import TYPES
from tests.publisher import Publisher

Listing = list[Served]
Count = Callable[[str], Listing]


@pytest.fixture(params=sorted(TYPES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def count(kind: str, publisher: Publisher) -> Count:
    """Serve the type's publisher with a fault; return what it then lists."""

    def with_fault(fault: str) -> Listing:
        ours = load(kind)
        publisher.routes = dict(ours.routes(publisher.base, fault))
        return ours.count(fetch, publisher.url(ours.PATH))

    return with_fault


def _fault(kind: str, name: str) -> str:
    if name not in load(kind).FAULTS:
        pytest.skip(f"{kind} does not show {name}")
    return name


def test_a_type_without_a_publisher_is_told_where_to_add_one() -> None:
    with pytest.raises(StackError, match="add dev/demo/publishers/unheard_of"):
        load("unheard_of")


def test_all_records_are_readable_and_have_an_identity_of_their_own(count: Count) -> None:
    records = count("")
    assert records
    assert all(record.is_readable and record.title for record in records)
    assert len({record.guid for record in records}) == len(records)


def test_the_documents_are_the_same_whenever_they_are_asked_for(count: Count) -> None:
    assert count("") == count("")


def test_faults_are_known_ones(kind: str) -> None:
    assert set(load(kind).FAULTS) <= set(FAULTS)


def test_page2_500_cannot_be_read_to_the_end(kind: str, count: Count) -> None:
    with pytest.raises(OSError, match="500"):
        count(_fault(kind, "page2-500"))


def test_bad_record_spoils_one_record_and_no_other(kind: str, count: Count) -> None:
    bad = {record.guid: record for record in count(_fault(kind, "bad-record"))}
    good = {record.guid: record for record in count("")}
    assert bad.keys() == good.keys()
    changed = [guid for guid in good if bad[guid] != good[guid]]
    assert [bad[guid].is_readable for guid in changed] == [False]


def test_two_gone_leaves_out_two_and_changes_no_other(kind: str, count: Count) -> None:
    left = count(_fault(kind, "two-gone"))
    everything = count("")
    assert len(everything) - len(left) == 2
    assert [record for record in everything if record in left] == left
