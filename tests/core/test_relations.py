"""Relations that records name."""

from __future__ import annotations

import json

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.relations import find_relations, replace_references


def test_associations_of_iso_name_wholes_and_parts() -> None:
    related = [
        {"identifier": "map", "association": "largerWorkCitation"},
        {"identifier": "sheet", "association": "isComposedOf"},
        {"identifier": "other", "association": "crossReference"},
    ]
    extras = {"aggregation-info": json.dumps(related), "is_part_of": "a, b"}
    record = DatasetRecord(guid="1", title="A", extras=extras, coupled=("rivers",))
    assert find_relations(record) == [
        ("operates_on", "rivers"),
        *(("is_part_of", name) for name in ("a, b", "a", "b", "map")),
        ("has_part", "sheet"),
    ]


def test_references_are_replaced_in_texts_and_lists() -> None:
    names = {"a": "https://b.example/1", "c, d": "https://b.example/2"}
    assert replace_references("a", names) == "https://b.example/1"
    assert replace_references("a, x", names) == "https://b.example/1, x"
    assert replace_references("c, d", names) == "https://b.example/2"
    assert replace_references('["a", "é"]', names) == '["https://b.example/1", "é"]'
    assert replace_references(["a"], names) == ["https://b.example/1"]
    assert replace_references("[odd", names) == "[odd"
