"""A dataset's source record: as harvested, and as a page; both safe to open."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.run import prune
from tests.ckan.catalogues import catalogue
from tests.ckan.gemini_records import dataset, uuid
from tests.ckan.harvesting import Portal
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/record.xml"
HOSTILE = "<script>alert(1)</script><svg onload=alert(1)>"
RECORD = dataset(
    uuid(1),
    "Rivers < brooks",
    abstract=f"Rivières, {HOSTILE}",
    box=(-3, -2, 51, 52),
    more="""<gmd:purpose>
      <x:Anchor xmlns:x="http://www.isotc211.org/2005/gmx" xlink:href="javascript:alert(1)"
      >click</x:Anchor>
    </gmd:purpose>""",
).replace('encoding="UTF-8"?>', 'encoding="ISO-8859-1"?>\n<?xml-stylesheet href="/x.css"?>')


@pytest.fixture
def harvested(portal: Portal, ready_source: SourceMaker) -> dict[str, Any]:
    """The dataset of RECORD."""
    headers = {"Content-Type": "text/xml"}
    ready_source(PATH, RECORD.encode("iso-8859-1"), "gemini-single", headers=headers)
    [shown] = portal.datasets()
    return shown


def object_of(package_id: str) -> HarvestObject:
    return model.Session.query(HarvestObject).filter_by(package_id=package_id, current=True).one()


def test_the_record_as_the_publisher_wrote_it(app: CKANTestApp, harvested: dict[str, Any]) -> None:
    address = f"/dataset/{harvested['name']}/source-record.xml"
    assert "Rivières" in app.get(address).body
    # ckanext-spatial stores whole documents. In UTF-8 the declaration may not say otherwise.
    object_of(harvested["id"]).content = RECORD
    model.Session.commit()
    answer = app.get(address)
    assert answer.body == RECORD.replace(' encoding="ISO-8859-1"', "")
    assert answer.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Content-Disposition"] == f'inline; filename="{harvested["name"]}.xml"'
    assert "private" in answer.headers["Cache-Control"]
    assert "no-cache" in answer.headers["Cache-Control"]
    again = app.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert not again.data
    for other in ("json", "html", "xml.xml"):
        app.get(f"/dataset/{harvested['name']}/source-record.{other}", status=404)


def test_the_record_as_a_readable_page(app: CKANTestApp, harvested: dict[str, Any]) -> None:
    answer = app.get(f"/dataset/{harvested['name']}/source-record")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    page = answer.body
    [outline] = lxml.html.fromstring(page).xpath("//*[contains(@class, 'ukharvest-outline')]")
    assert page.index("site-search") < page.index("ukharvest-outline")  # in the portal's frame
    part = lxml.html.tostring(outline, encoding="unicode")
    for text in (
        "<h1>Source record: Rivers &lt; brooks</h1>",
        f'href="/dataset/{harvested["name"]}/source-record.xml"',
        ">Source 1</a>",
        "Rivières, &lt;script&gt;alert(1)&lt;/script&gt;",
        '<span id="L9"></span>',
    ):
        assert text in part
    assert not outline.xpath(".//script | .//*[local-name()='svg'] | .//*[@style]")
    assert "alert(1)</script>" not in page
    assert 'href="javascript' not in page
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_the_datasets_page_leads_to_both(app: CKANTestApp, harvested: dict[str, Any]) -> None:
    page = app.get(f"/dataset/{harvested['name']}").body
    assert re.search(r"XML \([\d.]+ KiB\)", page)
    for end in ("", ".xml"):
        assert f'href="/dataset/{harvested["name"]}/source-record{end}"' in page
    other = factories.Dataset(extras=[{"key": "import_source", "value": "harvest"}])["name"]
    assert "source-record" not in app.get(f"/dataset/{other}").body
    app.get(f"/dataset/{other}/source-record", status=404)
    app.get("/dataset/source-1/source-record", status=404)
    app.get("/dataset/nothing/source-record.xml", status=404)


def test_the_datasets_page_does_not_read_the_record(
    app: CKANTestApp, harvested: dict[str, Any]
) -> None:
    """A record may have megabytes, and its page is requested often."""
    long = f"<a>{'é' * 1_000_000}</a>"
    obj = object_of(harvested["id"])
    obj.content = long
    model.Session.commit()
    glance = record_history.glance_at_document(harvested["id"])
    assert glance == (long[:4096], 2_000_007)
    assert "XML (1.9 MiB)" in app.get(f"/dataset/{harvested['name']}").body
    # As ckanext-spatial leaves it: the original is stored beside its translation.
    obj = object_of(harvested["id"])
    obj.content = ""
    obj.extras.append(HarvestObjectExtra(key="original_document", value=f"{long} "))
    model.Session.commit()
    assert record_history.glance_at_document(harvested["id"]) == (long[:4096], 2_000_008)
    assert record_history.document_of_dataset(harvested["id"]).content == f"{long} "  # type: ignore[union-attr]
    for each in obj.extras:
        model.Session.delete(each)
    model.Session.commit()
    [head, size] = record_history.glance_at_document(harvested["id"]) or ()
    assert head.lstrip().startswith("<")
    assert 1500 < size < 2500


def test_addresses_of_data_gov_uk_lead_here(app: CKANTestApp, harvested: dict[str, Any]) -> None:
    object_id = object_of(harvested["id"]).id
    ours = f"/dataset/{harvested['id']}/source-record"
    for old, new in {
        f"/api/2/rest/harvestobject/{object_id}/xml": f"{ours}.xml",
        f"/api/2/rest/harvestobject/{object_id}/html": ours,
        f"/harvest/gemini-object/{object_id}": ours,
    }.items():
        answer = app.get(old, follow_redirects=False)
        assert answer.status_code == 301
        assert answer.headers["Location"].endswith(new)
        assert app.get(new).status_code == 200
        app.get(old.replace(object_id, "nothing"), status=404)


def test_source_record_survives_prune_and_bad_xml(
    app: CKANTestApp, portal: Portal, publisher: Publisher, harvested: dict[str, Any]
) -> None:
    address = f"/dataset/{harvested['name']}/source-record"
    changed = RECORD.replace("Rivières", "Ruisseaux").encode("iso-8859-1")
    publisher.serve(PATH, changed, headers={"Content-Type": "text/xml"})
    portal.run(object_of(harvested["id"]).harvest_source_id)
    assert prune.prune_all(config.our_type_names(), keep_runs=1).objects == 1
    assert "Ruisseaux" in app.get(f"{address}.xml").body
    # Another harvester may have stored anything.
    object_of(harvested["id"]).content = "<a>\n<b>\n</a>"
    model.Session.commit()
    page = app.get(address).body
    assert "line 3: the document is not well-formed XML" in page
    assert "&lt;b&gt;" in page
    assert '<span id="L3">' in page
    assert "n’est pas du XML bien formé" in app.get(f"/fr{address}").body
    # Other code may remove harvest objects; our own version is shown then.
    model.Session.delete(object_of(harvested["id"]))
    model.Session.commit()
    assert "Ruisseaux" in app.get(f"{address}.xml").body
    assert "Ruisseaux" in app.get(address).body


def test_a_json_record(app: CKANTestApp, portal: Portal, publisher: Publisher) -> None:
    publisher.serve("/data.json", catalogue(1))
    portal.run(portal.source(publisher.url("/data.json")))
    [shown] = portal.datasets()
    answer = app.get(f"/dataset/{shown['name']}/source-record.json")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert answer.json["title"] == shown["title"]
    page = app.get(f"/dataset/{shown['name']}/source-record").body
    assert "<dt>Title</dt>" in page
    assert ">JSON (" in page
    assert "<pre>" not in page


def test_days_and_sizes_are_in_the_readers_language(
    app: CKANTestApp, portal: Portal, publisher: Publisher
) -> None:
    publisher.serve("/data.json", catalogue(1))
    portal.run(portal.source(publisher.url("/data.json")))
    page = app.get(f"/fr/dataset/{portal.datasets()[0]['name']}/source-record").body
    assert "1 mai 2026" in page
    assert "(2026-05-01)" in page
    assert "octets)" in page


def test_the_pages_language_is_a_bcp_47_tag(app: CKANTestApp, harvested: dict[str, Any]) -> None:
    page = app.get(f"/pt_BR/dataset/{harvested['name']}/source-record").body
    assert '<html lang="pt-BR"' in page
