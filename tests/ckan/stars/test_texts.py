"""Reasons for stars, in words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ckan.stars.starred_datasets import make, show

pytestmark = pytest.mark.in_process


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param(
            {"license_id": ""},
            "0 out of 5: No licence. Choose one, such as the Open Government Licence",
            id="none",
        ),
        pytest.param(
            {"license_id": "cc-nc"},
            "0 out of 5: Licence that is not open (Creative Commons Non-Commercial (Any)). ",
            id="closed",
        ),
        pytest.param(
            {"license_id": "", "extras": [{"key": "licence", "value": '["Ask Bob", "© Us"]'}]},
            "0 out of 5: Unknown licence (Ask Bob). Give the URL of its text",
            id="unclear",
        ),
        pytest.param({"resources": []}, "0 out of 5: No data. Add a file", id="no-data"),
        pytest.param(
            {"resources": [{"url": "", "format": "CSV"}]},
            "0 out of 5: No data. Add a file",
            id="no-address",
        ),
    ],
)
def test_empty_list_is_described_in_words(fields: dict[str, Any], words: str) -> None:
    assert show(make(**{"resources": [{"url": "https://f.example/a.csv"}], **fields}))[
        "text"
    ].startswith(words)
