"""The page of help, as messages lead to it."""

from __future__ import annotations

import re

import pytest
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.core import health
from ckanext.ukharvest.core.problems import TIPS
from ckanext.ukharvest.parsers.gemini_rules import RULES
from ckanext.ukharvest.words import help_words, status
from tests.ckan import looks
from tests.ckan.browser import Visitor

pytestmark = pytest.mark.in_process


def test_every_code_has_its_place(app: CKANTestApp) -> None:
    page = app.get("/harvest/help").body
    anchors = re.findall(r'id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    codes = {anchor.removeprefix("code-") for anchor in anchors if anchor.startswith("code-")}
    assert codes == {*TIPS, *(rule.code for rule in RULES)}
    assert "stars" in anchors
    assert len(page.encode()) < 200_000


def test_every_word_has_a_meaning() -> None:
    left_out = {"idle", "new", "held", "off"}  # said of a source's health
    assert set(help_words.STATES) == set(status.STATES) - left_out
    assert set(help_words.HEALTHS) == set(status.HEALTHS)
    assert tuple(status.HEALTHS) == health.HEALTHS
    assert set(help_words.OUTCOMES) == set(status.OUTCOMES) - {"running", "queued"}
    assert set(help_words.RECORDS) == set(status.RECORDS)


def test_how_it_looks(visitor: Visitor) -> None:
    looks.check(visitor, "help", "/harvest/help")
    # What a message leads to is in a part that is closed.
    visitor.page.goto("/harvest/help?again#code-gemini-10-needed")
    assert visitor.page.locator("#code-gemini-10-needed").is_visible()
