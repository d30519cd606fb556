"""The pages of docs/sources match the output of bin/docs."""

from __future__ import annotations

import pytest
from docs.pages import FOLDER, pages

from docs import export

PAGES = pages()


@pytest.mark.parametrize("name", sorted(path.name for path in PAGES))
def test_a_page_is_up_to_date(name: str) -> None:
    path = FOLDER / name
    assert path.is_file(), "run bin/docs"
    assert path.read_text(encoding="utf-8") == PAGES[path], "run bin/docs"


def test_no_page_is_left_over() -> None:
    assert set(FOLDER.glob("*.md")) == PAGES.keys()


def test_the_page_of_the_export_is_up_to_date() -> None:
    ((path, text),) = export.page().items()
    assert path.read_text(encoding="utf-8") == text, "run bin/docs"
