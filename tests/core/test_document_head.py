"""The first bytes of a document."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import DocumentHead


def test_values_end_where_json_is_broken() -> None:
    head = DocumentHead(b'{"title": "Roads", "tags": [null, 2], LALA')
    assert head.keys() == {"title", "tags"}
    assert head.values["title"] == "Roads"
    assert (head.values["tags"], head.values["tags.item"]) == ("start_array", None)
