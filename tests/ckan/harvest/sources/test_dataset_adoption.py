"""Sources of stock harvesters, adopted by ours: no id, name or resource changes.

The stock harvesters are not loaded as plugins, because two plugins of one source type clash; they
are made here, and their three stages are called as the stock consumers do.
"""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckanext.harvest.harvesters.ckanharvester import CKANHarvester
from ckanext.harvest.model import HarvestSource
from click.testing import CliRunner

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.sources import dataset_adoption
from tests.ckan.adoption.stock_harvests import Stock
from tests.ckan.adoption.takeovers import fill, ids
from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


@pytest.fixture
def remote(publisher: Publisher) -> RemoteSite:
    site = RemoteSite([package(n) for n in range(5)])
    publisher.routes = site  # type: ignore[assignment]
    return site


@pytest.fixture
def ckan_source(portal: Portal, publisher: Publisher, remote: RemoteSite) -> str:
    return portal.source(publisher.base, "ckan")


def test_a_source_of_the_stock_ckan_harvester(portal: Portal, ckan_source: str) -> None:
    assert fill(CKANHarvester(), ckan_source) == 5
    before = ids(portal)
    assert before["11111111-0000-4000-8000-000000000003"] == (
        "remote_3",
        [f"22222222-000{n}-4000-8000-000000000003" for n in range(2)],
    )
    assert figures(portal.run(ckan_source)) == {"updated": 5}
    assert ids(portal) == before
    assert figures(portal.run(ckan_source)) == {"not modified": 5}
    assert ids(portal) == before


def test_takeover_keeps_ids_of_changed_datasets(
    portal: Portal, ckan_source: str, remote: RemoteSite
) -> None:
    fill(CKANHarvester(), ckan_source)
    before = ids(portal)
    first = remote.packages[0]
    first["title"], first["name"] = "Renamed", "renamed"
    for number, each in enumerate(reversed(first["resources"])):
        each["url"], each["name"] = f"https://elsewhere.example/{number}", f"File {number}"
    assert figures(portal.run(ckan_source)) == {"updated": 5}
    assert ids(portal) == before
    assert "Renamed" in [each["title"] for each in portal.datasets()]


def test_takeover_keeps_edits_by_people(portal: Portal, ckan_source: str) -> None:
    fill(CKANHarvester(), ckan_source)
    first, second, *_ = portal.datasets()
    act("resource_create", package_id=first["id"], url="https://here.example/n", name="Mine")
    act("package_delete", id=second["id"])
    before = ids(portal)
    assert figures(portal.run(ckan_source)) == {"updated": 4, "not modified": 1}
    assert ids(portal) == before


def test_names_of_new_datasets_are_the_remote_ones(portal: Portal, ckan_source: str) -> None:
    assert figures(portal.run(ckan_source)) == {"added": 5}
    assert [each["name"] for each in portal.datasets()] == [f"remote_{n}" for n in range(5)]


INVENTORY = """<?xml version="1.0" encoding="utf-8"?>
<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="2026-05-01">
  <Identifier>http://council.example/inventory</Identifier>
  <Metadata><Title>Inventory</Title><Publisher>Somewhere Council</Publisher></Metadata>
  <Datasets>{}</Datasets>
</Inventory>"""
INVENTORY_DATASET = """<Dataset Modified="2026-05-01" Active="Yes">
  <Identifier>parking/{0}</Identifier><Title>Car parks {0}</Title>
  <Description>What is known about number {0}.</Description>
  <Resources><Resource Type="Data"><Title>Table {0}</Title><Renditions><Rendition>
    <Identifier>https://data.example/files/{0}.csv?version=1</Identifier>
    <MimeType>text/csv</MimeType>
  </Rendition></Renditions></Resource></Resources>
</Dataset>"""


@pytest.fixture
def inventory_source(portal: Portal, publisher: Publisher) -> str:
    text = INVENTORY.format("".join(INVENTORY_DATASET.format(n) for n in range(3)))
    publisher.serve("/inventory.xml", text, headers={"Content-Type": "application/xml"})
    return portal.source(
        publisher.url("/inventory.xml"), "inventory", config={"validation": "lenient"}
    )


