"""Types of organisations, such as "Local Government": the list ``organization_types``.

An organisation has its type as an extra, as on data.gov: portals that have this extra already need
not change anything.
"""

from __future__ import annotations

import re

from ckanext.ukharvest.core.vocabularies import vocabulary

KEY = "organization_type"  # of the organisation's extra; also the field of the search index
LONGEST = 200  # characters

_LIST = "organization_types"


def find(text: str) -> str:
    """Return the stored value of the type that a text names; a text not in the list, shortened.

    Args:
        text: value, label or alias, in any case and with any punctuation; "" for none.
    """
    plain = " ".join(text.split())[:LONGEST]
    words = re.sub(r"[\W_]+", " ", plain).strip()
    entry = vocabulary.row(_LIST, plain) or vocabulary.row(_LIST, words)
    return entry["value"] if entry else plain


def label(value: str) -> str:
    """Return the English label of a stored value; one not in the list unchanged."""
    return vocabulary.label(_LIST, value) or value


def values() -> tuple[str, ...]:
    """Return the stored values in the list's order."""
    return tuple(row["value"] for row in vocabulary.load(_LIST).rows)
