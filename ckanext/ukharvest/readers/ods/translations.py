"""Texts of datasets in other languages: portals answer each request in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.readers.ods.records import identity, metas

_TEXTS = ("title", "description", "keyword")
# The key under which the parser expects them: code → texts.
_KEY = "translations"


class Texts:
    """The texts of a list of datasets in one language, by the dataset's id.

    Lists in two languages have the same order, so few texts are in memory at a time, however long
    the list is.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = iter(items)
        self._ahead: dict[str, dict[str, Any]] = {}

    def take(self, key: str) -> dict[str, Any]:
        """Return a dataset's texts, {} if the list has none of it."""
        while key not in self._ahead:
            item = next(self._items, None)
            if item is None:
                return {}
            if isinstance(item, Mapping):
                found = metas(item)
                self._ahead[identity(item)] = {name: found.get(name) for name in _TEXTS}
        return self._ahead.pop(key)


def with_translations(items: Iterable[Any], others: Mapping[str, Texts]) -> Iterator[Any]:
    """Yield datasets with their texts in other languages.

    Args:
        others: language code → the same list in that language.
    """
    for item in items:
        key = identity(item) if others and isinstance(item, Mapping) else ""
        found = {code: texts for code, each in others.items() if key and (texts := each.take(key))}
        yield {**item, _KEY: found} if found else item
