"""The comparison of bin/demo --once: the expected portal and the actual one."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from demo import expectation
from demo.expectation import dead_links, differences
from demo.publishers import Served
from demo.runs import FIGURES, Row, table

from tests.publisher import Publisher


def _served(guid: str, **fields: Any) -> Served:
    values = {"title": f"Title of {guid}", "urls": frozenset({f"http://x/{guid}"})}
    return Served(guid, **{**values, **fields})


class _Source(SimpleNamespace):
    """A harvest source whose publisher lists what a test puts there."""

    def __init__(self) -> None:
        super().__init__(id="1", kind="data_json", url="http://x/", title="X")
        self.records: list[Served] = [_served("a")]
        self.publisher = SimpleNamespace(served=lambda _control: self.records)
        self.server = SimpleNamespace(control="http://x/_control")


@pytest.fixture
def source() -> _Source:
    return _Source()


def _figures(**figures: int) -> dict[str, int]:
    named = {name.replace("_", " "): number for name, number in figures.items()}
    return {**dict.fromkeys(FIGURES, 0), **named}


class _Api:
    """A portal with some datasets and one job."""

    def __init__(self, datasets: list[dict[str, Any]], figures: dict[str, int]) -> None:
        self._datasets = datasets
        self._figures = figures

    def datasets(self, _source_id: str) -> Iterator[dict[str, Any]]:
        yield from self._datasets

    def __call__(self, action: str, **_fields: Any) -> Any:
        job = {"created": "2026-01-01", "stats": self._figures}
        return [job] if action == "harvest_job_list" else {"last_job": job}


def _dataset(guid: str, **fields: Any) -> dict[str, Any]:
    return {
        "title": f"Title of {guid}",
        "resources": [{"url": f"http://x/{guid}"}],
        "extras": [{"key": "guid", "value": guid}],
        **fields,
    }


def _compared(source: _Source, dataset: dict[str, Any], **shown: int) -> list[str]:
    row = Row(source, "first", _figures(**shown), 1.0, ())  # type: ignore[arg-type]
    return differences(_Api([dataset], _figures(**shown)), row, "added")  # type: ignore[arg-type]


def test_nothing_differs_when_all_is_there(source: _Source) -> None:
    assert _compared(source, _dataset("a"), added=1) == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"title": "Other"}, "a: titles lack 1, such as 'Title of a'"),
        ({"resources": []}, "a: resource URLs lack 1, such as 'http://x/a'"),
        ({"extras": []}, "identifiers lack 1, such as 'a'"),
    ],
    ids=["title", "resources", "identifier"],
)
def test_demo_check_names_each_difference(
    source: _Source, fields: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectation, "INDEX_SECONDS", 0)
    found = _compared(source, _dataset("a", **fields), added=1)
    assert f"data_json, first: {sentence}" in found


def test_wrong_figure_is_reported_for_each_place(source: _Source) -> None:
    found = _compared(source, _dataset("a"), added=2)
    assert [each.split(": ", 1)[1] for each in found] == [
        f"{place}: added is 2, expected 1"
        for place in ("harvest_job_show", "harvest_job_list", "harvest_source_show_status")
    ]


@pytest.mark.parametrize(
    ("dead", "sentences"),
    [
        ("/gone.csv", []),
        (
            "/other.csv",
            ["data_json: dead links lack 1, such as '{}/other.csv'"]
            + ["data_json: dead links have too much 1, such as '{}/gone.csv'"],
        ),
    ],
    ids=["on purpose", "by mistake"],
)
def test_only_links_dead_on_purpose_may_not_open(
    source: _Source, publisher: Publisher, dead: str, sentences: list[str]
) -> None:
    publisher.serve("/a.csv", "a,b\n")
    source.server.url, source.publisher.dead = publisher.base, (dead,)
    resources = [{"url": publisher.url(path)} for path in ("/a.csv", "/gone.csv")]
    api = _Api([_dataset("a", resources=resources)], {})
    expected = [sentence.format(publisher.base) for sentence in sentences]
    assert dead_links(api, source) == expected  # type: ignore[arg-type]


def test_the_table_has_a_line_for_each_run_and_the_reasons_below(source: _Source) -> None:
    rows = [
        Row(source, "first", _figures(added=3), 12.6, ()),  # type: ignore[arg-type]
        Row(source, "again", _figures(errored=1), None, ("It broke.",)),  # type: ignore[arg-type]
    ]
    lines = table(rows).splitlines()
    assert lines[0].split()[:3] == ["source", "type", "run"]
    assert lines[0].split()[-2:] == ["errors", "records/s"]
    assert lines[1].split() == ["X", "data_json", "first", "3", "0", "0", "0", "0", "0", "13"]
    assert lines[2].split() == ["X", "data_json", "again", "0", "0", "0", "0", "0", "1"]
    assert lines[3:] == ["  data_json, again: It broke."]
