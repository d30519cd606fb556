"""Every source type has a publisher in the demo."""

from __future__ import annotations

import pytest
from demo import catalogue
from demo.api import fetch
from demo.publishers import CONTROL, described
from demo.serve import Site, Stage

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types import TYPES
from tests.publisher import Publisher
from tests.publishers.reading import read


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_each_record_that_is_announced_is_read(
    kind: str, publisher: Publisher, http: HttpClient
) -> None:
    Stage(kind, publisher)
    control = publisher.url(CONTROL)
    (ours,) = described(control)
    options = {name: value for name, value in ours.config.items() if name != "full_check_days"}
    found = read(TYPES[kind], publisher.url(ours.path), http, set(), options)
    guids = [each.guid for each in ours.served(control)]
    assert len(guids) == len(set(guids)) > 0
    assert found.guids == set(guids)
    assert not found.lost
    assert found.ending is not None
    assert found.ending.complete


def test_each_source_type_has_an_organisation() -> None:
    assert set(catalogue.ORGANISATIONS) == set(TYPES)
    with pytest.raises(SystemExit, match="add its line to ORGANISATIONS"):
        Site("unheard_of", "http://x")


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
