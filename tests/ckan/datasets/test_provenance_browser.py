"""The pages of a dataset's changes and of one record, in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from playwright.sync_api import expect

from ckanext.ukharvest.harvest.model import Record
from tests.ckan import looks
from tests.ckan.browser import Visitor, as_sysadmin
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def organization() -> dict[str, str]:
    """An organisation without a picture, which factories load from another host."""
    found: dict[str, str] = factories.Organization(image_url="")
    return found


def address_of_record() -> str:
    return f"/harvest/source-1/record/{model.Session.query(Record.id).first()[0]}"


def run(portal: Portal, publisher: Publisher, source_id: str, **fields: Any) -> None:
    publisher.serve(PATH, catalogue([dataset(0, **fields)]))
    portal.run(source_id)


def test_a_dataset_its_changes_and_its_record(
    portal: Portal, publisher: Publisher, visitor: Visitor
) -> None:
    source_id = portal.source(publisher.url(PATH), frequency="DAILY")
    run(portal, publisher, source_id)
    [package] = portal.datasets()
    changes = f"/dataset/{package['name']}/harvest-changes"
    looks.check(visitor, "changes-none", changes)
    long = "Car parks of the city, with their places and opening hours. " * 10
    for title, text in (("Parking", long), ("Parking spaces", long.replace("places", "spaces"))):
        run(portal, publisher, source_id, title=title, description=text, modified="10/03")
    looks.check(visitor, "changes-two", changes)
    run(portal, publisher, source_id, title="")
    as_sysadmin(visitor)
    looks.check(visitor, "dataset-for-its-editor", f"/dataset/{package['name']}")
    looks.check(visitor, "record-lost", address_of_record())
    visitor.page.get_by_role("button", name="Import again").click()
    expect(visitor.page.get_by_text("Run requested.")).to_be_visible()
    visitor.page.goto(f"/dataset/edit/{package['name']}")
    expect(
        visitor.page.get_by_text("edits to fields that the source supplies are lost")
    ).to_be_visible()


def test_a_record_whose_lines_are_marked(
    portal: Portal, publisher: Publisher, visitor: Visitor
) -> None:
    text = gemini("rivers-and-brooks", "Rivers", abstract="Short.").encode()
    publisher.serve("/record.xml", text, headers={"Content-Type": "text/xml"})
    config = {"validation": "report"}
    portal.run(portal.source(publisher.url("/record.xml"), "gemini-single", config=config))
    as_sysadmin(visitor)
    looks.check(visitor, "record-problems", address_of_record())
    link = visitor.page.locator(".ukharvest-problems a[href^='#L']").first
    line = (link.get_attribute("href") or "").removeprefix("#L")
    link.click()
    expect(visitor.page.locator(f"#L{line} mark")).to_be_visible()
