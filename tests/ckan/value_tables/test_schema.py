"""A row of a table of values that cannot be saved."""

from __future__ import annotations

from typing import Any

import pytest
from ckan.plugins import toolkit as tk

from tests.ckan.harvesting import act
from tests.ckan.value_tables.value_rows import row, table

pytestmark = pytest.mark.in_process


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([row("licence", "A", "no-such")], "This portal has no licence no-such."),
        ([row("organisation", "A", "no-such")], "This portal has no organisation no-such."),
        ([row("theme", "A", "Wheels")], "This portal has no theme Wheels."),
        ([row("frequency", "A", "now and then")], "This portal has no frequency"),
        ([row("harvest_source_id", "A", "b")], "Expected a field of organisation"),
        ([row("owner_org", "A", "b")], "Expected a field of organisation"),
        ([row("theme", "", "Transport")], "Expected a value of 1 to 500 characters."),
        ([row("note", "A", "b" * 501)], "Expected a value of 1 to 500 characters."),
        ([row(f"f-{n}", "A", "b") for n in range(101)], "At most 100 extra fields in a table."),
        (["theme"], "Expected a list of objects"),
        (None, "Expected a list of objects"),
    ],
)
def test_a_wrong_row_is_refused_and_nothing_saved(source: str, values: Any, text: str) -> None:
    rows = [row("theme", "Boats", "Transport"), *values] if values else values
    with pytest.raises(tk.ValidationError) as refused:
        act("ukharvest_value_update", source=source, values=rows)
    assert text in str(refused.value.error_dict["values"])
    assert table(source) == {}
