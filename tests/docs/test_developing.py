"""The example in docs/developing.md works: its code is run as it is printed."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord, Reading, Source
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from ckanext.ukharvest.testing import contract
from docs import codes
from tests.publisher import Publisher
from tests.publishing.service import fixed

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


def test_example_source_type_reads_its_list(
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
    (resource,) = record.resources
    assert (resource.url, resource.format) == ("https://parks.example/p1.csv", "CSV")
    assert record.licence is not None
    assert record.licence.id == "uk-ogl"
    assert record.spatial is not None
    assert record.problems == ()


def test_example_reports_missing_and_wrong_fields(kind: SourceType) -> None:
    text = (
        '{"id": "p2", "name": "Moor", "file": "javascript:alert(1)", "terms": "Ask us", '
        '"box": ["here"]}'
    )
    record = kind.parser.parse(RawRecord("p2", text), {})
    assert {(each.code, each.field) for each in record.problems} == {
        ("missing-field", "about"),
        ("bad-url", "file"),
        ("unknown-licence", "terms"),
        ("bad-spatial", "box"),
    }
    assert record.resources == ()


# The tests of one type that need only these fixtures.
CONTRACT = [
    contract.test_a_type_says_what_it_is,
    contract.test_all_records_come_with_identity_and_title,
    contract.test_reading_twice_gives_the_same_identities_and_fingerprints,
    contract.test_a_change_in_one_record_changes_its_fingerprint_alone,
    contract.test_a_record_without_title_is_lost_alone,
    contract.test_parsing_never_fails_in_another_way,
]


@pytest.mark.parametrize("test", CONTRACT, ids=lambda test: test.__name__)
def test_the_example_passes_the_contract(
    test: Callable[..., None],
    kind: SourceType,
    publisher: Publisher,
    http: HttpClient,
) -> None:
    serve = fixed(run("tests/publishing/parks.py").PARKS)
    given = {"kind": kind, "serve": serve, "publisher": publisher, "http": http}
    test(**{name: given[name] for name in inspect.signature(test).parameters})


def test_example_rows_read_further_fields() -> None:
    parks = run("parsers/parks.py")
    exec(compile(CODE["field"], "field", "exec"), vars(parks))  # noqa: S102 - our own page
    text = '{"id": "p", "name": "P", "changed": "2024-05-01", "language": "en", "warden": "Ann"}'
    record = parks.parse(RawRecord("p", text), {})
    assert (record.modified, record.language) == ("2024-05-01", ("en",))
    assert record.extras["warden"] == "Ann"
