"""The documentation stays short: all words of docs/ are counted, those of tables and code too."""

from __future__ import annotations

from docs import codes

FOLDER = codes.ROOT / "docs"
MOST_WORDS = 59_800
LARGEST = 10  # pages that a failure names


def test_documentation_is_short() -> None:
    words = {
        path.relative_to(FOLDER).as_posix(): len(path.read_text(encoding="utf-8").split())
        for path in FOLDER.rglob("*.md")
    }
    total = sum(words.values())
    largest = sorted(words.items(), key=lambda page: -page[1])[:LARGEST]
    listed = ", ".join(f"{name} {number:,}" for name, number in largest)
    assert total <= MOST_WORDS, f"{total:,} words; the largest pages: {listed}"
