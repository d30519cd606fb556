"""Every source type has a publisher in the demo, and each shows its faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from demo import catalogue
from demo.api import fetch
from demo.publishers import CONTROL, FAULTS, Served, described
from demo.serve import Site, Stage

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types import TYPES
from tests.publisher import Publisher
from tests.publishers.reading import ReadResult, read

Show = Callable[[str], tuple[list[Served] | None, ReadResult]]


@pytest.fixture(params=sorted(TYPES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def show(kind: str, publisher: Publisher, http: HttpClient) -> Show:
    """Serve the type's publisher with a fault; return what it says it serves, and what is read."""
    stage = Stage(kind, publisher)

    def with_fault(fault: str) -> tuple[list[Served] | None, ReadResult]:
        stage.show(fault)
        control = publisher.url(CONTROL)
        (ours,) = described(control)
        options = {name: value for name, value in ours.config.items() if name != "full_check_days"}
        found = read(TYPES[kind], publisher.url(ours.path), http, set(), options)
        return ours.served(control), found

    return with_fault


def _fault(kind: str, name: str) -> str:
    if name not in catalogue.ORGANISATIONS[kind].faults:
        pytest.skip(f"{kind} does not show {name}")
    return name


def _guids(served: list[Served] | None) -> set[str]:
    assert served
    return {each.guid for each in served if each.is_readable}


def test_each_source_type_has_an_organisation() -> None:
    assert set(catalogue.ORGANISATIONS) == set(TYPES)
    assert all(set(each.faults) <= set(FAULTS) for each in catalogue.ORGANISATIONS.values())
    with pytest.raises(SystemExit, match="add its line to ORGANISATIONS"):
        Site("unheard_of", "http://x")


def test_each_record_that_is_announced_is_read(show: Show) -> None:
    served, found = show("")
    assert served
    assert len(_guids(served)) == len(served)
    assert found.guids == _guids(served)
    assert not found.lost
    assert found.ending is not None
    assert found.ending.complete


def test_no_publisher_with_a_broken_page_is_read(kind: str, show: Show) -> None:
    served, found = show(_fault(kind, "page2-500"))
    assert served is None
    assert found.stopped is not None
    assert "500" in found.stopped.message


def test_bad_record_is_the_only_one_that_fails(kind: str, show: Show) -> None:
    served, found = show(_fault(kind, "bad-record"))
    everything, _found = show("")
    assert served
    assert everything
    assert [each.is_readable for each in served].count(False) == 1
    assert found.guids == _guids(served)
    assert len(found.lost) == 1
    assert len([each for each in served if each not in everything]) == 1


def test_two_gone_leaves_out_two_records(kind: str, show: Show) -> None:
    served, found = show(_fault(kind, "two-gone"))
    everything, _found = show("")
    assert served
    assert everything
    assert len(everything) - len(served) == 2
    assert all(each in everything for each in served)
    assert found.guids == _guids(served)


def test_only_one_link_of_all_publishers_is_dead(publisher: Publisher) -> None:
    dead = []
    for name in catalogue.ORGANISATIONS:
        Stage(name, publisher)
        for record in catalogue.records(name, publisher.base):
            for url in (record.page, *(each.url for each in record.distributions)):
                try:
                    assert not url or fetch(url)
                except FileNotFoundError:
                    dead.append(url)
    assert dead == [publisher.url(f"/files/{catalogue.DEAD}-archive.csv")]
