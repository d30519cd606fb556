"""Lists of values as plain files, which a portal can replace by newer ones.

A list is a CSV file in ``ckanext/ukharvest/vocabularies``. Its head is lines such as
``# licence: Open Government Licence v3.0`` (title, source, licence, attribution, date), then come
the names of the columns, then the entries.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

BUNDLED = Path(__file__).parent.parent / "vocabularies"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A list of values.

    Attributes:
        name: the file's name without its ending.
        about: what its head says: "title", "source", "licence", "attribution", "date".
        rows: the entries, column → text, in the file's order.
    """

    name: str
    about: Mapping[str, str]
    rows: tuple[Mapping[str, str], ...]


def load(name: str) -> Vocabulary:
    """Return a list by its name; an unknown name is a KeyError."""
    return _read(BUNDLED / f"{name}.csv")


@lru_cache(maxsize=32)
def _read(path: Path) -> Vocabulary:
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = [line[1:].partition(":") for line in lines if line.startswith("#")]
    about = {key.strip(): value.strip() for key, _colon, value in heads}
    body = [line for line in lines if not line.startswith("#")]
    return Vocabulary(path.stem, about, tuple(csv.DictReader(body)))
