"""Texts about sources that list no records, or far fewer than before."""

from __future__ import annotations

from collections.abc import Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.deletions import FLOOR, is_more_than_half
from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.texts import gettext


def heading(missing: Mapping[str, int]) -> str:
    """Return how many records are missing; ``missing``: as ``core.deletions.Shortfall``."""
    return gettext(
        "{n} of {of} records are missing from the source",
        n=number(missing["records"]),
        of=number(missing["of"]),
    )


def before_deletion(missing: Mapping[str, int], *, is_you: bool) -> str:
    """Return who will be asked before the datasets are deleted, and after how many runs.

    Args:
        is_you: the reader is the one who will be asked.
    """
    return (
        ungettext(
            "If they are missing from the next complete run too, you will be asked before "
            "they are deleted.",
            "If they are missing from the next {n} complete runs too, you will be asked "
            "before they are deleted.",
            missing["asks_after"],
        )
        if is_you
        else ungettext(
            "If they are missing from the next complete run too, an administrator of the "
            "organisation will be asked before they are deleted.",
            "If they are missing from the next {n} complete runs too, an administrator of the "
            "organisation will be asked before they are deleted.",
            missing["asks_after"],
        )
    )


def describe_limit(count: int, datasets: int, max_share: float) -> str:
    """Return which limit ``count`` pending deletions passed, of those of ``core.deletions``.

    "" for none: sources of other organisations list the datasets too, or the source had fewer
    datasets at the run.

    Args:
        datasets: of the source, the pending ones included.
        max_share: share of the datasets, 0 to 1, that a run deletes without approval.
    """
    if is_more_than_half(count, datasets):
        return str(tk._("This portal asks before deleting more than half of a source's datasets."))
    if count <= max(FLOOR, max_share * datasets):
        return ""
    return gettext(
        "This portal asks before deleting more than {most} of a source's datasets.",
        most=f"{round(100 * max_share)}%",
    )


def unchanged_datasets(datasets: int) -> str:
    """Return what an empty list means for the datasets of a source."""
    return (
        str(tk._("There are no records to import."))
        if not datasets
        else ungettext("Your dataset is unchanged.", "Your {n} datasets are unchanged.", datasets)
    )


def after_an_empty_list(missing: Mapping[str, int] | None, *, is_you: bool) -> str:
    """Return what happens to the datasets of a source that keeps listing no records.

    Args:
        missing: None if no run counts its records as missing, because an empty list proves nothing.
        is_you: as in ``before_deletion``.
    """
    return (
        before_deletion(missing, is_you=is_you)
        if missing
        else str(tk._("Nothing is deleted as long as the source lists no records."))
    )
