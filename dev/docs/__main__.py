"""Write pages and a table of the help page; --check prints those out of date."""

from __future__ import annotations

import argparse
import sys

from .pages import FOLDER, codes_by_type, export_page, pages


def main() -> int:
    parser = argparse.ArgumentParser("bin/docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if old")
    is_check = parser.parse_args().check
    made = {**pages(), **codes_by_type(), **export_page()}
    there = set(FOLDER.glob("*.md")) if FOLDER.is_dir() else set()
    old = [path for path, text in made.items() if not path.is_file() or path.read_text() != text]
    old += there - made.keys()
    for path in sorted(old):
        print(f"{'out of date' if is_check else 'written'}: {path.relative_to(FOLDER.parents[1])}")
        if is_check:
            continue
        if path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    return 1 if is_check and old else 0


sys.exit(main())
