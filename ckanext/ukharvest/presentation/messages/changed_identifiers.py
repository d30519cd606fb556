"""Texts about records that a source lists under new identifiers."""

from __future__ import annotations

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.presentation.messages.numbers import ungettext


def heading(count: int, *, is_you: bool) -> str:
    """Return the heading of a source whose records have new identifiers.

    Args:
        is_you: the reader may decide.
    """
    return (
        ungettext(
            "Waiting for your decision: {n} dataset may have a new identifier",
            "Waiting for your decision: {n} datasets may have new identifiers",
            count,
        )
        if is_you
        else ungettext(
            "Waiting for an administrator's decision: {n} dataset may have a new identifier",
            "Waiting for an administrator's decision: {n} datasets may have new identifiers",
            count,
        )
    )


def meaning(count: int) -> str:
    """Return what a run found, and that it changed nothing."""
    return ungettext(
        "{n} record is no longer in the source, and a new record has the same title or file. The "
        "new record was not imported, and nothing was deleted.",
        "{n} records are no longer in the source, and new records have the same titles or files. "
        "The new records were not imported, and nothing was deleted.",
        count,
    )


def others_wait(count: int) -> str:
    """Return the text about other records than those shown."""
    return ungettext(
        "The source has changed since: {n} dataset may have a new identifier now. Look again.",
        "The source has changed since: {n} datasets may have new identifiers now. Look again.",
        count,
    )


def accepted(count: int) -> str:
    """Return what happens to datasets that are the same."""
    return ungettext(
        "{n} dataset keeps its page and id. The next run updates it.",
        "{n} datasets keep their pages and ids. The next run updates them.",
        count,
    )


def refused(count: int) -> str:
    """Return what happens to datasets that are different."""
    return ungettext(
        "The next run imports the new record as a new dataset. {n} dataset counts as missing.",
        "The next run imports the new records as new datasets. {n} datasets count as missing.",
        count,
    )


def not_allowed() -> str:
    """Return why a user may not decide."""
    return str(tk._("Only an administrator of the organisation can decide this."))
