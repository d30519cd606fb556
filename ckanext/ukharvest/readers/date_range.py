"""The options ``from`` and ``until`` of protocols that select records by the date of a change."""

from __future__ import annotations

from collections.abc import Callable

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.values.text import marked as _


def date_range(check: Callable[[str], str]) -> tuple[Option, Option]:
    """Return both options.

    Args:
        check: returns what is wrong with a date, "" if the protocol can send it.
    """
    return (
        Option(
            "from",
            "text",
            "",
            "Only records changed on this date or later, such as 2026-05-01. While it is set, no "
            "dataset counts as missing.",
            check=check,
            label=_("Changed on or after"),
        ),
        Option(
            "until",
            "text",
            "",
            "Only records changed on this date or earlier. While it is set, no dataset counts as "
            "missing.",
            check=check,
            label=_("Changed on or before"),
        ),
    )
