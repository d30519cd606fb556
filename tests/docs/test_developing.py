"""The example in docs/developing.md works: its code is run as it is printed."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.source_types import COMMON_OPTIONS, SourceType
from docs import codes
from tests.publisher import Publisher

PAGE = (codes.ROOT / "docs" / "developing.md").read_text(encoding="utf-8")
CODE = dict(re.findall(r"<!-- (\S+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
LISTS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


def run(name: str) -> ModuleType:
    module = ModuleType(name)
    exec(compile(CODE[name], name, "exec"), vars(module))  # noqa: S102 - our own page
    return module


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> SourceType:
    parks = run("parsers/parks.py")
    monkeypatch.setitem(sys.modules, "ckanext.ukharvest.parsers.parks", parks)
    found: SourceType = run("source_types/parks.py").PARKS
    return found


def test_the_example_reads_its_list(
    kind: SourceType, publisher: Publisher, http: HttpClient
) -> None:
    publisher.serve("/parks.json", LISTS[0], headers={"Content-Type": "application/json"})
    given = options.validate({}, (*kind.options, *COMMON_OPTIONS))
    source = Source(publisher.url("/parks.json"), given, http)
    reading = Reading(unique(kind.reader.records(source)))
    (raw,) = reading
    assert reading.ending is not None
    assert reading.ending.complete
    record = kind.parser.parse(raw, {})
    assert (record.guid, record.title, record.notes) == ("p1", "Wold Park", "Trees of the park.")
    assert [resource.url for resource in record.resources] == ["https://parks.example/p1.csv"]
    assert record.problems == ()


def test_what_a_record_lacks_is_a_problem(kind: SourceType) -> None:
    record = kind.parser.parse(RawRecord("p2", '{"id": "p2", "name": "Moor"}'), {})
    assert [(each.code, each.field) for each in record.problems] == [("missing-field", "about")]


def test_the_plugin_is_named_as_its_line_says() -> None:
    assert "class ParksHarvester(UkHarvester)" in CODE["harvesters/parks.py"]
    assert "ckanext.ukharvest.harvesters.parks:ParksHarvester" in PAGE
