"""Answers in pages: the parameters of actions that give them, and all pages of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk

PAGE, LARGEST_PAGE = 100, 1000


def validated(
    data_dict: Mapping[str, Any],
    schema: Mapping[str, list[Any]] | None = None,
    *,
    page: int = PAGE,
    largest: int = LARGEST_PAGE,
) -> dict[str, Any]:
    """Return an action's parameters: ``limit``, ``offset`` and what ``schema`` has.

    Args:
        data_dict: as the action got it; what the schema does not know is left out.
        schema: further parameters and their validators.
        page: how many rows where no ``limit`` is given.
        largest: how many at most, whatever is asked for.

    Raises:
        ValidationError: one of them is no good.
    """
    default, number = tk.get_validator("default"), tk.get_validator("natural_number_validator")
    wanted = {**(schema or {}), "limit": [default(page), number], "offset": [default(0), number]}
    asked = {key: data_dict[key] for key in wanted if key in data_dict}
    data, errors = tk.navl_validate(asked, wanted)
    if errors:
        raise tk.ValidationError(errors)
    return {**data, "limit": min(data["limit"], largest)}


def all_of(ask: Callable[[int], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of all pages.

    Args:
        ask: an action's answer with ``count`` and ``results``, from this offset on.
    """
    rows: list[dict[str, Any]] = []
    while True:
        page = ask(len(rows))
        rows.extend(page["results"])
        if not page["results"] or len(rows) >= page["count"]:
            return rows
