"""Rows of tables of values."""

from __future__ import annotations

from tests.ckan.harvesting import act


def row(field: str, value: str, ours: str) -> dict[str, str]:
    return {"field": field, "value": value, "ours": ours}


def table(source: str | None = None) -> dict[str, str]:
    """Return the publishers' values of a table and what they become."""
    listed = act("ukharvest_value_list", **({"source": source} if source else {}))
    return {each["value"]: each["ours"] for each in listed["results"] if each["ours"]}
