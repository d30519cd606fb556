"""Template helper of pagers."""

from __future__ import annotations


def ukharvest_page_numbers(number: int, pages: int) -> list[int | None]:
    """Return the page numbers that a pager shows, with None for each gap."""
    shown = {1, pages, *range(number - 1, number + 2)} & set(range(1, pages + 1))
    numbers: list[int | None] = []
    for page in sorted(shown):
        if numbers and page - (numbers[-1] or 0) > 1:
            numbers.append(None)
        numbers.append(page)
    return numbers
