"""How reads end: the reasons why one is not complete, in the same words for all protocols."""

from __future__ import annotations

from collections.abc import Iterable

from ckanext.ukharvest.core.records import EMPTY_LIST, Ending, Problem, Source
from ckanext.ukharvest.core.values.text import counted


def describe_empty_list(where: str, noun: str = "record", total: int = -1) -> str:
    """Return the reason why a read of a list without records is not complete.

    Args:
        where: the list's URL, or what else it is.
        noun: what it lists.
        total: how many of them its server counts, -1 if it does not say.
    """
    if total > 0:
        none = "does not hand it over" if total == 1 else "hands over none of them"
        return f"{where} counts {counted(total, noun)} and {none}, so nothing was deleted"
    return f"{where} has no {noun}s; {EMPTY_LIST}"


def saved_ending(
    where: str,
    noun: str,
    count: int,
    total: int = -1,
    *,
    more: str = "",
    must_count: bool = False,
    problems: Iterable[Problem] = (),
) -> Ending:
    """Return the outcome of reading one saved answer.

    Args:
        where: its URL.
        noun: what it lists.
        count: number of its different records.
        total: how many there are, as it announces, -1 if it does not.
        more: what it says about further pages, "" if nothing.
        must_count: an answer that announces no number is not known to be whole.
    """
    reason = ""
    if not count and not (more and total > 0):
        reason = describe_empty_list(where, noun, total)
    elif more or total not in (count, count if must_count else -1):
        number = counted(total, noun) if total >= 0 else f"an unknown number of {noun}s"
        reason = f"{where} holds {count:,} of {number}{more and f'; {more}'}"
    return Ending(complete=not reason, reason=reason, problems=tuple(problems))


def describe_change(where: str, noun: str) -> str:
    """Return the reason, for a list whose announced number changed during the read."""
    return f"the number of {noun}s of {where} changed while they were read"


def describe_unknown_total(where: str, noun: str, field: str) -> str:
    """Return the reason, for a list whose number of records is not in its ``field``."""
    return f"{where} does not say how many {noun}s there are; expected {field}"


def describe_difference(where: str, noun: str, total: int, count: int) -> str:
    """Return the reason, for a list that shows another number of records than it announces."""
    return f"{where} announces {counted(total, noun)} and shows {count:,}"


def unchanged(source: Source) -> Ending:
    """Return the outcome of a read whose document is "not modified" since the last run."""
    old = source.validators.get(source.url)
    return Ending(complete=True, unchanged=True, validators={source.url: old} if old else {})
