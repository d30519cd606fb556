"""What the modules that read a GEMINI record are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.parsers.iso_node import IsoNode

Found = dict[str, Any]  # some of DatasetRecord's fields, "extras" among them


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
