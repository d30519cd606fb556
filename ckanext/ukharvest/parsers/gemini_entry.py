"""What the modules that read a GEMINI record are given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.parsers.iso_node import IsoNode


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what is known of it before its fields are read.

    Attributes:
        record: the root (``gmd:MD_Metadata`` or its kin).
        identification: the first one, which rules where a record has several; an empty node if
            there is none.
        guid: the record's identity.
        url: where it was read.
        options: the source's validated options.
    """

    record: IsoNode
    identification: IsoNode
    guid: str
    url: str
    options: Mapping[str, Any]


def without_blanks(values: Mapping[str, str]) -> dict[str, str]:
    """The values that say something, by their names."""
    return {name: value for name, value in values.items() if value}


def listed(values: Iterable[Any]) -> str:
    """A JSON list of what is not empty, each once; "" for none."""
    found = dict.fromkeys(json.dumps(each, ensure_ascii=False) for each in values if each)
    return f"[{', '.join(found)}]" if found else ""


def several(values: Iterable[str]) -> str:
    """One text as it is, several as a JSON list."""
    found = tuple(dict.fromkeys(filter(None, values)))
    return found[0] if len(found) == 1 else listed(found)
