"""Relations between datasets, as records name them: services, collections and their parts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values import multivalue

OPERATES_ON, IS_PART_OF, HAS_PART = "operates_on", "is_part_of", "has_part"

# Extra → what its identifiers are to the dataset: text, text with commas, or a JSON list.
EXTRAS: Mapping[str, str] = {
    "is_part_of": IS_PART_OF,
    "in_series": IS_PART_OF,
    "parent-identifier": IS_PART_OF,
    "parent_identifier": IS_PART_OF,
    "has_part": HAS_PART,
    "series_members": HAS_PART,
}
# ISO 19115, DS_AssociationTypeCode → the same, in an extra.
_RELATED = "aggregation-info"
_ASSOCIATIONS = {"largerWorkCitation": IS_PART_OF, "isComposedOf": HAS_PART}


def find_relations(record: DatasetRecord) -> list[tuple[str, str]]:
    """Return a record's relations, each once, as (relation, identifier or URL of the other)."""
    named = [(OPERATES_ON, reference) for reference in record.coupled]
    for key, relation in EXTRAS.items():
        named += [(relation, reference) for reference in split_references(record.extras.get(key))]
    named += _associations(record.extras.get(_RELATED))
    return list(dict.fromkeys(named))


def split_references(value: Any) -> list[str]:
    """Return the identifiers in an extra; of a text with commas also the whole text."""
    texts = list(multivalue.texts(value))
    parts = [part for text in texts if ", " in text for part in text.split(", ")]
    return [text for text in dict.fromkeys((*texts, *parts)) if text]


def replace_references(value: Any, names: Mapping[str, str]) -> Any:
    """Return the value of an extra in EXTRAS with other names of the datasets that it names.

    Args:
        names: identifier or URL → other name.
    """
    if isinstance(value, list):
        return [names.get(text, text) for text in value]
    text = str(value or "")
    if text.startswith("["):
        with contextlib.suppress(ValueError, RecursionError):
            return json.dumps(replace_references(json.loads(text), names), ensure_ascii=False)
    if text in names:
        return names[text]
    return ", ".join(names.get(part, part) for part in text.split(", "))


def may_name_parts(key: str) -> bool:
    """Tell whether an extra may name the parts of a dataset."""
    return key == _RELATED or EXTRAS.get(key) == HAS_PART


def are_known(value: Any, known: Collection[str]) -> bool:
    """Tell whether an extra names something, and nothing besides what is known."""
    texts = [text for text in multivalue.texts(value) if text]
    return bool(texts) and all(
        text in known or all(part in known for part in text.split(", ")) for text in texts
    )


def _associations(value: Any) -> Iterator[tuple[str, str]]:
    try:
        items = json.loads(value or "[]")
    except (TypeError, ValueError, RecursionError):
        return
    for item in items if isinstance(items, list) else ():
        known = isinstance(item, dict) and _ASSOCIATIONS.get(str(item.get("association")))
        if known and item.get("identifier"):
            yield known, str(item["identifier"])
