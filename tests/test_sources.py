"""Recorded publishers: read and parsed records match expected.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check
from ckanext.ukharvest.source_types import TYPES
from tests.publisher import SOURCES, recorded

CASES = sorted(folder.parent.name for folder in SOURCES.glob("*/source.json"))


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_publisher_arrives_as_expected(
    case: str, http: HttpClient, pytestconfig: pytest.Config
) -> None:
    source = json.loads((SOURCES / case / "source.json").read_text(encoding="utf-8"))
    with recorded(case) as publisher:
        check = Check(
            TYPES[source["type"]], publisher.url(source["path"]), source["options"], http=http
        )
        text = json.dumps(check.as_dict(list(check)), ensure_ascii=False)
        found = _without_blanks(json.loads(publisher.neutral(text)))
    file = SOURCES / case / "expected.json"
    if pytestconfig.getoption("update"):
        text = json.dumps(found, ensure_ascii=False, indent=2, sort_keys=True)
        file.write_text(text + "\n", encoding="utf-8")
    assert found == json.loads(file.read_text(encoding="utf-8"))


def _without_blanks(value: Any) -> Any:
    """Omit empty values, so that expected.json only has content."""
    if isinstance(value, dict):
        pruned = {key: _without_blanks(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if item not in ("", None, [], {})}
    if isinstance(value, list):
        return [_without_blanks(item) for item in value]
    return value
