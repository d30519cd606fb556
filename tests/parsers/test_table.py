"""Tables of rows: a value arrives where its row says, by the reader that the row names."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import Fields
from ckanext.ukharvest.parsers.table import row

RAW = RawRecord("a")


def read(data: dict[str, Any], *rows: table.Row, **more: Any) -> DatasetRecord:
    problems: list[Problem] = []
    return table.read_record(
        RAW, "Roads", rows, Fields(data, problems), problems, **{"needed": {}, **more}
    )


def test_a_row_fills_its_field_or_extra() -> None:
    record = read(
        {"about": "All <b>roads</b>", "kind": "map"},
        row("about", "notes", table.paragraph),
        row("kind", "extra dcat_type", table.words),
        row("kind", "extra absent", lambda _node, _names: ""),
    )
    assert (record.notes, dict(record.extras)) == ("All roads", {"dcat_type": "map"})


def test_the_first_row_with_a_value_counts() -> None:
    rows = (row("first", "notes", table.text), row("second", "notes", table.text))
    assert read({"second": "b"}, *rows).notes == "b"
    assert read({"first": "a", "second": "b"}, *rows).notes == "a"


def test_a_reader_can_give_several_targets() -> None:
    def words(node: Fields, names: table.Names) -> table.Several:
        first, second = node.text(names[0]).split()
        return table.Several(tags=(first,), extras={"second": second})

    record = read({"words": "road rail"}, row("words", "tags, extra second", words))
    assert (record.tags, dict(record.extras)) == (("road",), {"second": "rail"})


def test_names_of_a_row_are_those_of_the_documentation() -> None:
    item = row("dc:publisher eop:Sensor/eop:type", "publisher", table.agent, prefix="metas.")
    assert item.source == ("metas.dc:publisher", "metas.eop:Sensor/eop:type")
    assert item.names == ("publisher", "Sensor/type")


def test_a_missing_field_is_reported_under_its_name() -> None:
    needed = {"notes": ("about", "what the data is")}
    (problem,) = read({}, row("about", "notes", table.text), needed=needed).problems
    assert (problem.code, problem.field) == ("missing-field", "about")
    assert problem.message == "about: missing; expected what the data is"


def test_unread_fields_become_extras() -> None:
    assert read({}, unread=lambda _barren: [("note", "x"), ("id", "y")]).extras == {
        "note": "x",
        "original_id": "y",
    }


def test_field_in_an_odd_shape_is_kept_unless_reported() -> None:
    rows = (row("a", "notes", table.text), row("b", "issued", table.date))
    asked: list[set[str]] = []
    read({"a": {"@odd": 1}, "b": "soon"}, *rows, unread=lambda barren: asked.append(barren) or ())
    assert asked == [{"a"}]


@pytest.mark.parametrize(
    ("reported", "kept"),
    [
        ("a", False),
        ("dc:a", False),
        ("a.b", False),
        ("a[0].b", False),
        ("a[2]/b", False),
        ("files[0].a", True),
        ("ab", True),
        ("ba", True),
        ("", True),
    ],
)
def test_report_of_another_field_hides_no_odd_value(reported: str, kept: bool) -> None:  # noqa: FBT001
    def report(node: Fields, _names: table.Names) -> str:
        node.report("bad-url", reported, "no URL")
        return ""

    rows = (row("files", "notes", report), row("a", "url", table.text))
    asked: set[str] = set()
    read({"a": {"@odd": 1}}, *rows, unread=lambda barren: asked.update(barren) or ())
    assert ("a" in asked) is kept


def test_a_required_text_that_is_missing_is_an_error() -> None:
    assert table.require(RAW, "Roads", "title", "missing-title") == "Roads"
    with pytest.raises(ParseError, match="this record has no title; expected title") as caught:
        table.require(RAW, "", "title", "missing-title")
    assert caught.value.code == "missing-title"


@pytest.mark.parametrize(
    ("data", "agent"),
    [
        ([], None),
        (["Ann", "https://a.example"], Agent("Ann", "", "https://a.example")),
        (["Ann", "Bob", "Ann"], Agent("Ann; Bob")),
    ],
)
def test_an_agent_is_one_of_all_names(data: list[str], agent: Agent | None) -> None:
    assert read({"by": data}, row("by", "publisher", table.agent)).publisher == agent


def test_dates_are_read_in_order_until_one_is_found() -> None:
    record = read({"a": "soon", "b": "2024-05-31"}, row("a b", "issued", table.date))
    assert (record.issued, [each.field for each in record.problems]) == ("2024-05-31", ["a"])
