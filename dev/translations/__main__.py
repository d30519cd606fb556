"""Write the template for translators, or with --check tell whether it is out of date."""

from __future__ import annotations

import argparse
import sys

from .catalogue import POT, ROOT, written


def main() -> int:
    parser = argparse.ArgumentParser("bin/translations", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if old")
    is_check = parser.parse_args().check
    text = written()
    if POT.is_file() and POT.read_text(encoding="utf-8") == text:
        return 0
    print(f"{'out of date' if is_check else 'written'}: {POT.relative_to(ROOT)}")
    if not is_check:
        POT.parent.mkdir(parents=True, exist_ok=True)
        POT.write_text(text, encoding="utf-8")
    return 1 if is_check else 0


sys.exit(main())
