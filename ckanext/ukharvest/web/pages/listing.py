"""The list of records on the pages of a run and of a source's problems, with its filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.presentation.messages import status_labels as status
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.web.pages.common import ask, ask_page, count_pages

PER_PAGE = 50
ASKED = ("outcome", "code", "field", "q")  # URL parameters of the filter


def list_records(address: Callable[..., str], csv: Callable[..., str], **of: str) -> dict[str, Any]:
    """Return the page of records for the request, and the other variables of the template.

    Problems by kind (``groups``) are shown only above the whole list, without a filter.

    Args:
        address: returns the URL of the page with the given filter.
        csv: returns the URL of the CSV file for a problem's code.
        of: ``source_id`` or ``job_id``.
    """
    wanted = {key: tk.request.args.get(key, "").strip() for key in ASKED}
    records, number = ask_page("ukharvest_record_list", PER_PAGE, **of, **wanted)
    listed = records["listed"]
    is_part = number > 1 or any(wanted.values())

    def url(**more: Any) -> str:
        return address(**{key: value for key, value in {**wanted, **more}.items() if value})

    return {
        "groups": [] if is_part else ask("ukharvest_problem_group_list", **of),
        "is_part": is_part,
        "wanted": wanted,
        "records": records["results"],
        "count": records["count"],
        "total": sum(number for key, number in listed.items() if key != status.PROBLEMS),
        "listed": listed,
        # The outcomes with records, and the chosen one.
        "choices": [
            (key, name_of(key), listed.get(key, 0))
            for key in status.RECORD_FILTERS
            if key in listed or key == wanted["outcome"]
        ],
        "code_title": describe_problem(wanted["code"], Severity.PROBLEM, wanted["field"]).title
        if wanted["code"]
        else "",
        "page": number,
        "pages": count_pages(records["count"], PER_PAGE, number),
        "url": url,
        "page_url": lambda number: url(page=number) + "#records",
        "address": address,
        "csv": csv,
    }


def name_of(outcome: str) -> str:
    """Return the label of an outcome in the filter."""
    is_problems = outcome == status.PROBLEMS
    return str(tk._("With problems")) if is_problems else status.find("record", outcome).text
