"""The help page, opened from the links of messages."""

from __future__ import annotations

import re

import pytest
from ckan.tests.helpers import CKANTestApp
from playwright.sync_api import expect

from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.core.status_rules import Health
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.sources import help
from tests.ckan.browser import Visitor

pytestmark = pytest.mark.in_process


def test_every_code_has_its_place(app: CKANTestApp) -> None:
    page = app.get("/harvest/help").body
    anchors = re.findall(r'id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    codes = {anchor.removeprefix("code-") for anchor in anchors if anchor.startswith("code-")}
    assert codes == {*PROBLEM_TEXTS, *(rule.code for rule in RULES)}
    assert "stars" in anchors
    assert len(page.encode()) < 200_000


def test_explained_statuses_are_those_of_the_pages() -> None:
    assert all(value in texts.KINDS[kind] for kind, value, _meaning in help.STATUSES)
    assert tuple(texts.HEALTHS) == tuple(Health)


def test_problems_of_one_type(app: CKANTestApp) -> None:
    page = app.get("/harvest/help?type=data_json").body
    assert '<option value="data_json" selected>data.json</option>' in page
    assert 'id="code-duplicate-guid"' in page
    assert "code-gemini-" not in page
    assert 'id="location"' not in page
    assert 'id="code-gemini-10-needed"' in app.get("/harvest/help?type=gemini-waf").body
    page = app.get("/harvest/help?type=nonsense").body
    assert page.count('id="code-') == len(PROBLEM_TEXTS) + len(RULES)


def test_a_link_opens_the_part_that_it_leads_to(visitor: Visitor) -> None:
    # The linked text is in a collapsed part.
    visitor.page.goto("/harvest/help?again#code-gemini-10-needed")
    expect(visitor.page.locator("#code-gemini-10-needed")).to_be_visible()
