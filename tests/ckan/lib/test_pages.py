"""The number of a page in an address: what an old link leads to."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from ckan.tests.helpers import CKANTestApp
from werkzeug.exceptions import HTTPException

from ckanext.ukharvest.lib import pages

pytestmark = pytest.mark.in_process

FILTERED = "/harvest/?organization=a&organization=b&q=roads"


@pytest.mark.parametrize(
    ("count", "asked", "last"), [(120, 4, 3), (120, 99, 3), (100, 3, 2), (50, 2, 1), (0, 2, 1)]
)
def test_a_page_behind_the_last_leads_to_the_last_of_the_same_filters(
    app: CKANTestApp, count: int, asked: int, last: int
) -> None:
    address = f"{FILTERED}&page={asked}"
    with app.flask_app.test_request_context(address), pytest.raises(HTTPException) as found:
        pages.count_pages(count, 50, pages.asked_page())
    location = urlsplit(found.value.get_response().headers["Location"])
    assert location.path == "/harvest/"
    expected = {"organization": ["a", "b"], "q": ["roads"], "page": [str(last)]}
    assert parse_qs(location.query) == expected


@pytest.mark.parametrize(("count", "pages_"), [(0, 0), (1, 1), (50, 1), (51, 2), (120, 3)])
def test_a_page_that_there_is_stays(app: CKANTestApp, count: int, pages_: int) -> None:
    with app.flask_app.test_request_context(f"{FILTERED}&page={pages_ or 1}"):
        assert pages.count_pages(count, 50, pages.asked_page()) == pages_
