"""The pages of a dataset's changes and of one record, in a browser."""

from __future__ import annotations

import pytest
from ckan import model
from playwright.sync_api import expect

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.browser import Visitor, as_sysadmin
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_a_record_whose_lines_are_marked(
    portal: Portal, publisher: Publisher, visitor: Visitor
) -> None:
    text = gemini("rivers-and-brooks", "Rivers", abstract="Short.").encode()
    publisher.serve("/record.xml", text, headers={"Content-Type": "text/xml"})
    config = {"validation": "report"}
    portal.run(portal.source(publisher.url("/record.xml"), "gemini-single", config=config))
    as_sysadmin(visitor)
    record = model.Session.query(Record.id).first()[0]
    visitor.page.goto(f"/harvest/source-1/record/{record}")
    link = visitor.page.locator(".ukharvest-problems a[href^='#L']").first
    line = (link.get_attribute("href") or "").removeprefix("#L")
    link.click()
    expect(visitor.page.locator(f"#L{line} mark")).to_be_visible()
