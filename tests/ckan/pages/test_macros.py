"""The macros that pages have in common, with more than a page of the tests has."""

from __future__ import annotations

import pytest
from ckan.tests.helpers import CKANTestApp
from flask import render_template_string
from lxml import html

pytestmark = pytest.mark.in_process

PAGER = (
    "{% import 'ukharvest/macros.html' as macros with context %}"
    "{{ macros.pager('Pages', number, 5, url) }}"
)


@pytest.mark.parametrize(
    ("number", "previous", "following"), [(1, [], [2]), (2, [1], [3]), (4, [3], [5]), (5, [4], [])]
)
def test_pager_leads_to_the_pages_beside(
    app: CKANTestApp, number: int, previous: list[int], following: list[int]
) -> None:
    with app.flask_app.test_request_context("/"):
        text = render_template_string(PAGER, number=number, url=lambda page: f"/{page}")
    found = html.fromstring(text)
    assert found.xpath(".//*[@rel='prev']/@href") == [f"/{each}" for each in previous]
    assert found.xpath(".//*[@rel='next']/@href") == [f"/{each}" for each in following]
    assert found.xpath(".//*[@aria-current='page']/@href") == [f"/{number}"]
