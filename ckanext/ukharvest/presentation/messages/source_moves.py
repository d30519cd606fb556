"""Texts about the move of a source to another URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.texts import gettext, ngettext


def sentences(move: Mapping[str, Any]) -> list[str]:
    """Return which of the source's datasets are at the new URL.

    Args:
        move: a ``MoveResult``.
    """
    return list(_sentences(move))


def _sentences(move: Mapping[str, Any]) -> Iterator[str]:
    matches, datasets = move["same"] + move["moved"], move["datasets"]
    yield ngettext(
        "{found} of the {n} dataset of this source is at the new URL.",
        "{found} of the {n} datasets of this source are at the new URL.",
        datasets,
        found=number(matches),
        n=number(datasets),
    )
    if move["same"]:
        yield ungettext(
            "{n} has the same identifier there.",
            "{n} have the same identifiers there.",
            move["same"],
        )
    if move["moved"]:
        yield ungettext(
            "{n} has an identifier there that begins with the new URL.",
            "{n} have identifiers there that begin with the new URL.",
            move["moved"],
        )
    if missing := len(move["missing"]):
        yield ungettext("{n} is not there.", "{n} are not there.", missing)
    if move["added"]:
        yield ungettext(
            "The next run would add {n} dataset.",
            "The next run would add {n} datasets.",
            move["added"],
        )
    if move["dropped"]:
        yield gettext(
            "The new type does not have these options, which are dropped: {names}.",
            names=", ".join(move["dropped"]),
        )


def moved(move: Mapping[str, Any]) -> str:
    """Return what a move did."""
    return ungettext(
        "The source was moved. {n} dataset is kept. Start a run to harvest the new URL.",
        "The source was moved. {n} datasets are kept. Start a run to harvest the new URL.",
        move["same"] + move["moved"],
    )


def few_match() -> str:
    """Return why a move needs a confirmation."""
    return str(
        tk._(
            "Fewer than half of the datasets are at the new URL. After the move, runs add the "
            "records there as new datasets, and the datasets that are not there go missing."
        )
    )
