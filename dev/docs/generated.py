"""Generated files: write those that are out of date, or with --check only list them; tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MADE = "<!-- Made by bin/docs from the code; edit that, and run it again. -->"


def write(
    program: str, about: str | None, made: Mapping[Path, str | bytes], there: Set[Path]
) -> int:
    """Write the files of a command, and return its exit code.

    Args:
        made: contents of each file.
        there: files that are removed, unless they are among them.
    """
    parser = argparse.ArgumentParser(program, description=about)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if old")
    is_check = parser.parse_args().check
    files = {path: item.encode() if isinstance(item, str) else item for path, item in made.items()}
    old = [path for path in files if not path.is_file() or path.read_bytes() != files[path]]
    old += there - files.keys()
    for path in sorted(old):
        print(f"{'out of date' if is_check else 'written'}: {path.relative_to(ROOT)}")
        if not is_check and path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[path])
        elif not is_check:
            path.unlink()
    return 1 if is_check and old else 0


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Return the lines of a table; markup in the cells is escaped."""
    yield " | ".join(head)
    yield "|".join(["---"] * len(head))
    for row in rows:
        yield " | ".join(map(escape, row)).rstrip()


def escape(text: str) -> str:
    """Return a text with its markup escaped."""
    text = text.replace("|", "&#124;")
    # Within backticks a bracket is no markup, and would be shown as "&lt;".
    return text if text.startswith("`") else text.replace("<", "&lt;")


def prose(name: str) -> str:
    """Return what people wrote for a page, in Markdown."""
    return (ROOT / "dev" / "docs" / "texts" / f"{name}.txt").read_text(encoding="utf-8")
