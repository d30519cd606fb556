"""What pages share: the number of a page in an address, and what is said of refused data."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from ckan.plugins import toolkit as tk
from ckan.tests.helpers import CKANTestApp
from flask import get_flashed_messages
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


def test_refused_field_of_a_resource_is_named(
    app: CKANTestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = {"name": ["Missing value"], "resources": [{}, {"url": ["Bad", "Long"]}]}

    def refuse(*_args: Any) -> None:
        raise tk.ValidationError(errors)

    monkeypatch.setattr(pages, "_call", refuse)
    with app.flask_app.test_request_context("/"):
        assert pages.attempt("package_update") is None
        (flashed,) = get_flashed_messages()
    assert flashed == "Missing value resources: url: Bad; Long"
