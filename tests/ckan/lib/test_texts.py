"""Times are those of the portal's clock."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.lib import texts

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.display_timezone", "Europe/London"),
]


@pytest.mark.parametrize(
    ("utc", "local"),
    [
        ("2026-03-28 23:59:59", "28 March 2026, 23:59 GMT"),
        ("2026-03-29 00:59:59", "29 March 2026, 00:59 GMT"),
        ("2026-03-29 01:00:00", "29 March 2026, 02:00 BST"),
        ("2026-03-29 23:30:00", "30 March 2026, 00:30 BST"),
        ("2026-10-24 23:30:00", "25 October 2026, 00:30 BST"),
        ("2026-10-25 00:30:00", "25 October 2026, 01:30 BST"),
        ("2026-10-25 01:30:00", "25 October 2026, 01:30 GMT"),
        ("2026-10-25 23:30:00", "25 October 2026, 23:30 GMT"),
    ],
)
def test_times_are_those_of_the_portals_clock(app: Any, utc: str, local: str) -> None:
    day = local.partition(",")[0]
    with app.flask_app.test_request_context():
        assert (texts.format_time(utc), texts.format_time(utc, day_only=True)) == (local, day)
        page = texts.when(utc)
        assert f'<time datetime="{utc.replace(" ", "T")}+00:00">{local}</time>' == page