@pytest.mark.parametrize("objects", [True, False], ids=["harvest-objects", "extra"])
def test_an_inventory_whose_guids_were_put_together_from_two(
    portal: Portal, inventory_source: str, objects: bool
) -> None:
    composed = "http://council.example/inventory/parking/{}"
    old = [dataset(n, identifier=composed.format(n)) for n in range(3)]
    Stock(inventory_source, portal.organization_id).fill(old, objects=objects)
    before = ids(portal)
    assert figures(portal.run(inventory_source)) == {"updated": 3}
    assert ids(portal) == before
    assert [extras(each)["guid"] for each in portal.datasets()] == [
        f"parking/{n}" for n in range(3)
    ]
    rows = model.Session.query(Record.guid).filter_by(source_id=inventory_source)
    assert sorted(row[0] for row in rows) == [f"parking/{n}" for n in range(3)]
    assert figures(portal.run(inventory_source)) == {"not modified": 3}


def test_an_inventory_adopted_behind_a_run_that_refused_it(
    portal: Portal, publisher: Publisher, inventory_source: str
) -> None:
    # The renamed dataset gets a row that has no dataset.
    model.Session.add(Record(source_id=inventory_source, guid="parking/0", outcome="errored"))
    model.Session.commit()
    old = [dataset(0, identifier="http://council.example/inventory/parking/0")]
    Stock(inventory_source, portal.organization_id).fill(old)
    dataset_adoption.adopt_datasets(HarvestSource.get(inventory_source))
    model.Session.commit()
    before = ids(portal)
    assert figures(portal.run(inventory_source)) == {"added": 2, "updated": 1}
    assert before.items() <= ids(portal).items()


def test_single_inventory_record_is_its_known_dataset(
    portal: Portal, inventory_source: str
) -> None:
    old = [dataset(n, identifier=f"http://council.example/inventory/parking/{n}") for n in range(3)]
    Stock(inventory_source, portal.organization_id).fill(old)
    before = ids(portal)
    result = CliRunner().invoke(ukharvest, ["run", inventory_source, "--guid", "parking/1"])
    assert result.exit_code == 0
    model.Session.remove()
    assert ids(portal) == before
    assert figures(portal.run(inventory_source)) == {"updated": 2, "not modified": 1}
    assert ids(portal) == before


CATALOGUE = """\
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .

<{base}/catalog> a dcat:Catalog ;
    dcat:dataset <{base}/id/0>, <{base}/id/1>, [
        a dcat:Dataset ;
        dct:identifier "no-uri" ;
        dct:title "Without a URI" ;
        dct:description "Told by its identifier." ;
        dcat:distribution [ a dcat:Distribution ; dct:title "Only file" ;
            dcat:accessURL <https://data.example/only.csv> ]
    ] .

<{base}/id/0> a dcat:Dataset ;
    dct:title "Car parks"@en ;
    dct:identifier "CP-0" ;
    dct:description "All car parks." ;
    dct:publisher [ a foaf:Organization ; foaf:name "Somewhere Council" ] ;
    dcat:distribution <{base}/id/0/csv>, <{base}/id/0/json> .

<{base}/id/0/csv> a dcat:Distribution ;
    dct:title "Table" ; dcat:downloadURL <https://data.example/0.csv> .
<{base}/id/0/json> a dcat:Distribution ;
    dct:title "Service" ; dcat:accessURL <https://data.example/0.json> .

<{base}/id/1> a dcat:Dataset ;
    dct:title "Bus stops" ;
    dct:description "All bus stops." ;
    dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://data.example/1.csv> ] .
"""


@pytest.fixture
def dcat_source(portal: Portal, publisher: Publisher) -> str:
    text = CATALOGUE.format(base=publisher.base)
    publisher.serve("/catalog.ttl", text, headers={"Content-Type": "text/turtle"})
    return portal.source(publisher.url("/catalog.ttl"), "dcat_rdf")


@pytest.fixture
def stock_dcat() -> Any:
    harvesters = pytest.importorskip("ckanext.dcat.harvesters.rdf")
    return harvesters.DCATRDFHarvester()


def test_a_source_of_the_stock_dcat_rdf_harvester(
    portal: Portal, dcat_source: str, stock_dcat: Any
) -> None:
    assert fill(stock_dcat, dcat_source) == 3
    before = ids(portal)
    assert sorted(len(resources) for _, resources in before.values()) == [1, 1, 2]
    assert figures(portal.run(dcat_source)) == {"updated": 3}
    after = ids(portal)
    assert {k: (n, sorted(r)) for k, (n, r) in after.items()} == {
        k: (n, sorted(r)) for k, (n, r) in before.items()
    }
    assert figures(portal.run(dcat_source)) == {"not modified": 3}
    assert ids(portal) == after
