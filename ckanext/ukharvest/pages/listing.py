"""The list of records on the pages of a run and of a source's problems, with its filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.model.run_records import OUTCOMES, PROBLEMS
from ckanext.ukharvest.pages.common import ask, pages_of
from ckanext.ukharvest.words import status
from ckanext.ukharvest.words.problems import shown

PER_PAGE = 50
ASKED = ("outcome", "code", "q")  # of the address


def page_of(address: Callable[..., str], csv: Callable[[str], str], **of: str) -> dict[str, Any]:
    """Return the page of records that the address asks for, and what the template needs.

    What is wrong by kind (``groups``) stands above the whole list, and not above a part of it.

    Args:
        address: of the page, with such a filter.
        csv: of the file, by a problem's code.
        of: ``source_id`` or ``job_id``.
    """
    wanted = {key: tk.request.args.get(key, "").strip() for key in ASKED}
    number = tk.h.get_page_number(tk.request.args)
    found = ask(
        "ukharvest_record_list", **of, **wanted, limit=PER_PAGE, offset=(number - 1) * PER_PAGE
    )
    listed = found["listed"]
    is_part = number > 1 or any(wanted.values())

    def url(**more: Any) -> str:
        given = {**wanted, **more}
        return address(**{key: value for key, value in given.items() if value})

    return {
        "groups": [] if is_part else ask("ukharvest_problem_groups", **of),
        "is_part": is_part,
        "wanted": wanted,
        "records": found["results"],
        "count": found["count"],
        "total": sum(number for key, number in listed.items() if key != PROBLEMS),
        "listed": listed,
        "choices": [(key, name_of(key), listed[key]) for key in _keys(listed, wanted["outcome"])],
        "code_title": shown(wanted["code"], "problem").title if wanted["code"] else "",
        "page": number,
        "pages": pages_of(found["count"], PER_PAGE),
        "url": url,
        "page_url": lambda number: url(page=number) + "#records",
        "address": address,
        "csv": csv,
    }


def _keys(listed: dict[str, int], wanted: str) -> list[str]:
    """What the filter offers: what there is, and what is chosen."""
    keys = [*OUTCOMES[:1], PROBLEMS, *OUTCOMES[1:]]
    listed.setdefault(wanted, 0)
    return [key for key in keys if key in listed]


def name_of(outcome: str) -> str:
    """Return what an outcome is called in the filter."""
    if outcome == PROBLEMS:
        return str(tk._("With problems"))
    return status.find("record", outcome).text
