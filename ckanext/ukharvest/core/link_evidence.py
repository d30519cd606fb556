"""The results of link checks on which stars depend."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple


class Evidence(NamedTuple):
    """What is at a URL.

    Attributes:
        format: CKAN's label, "" if not known.
        dead: "" unless the link is dead; else since which day, and why: "2026-11-01 not-found".
    """

    format: str = ""
    dead: str = ""


NOTHING = Evidence()


def dead_text(since: dt.datetime, fault: str) -> str:
    """Return ``Evidence.dead``, which is stored as the detail of stars."""
    return f"{since:%Y-%m-%d} {fault}"


def parse_dead(text: str) -> tuple[dt.date | None, str]:
    """Return day and fault of ``Evidence.dead``, (None, "") if it is something else."""
    day, _blank, fault = text.partition(" ")
    try:
        return dt.date.fromisoformat(day), fault
    except ValueError:
        return None, ""
