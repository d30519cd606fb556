"""The manifest of the real documents: the kind and contents of each."""

from __future__ import annotations

import csv
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest needs it

_KEY = re.compile(r"(?:^|; )(\w+)=")
_WORDS = {"True": True, "False": False, "None": None}


@dataclass(frozen=True)
class Sample:
    """One document: its path below the folder, and its facts."""

    name: str
    facts: dict[str, Any]

    @property
    def kind(self) -> str:
        return self.name.partition("/")[0]


def read(folder: Path) -> list[Sample]:
    """Return every document of the manifest that is in the folder."""
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    samples = (Sample(row["file"], facts(row["expected facts"])) for row in rows)
    return [sample for sample in samples if (folder / sample.name).is_file()]


def load_toml(name: str) -> dict[str, Any]:
    """Return the contents of a file of this folder."""
    return tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def facts(text: str) -> dict[str, Any]:
    """Parse ``a=1; b="x"; c={"d": 2}`` into keys and values; a value that was cut stays text."""
    found = {}
    start = 0
    while match := _KEY.match(text, start):
        found[match[1]], start = _value(text, match.end())
    return found


def _value(text: str, start: int) -> tuple[Any, int]:
    for word, value in _WORDS.items():
        if text.startswith(word, start):
            return value, start + len(word)
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        following = _KEY.search(text, start)
        end = following.start() if following else len(text)
        return text[start:end], end
