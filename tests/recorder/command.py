"""The command line of both recorders: ``record`` writes a recording, ``compare`` compares two."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def parsers(program: str, doc: str | None, *more: str) -> tuple[argparse.ArgumentParser, ...]:
    """Return the parser of the command, and those of ``record`` and more for their own options."""
    parser = argparse.ArgumentParser(prog=program, description=doc)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = [commands.add_parser(name) for name in ("record", *more)]
    for each in writing:
        each.add_argument("out", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--all", action="store_true", help="not only the first of each kind")
    return (parser, *writing)


def write(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write the lines of a recording, each as soon as it is there."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
            file.flush()
