"""The page of what there is to do."""

from __future__ import annotations

from typing import Any

import pytest
from ckan.tests.helpers import CKANTestApp

from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import Portal, act
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PAGE = "/harvest/to-do"
TITLE = "<b>Parking</b> & more"


@pytest.fixture
def failing(portal: Portal, publisher: Publisher) -> str:
    """A source with a hostile title and error."""
    publisher.serve("/<i>x</i>", b"", status=404)
    made = portal.source(publisher.url("/%3Ci%3Ex%3C/i%3E"), name="parking")
    act("package_patch", id=made, title=TITLE)
    portal.run(made)
    return made


def test_the_page_names_source_reason_and_button(
    app: CKANTestApp, failing: str, editor: dict[str, Any]
) -> None:
    page = app.get(PAGE, headers=editor["headers"], status=200).body
    assert "&lt;b&gt;Parking&lt;/b&gt; &amp; more</a>" in page
    assert TITLE not in page
    assert "Failing: " in page
    assert 'href="/harvest/edit/parking"' in page
    assert "/api/3/action/ukharvest_to_do_list" in page


def test_the_page_says_that_nothing_is_to_do(app: CKANTestApp, editor: dict[str, Any]) -> None:
    assert "There is nothing to do." in app.get(PAGE, headers=editor["headers"], status=200).body


def test_visitors_are_asked_to_log_in(app: CKANTestApp) -> None:
    answer = app.get(PAGE, follow_redirects=False)
    assert answer.status_code == 302
    assert "/user/login?came_from=" in answer.headers["Location"]


def test_the_page_in_a_browser(visitor: Visitor, failing: str, editor: dict[str, Any]) -> None:
    visitor.page.context.set_extra_http_headers(editor["headers"])
    looks.check(visitor, "to-do", PAGE)
    looks.check(visitor, "to-do-dashboard", "/dashboard/datasets", is_own=False)
    visitor.page.set_viewport_size({"width": 1280, "height": 900})
    visitor.page.get_by_role("link", name="Harvesting 1 To do").click()
    looks.check_here(visitor, "to-do-menu", is_own=False)
    visitor.page.get_by_role("link", name="To do", exact=True).click()
    visitor.page.wait_for_url(f"**{PAGE}")
