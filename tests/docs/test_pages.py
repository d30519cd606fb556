"""The pages of docs/sources match the output of bin/docs."""

from __future__ import annotations

from docs.pages import FOLDER, export_page, pages


def test_pages_of_source_types_are_up_to_date() -> None:
    made = pages()
    assert set(FOLDER.glob("*.md")) == made.keys()
    stale = [path.name for path in made if path.read_text(encoding="utf-8") != made[path]]
    assert stale == [], "run bin/docs"


def test_the_page_of_the_export_is_up_to_date() -> None:
    ((path, text),) = export_page().items()
    assert path.read_text(encoding="utf-8") == text, "run bin/docs"
