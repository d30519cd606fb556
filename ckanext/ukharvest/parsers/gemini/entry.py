"""The input of the modules that read a GEMINI record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, and what is known before its fields are read.

    Attributes:
        record: the root (``gmd:MD_Metadata`` or its kin).
        identification: the first one, which is used if a record has several; an empty node if there
            is none.
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
    """Return the values that are not empty, by name."""
    return {name: value for name, value in values.items() if value}


def json_list(values: Iterable[Any]) -> str:
    """Return a JSON list of the values that are not empty, without repeats; "" for none."""
    found = dict.fromkeys(json.dumps(each, ensure_ascii=False) for each in values if each)
    return f"[{', '.join(found)}]" if found else ""


def text_or_list(values: Iterable[str]) -> str:
    """Return one text unchanged, several as a JSON list."""
    found = tuple(dict.fromkeys(filter(None, values)))
    return found[0] if len(found) == 1 else json_list(found)
