"""A thousand datasets through the real queue, and consumers that survive every fault."""

from __future__ import annotations

import itertools

import pytest

from tests.ckan.harvesting import Consumers, Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process  # the consumers are each test's own

PATH = "/data.json"


def test_documents_that_break_the_parser_end_no_consumer(
    portal: Portal, publisher: Publisher, ini: str
) -> None:
    values = {
        "number of more than 1,000 characters": "9" * 500_000,
        "more than 100 levels deep": "[" * 100_000,
    }
    with Consumers(ini, fetchers=0) as consumers:
        for number, (type_, words) in enumerate(itertools.product(("data_json", "ckan"), values)):
            value = values[words]
            listed = f'"dataset": [{{"identifier": {value}}}]'
            path = f"/{number}.json"
            publisher.serve(path, f'{{{listed}, "success": true, "result": {value}}}')
            job = consumers.run(portal.source(publisher.url(path), type_))
            assert consumers.are_alive, (type_, words)
            assert job["ukharvest"]["outcome"] == "failed"
            (error,) = job["gather_error_summary"]
            assert words in error["message"]
            assert publisher.url(path) in error["message"]
