"""Texts about a run's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.presentation.messages.numbers import number, ungettext


def format_counts(counts: Mapping[str, int]) -> str:
    """Return a run's figures such as "3 updated, 397 unchanged"; "no records" for none."""
    words: tuple[tuple[str, Callable[[], str]], ...] = (
        ("added", lambda: tk._("{n} added")),
        ("updated", lambda: tk._("{n} updated")),
        ("unchanged", lambda: tk._("{n} unchanged")),
        ("deleted", lambda: tk._("{n} deleted")),
        ("skipped", lambda: tk._("{n} skipped")),
        ("new_identifiers", lambda: tk._("{n} under new identifiers")),
        ("lost", lambda: tk._("{n} failed")),
    )
    parts = [text().format(n=number(counts[key])) for key, text in words if counts.get(key)]
    return ", ".join(parts) or str(tk._("no records"))


def describe_same(count: int) -> str:
    """Return why records of datasets that are here already, or were, were skipped."""
    return ungettext(
        "{n} record was skipped: its dataset is here already, or was deleted here. It came back "
        "from another portal, or by way of two.",
        "{n} records were skipped: their datasets are here already, or were deleted here. They "
        "came back from another portal, or by way of two.",
        count,
    )
