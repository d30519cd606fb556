"""Records that are cut out of a document's graph."""

from __future__ import annotations

import pytest

from tests.readers.rdf.catalogues import CATALOGUE, PREFIXES, dataset
from tests.readers.rdf.rdf_site import Site


def test_a_record_has_the_dataset_and_what_it_owns(site: Site) -> None:
    site.serve("/d", CATALOGUE, "text/turtle")
    (trees, bins), ending = site.read()
    assert ending.complete
    assert (trees.guid, trees.modified) == ("https://council.example/id/trees", "2024-05-01")
    text = trees.content or ""
    assert text.splitlines() == sorted(text.splitlines())
    assert '"Coed"@cy .' in text
    assert '"2024-05-01"^^<http://www.w3.org/2001/XMLSchema#date> .' in text
    assert '"Free \\"as\\" in\\nbeer"' in text
    assert "/id/council> <http://xmlns.com/foaf/0.1/name>" in text
    assert "/id/council> <http://xmlns.com/foaf/0.1/name>" in (bins.content or "")
    assert "/relation> <https://council.example/id/bins>" in text
    for foreign in ('"Bins"', '"All"', "foaf/0.1/made"):
        assert foreign not in text
    assert text.count("downloadURL") == 2, "equal siblings are one"


def test_a_link_to_a_dataset_is_kept_and_not_the_dataset(site: Site) -> None:
    file = "dcat:distribution [ dcat:accessURL :1, :2 ; dcat:landingPage :1 ]"
    site.serve("/d", PREFIXES + dataset(1, f":1 {file} . ") + dataset(2))
    content = site.read()[0][0].content or ""
    assert content.count("accessURL") == 2
    assert "landingPage> <https://council.example/id/1>" in content
    assert "Title 2" not in content


def test_a_service_belongs_to_each_dataset_that_it_serves(site: Site) -> None:
    api = ':api a dcat:DataService ; dct:title "API" ; dcat:servesDataset :1, :2 . '
    catalogue = ":c a dcat:Catalog ; dcat:service :api . "
    site.serve("/d", PREFIXES + dataset(1) + dataset(2) + dataset(3) + api + catalogue)
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2", "3"]
    assert ["api> <" in (raw.content or "") for raw in found] == [True, True, False]
    assert (found[0].content or "").count("servesDataset") == 1
    assert not ending.problems


def test_a_service_of_a_file_changes_nothing_by_serving_its_dataset(site: Site) -> None:
    file = ":1 dcat:distribution [ dcat:accessURL :page ; dcat:accessService :api ] . "
    api = ':api a dcat:DataService ; dct:title "API" . '
    site.serve("/d", PREFIXES + dataset(1, file) + api)
    before = site.read()[0][0].content
    site.serve("/d", PREFIXES + dataset(1, file) + api + ":api dcat:servesDataset :1 .")
    assert [raw.content for raw in site.read()[0]] == [before]


def test_a_service_that_serves_nothing_is_a_record(site: Site) -> None:
    catalogue = ":c a dcat:Catalog ; dcat:service :api, :stub, :nameless, :elsewhere . "
    api = ':api a dcat:DataService ; dct:title "API" . :stub a dcat:DataService . '
    api += ":nameless a dcat:DataService ; dcat:endpointURL :v1 . "
    api += ':elsewhere a dcat:DataService ; dct:title "x" ; dcat:servesDataset :far . '
    site.serve("/d", PREFIXES + catalogue + api + dataset(1))
    found, ending = site.read()
    assert [(raw.guid[-3:], raw.position) for raw in found] == [
        ("d/1", "dataset 1"),
        ("api", "service 1"),
    ]
    assert ending.complete
    (problem,) = ending.problems
    assert problem.code == "service-left-out"
    assert problem.message.startswith("2 services left out, such as")


def test_services_prove_nothing_about_datasets(site: Site) -> None:
    api = ':c a dcat:Catalog ; dcat:service :api . :api a dcat:DataService ; dct:title "API" . '
    site.serve("/d", PREFIXES + api)
    found, ending = site.read()
    assert (len(found), ending.complete) == (1, False)
    total = "<BASE/d> a hydra:PartialCollectionView ; hydra:totalItems 2 . "
    site.serve("/d", PREFIXES + api + total + dataset(1))
    found, ending = site.read()
    assert (len(found), ending.complete) == (2, False)


def test_a_register_below_a_dataset_is_left_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.readers.rdf.graph.MAX_TRIPLES", 20)
    chain = "".join(f":n{n} dct:relation :n{n + 1} .\n" for n in range(100))
    site.serve("/d", PREFIXES + dataset(1, ":1 dct:relation :n0 . ") + chain)
    found, ending = site.read()
    assert (found[0].content or "").count("\n") < 30
    assert [problem.code for problem in ending.problems] == ["too-many-nodes"]


def test_a_publishers_list_of_datasets_adds_nothing_to_each(site: Site) -> None:
    count = 3000
    datasets = "".join(dataset(n, f":{n} dct:publisher :council . ") for n in range(count))
    lists = "".join(f":council dct:hasPart :{n} ; foaf:made :x{n} .\n" for n in range(count))
    site.serve("/d", PREFIXES + datasets + lists + ':council foaf:name "A council" .')
    found, ending = site.read()
    assert len(found) == count
    assert not ending.problems
    assert {(raw.content or "").count("\n") for raw in found} == {4}
