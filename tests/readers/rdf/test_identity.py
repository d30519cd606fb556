"""What identifies a dataset in RDF."""

from __future__ import annotations

import json

import pytest

from tests.readers.rdf.catalogues import PREFIXES
from tests.readers.rdf.rdf_site import Site


def test_the_identity_is_the_one_that_the_stock_harvester_stores(site: Site) -> None:
    body = (
        PREFIXES
        + '<http://a.example/1> a dcat:Dataset ; dct:title "x" ; dct:identifier "no" .'
        + '[] a dcat:Dataset ; dct:identifier "five" ; dct:title "y" .'
        + '[] a dcat:Dataset ; dct:title "Only a Title" .'
        + '[] a dcat:Dataset ; dct:description "z" . :stub a dcat:Dataset .'
    )
    site.serve("/d", body)
    found, _ending = site.read()
    source = site.publisher.url("/d")
    guids = ["http://a.example/1", "five", f"{source}/only-a-title", ""]
    assert [raw.guid for raw in found] == guids
    assert found[3].error is not None
    assert found[3].error.code == "missing-identifier"


DOI = {"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi"}


@pytest.mark.parametrize(
    ("members", "guid"),
    [
        ('"identifier": "roads-7", "url": "http://a.example/7"', "roads-7"),
        (
            f'"identifier": {json.dumps(DOI | {"value": "doi:10.5072/x"})}',
            "https://doi.org/10.5072/x",
        ),
        ('"identifier": ["x", {"@id": "http://a.example/id/7"}]', "http://a.example/id/7"),
        ('"url": "http://a.example/7", "dct:title": "Old"', "SOURCE/old"),
        ('"url": "http://a.example/7"', "http://a.example/7"),
        ('"url": "http://a.example/shared"', "SOURCE/roads"),
        ('"dc:identifier": "seven"', "seven"),
        ('"adms:identifier": {"skos:notation": "seven"}', "seven"),
        ("", "SOURCE/roads"),
        ('"@id": "http://a.example/id/7", "identifier": "no"', "http://a.example/id/7"),
    ],
)
def test_schema_org_dataset_is_identified_by_its_own_names(
    site: Site, members: str, guid: str
) -> None:
    names = {"adms": "http://www.w3.org/ns/adms#", "dc": "http://purl.org/dc/elements/1.1/"}
    one = f'{{"@type": "Dataset", "name": "Roads"{members and ", "}{members}}}'
    two = '{"@type": "Dataset", "name": "Two", "url": "http://a.example/shared"}'
    link = '{"@type": "Dataset", "url": "http://a.example/9"}'
    catalogue = f'"@type": "DataCatalog", "dataset": [{one}, {two}, {link}]'
    site.serve("/d", f'{{"@context": ["https://schema.org/", {json.dumps(names)}], {catalogue}}}')
    found, ending = site.read()
    assert guid.replace("SOURCE", site.publisher.url("/d")) in {raw.guid for raw in found}
    assert len(found) == 2
    assert [problem.code for problem in ending.problems] == ["left-out"]
    assert not ending.complete, "the link may be one that is known"
