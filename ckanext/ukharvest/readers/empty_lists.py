"""The reason why a read that brought no records is not complete: what the server said."""

from __future__ import annotations

from ckanext.ukharvest.core.records import EMPTY_LIST
from ckanext.ukharvest.core.values.text import counted


def describe_empty_list(where: str, noun: str = "record", total: int = -1) -> str:
    """Return the reason, for a list without records.

    Args:
        where: the list's URL, or what else it is.
        noun: what it lists.
        total: how many of them its server counts, -1 if it does not say.
    """
    if total > 0:
        none = "does not hand it over" if total == 1 else "hands over none of them"
        return f"{where} counts {counted(total, noun)} and {none}, so nothing was deleted"
    return f"{where} has no {noun}s; {EMPTY_LIST}"
