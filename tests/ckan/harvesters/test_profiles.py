"""ckanext-dcat's profiles after our own parser of DCAT."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from ckan.plugins import toolkit as tk

from tests.ckan.harvesting import Portal, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process
profiles = pytest.importorskip("ckanext.dcat.profiles")

TEXT = """\
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix ex: <http://fields.example/> .

<http://data.example/id/0> a dcat:Dataset ;
    dct:title "Car parks" ;
    dct:description "All car parks." ;
    dcat:keyword "parking" ;
    ex:steward "A. Steward" ;
    dcat:distribution [ a dcat:Distribution ; dct:title "Table" ; ex:rows "17" ;
        dcat:downloadURL <http://data.example/0.csv> ] .
"""
FIELD = "http://fields.example/"


class OwnProfile(profiles.RDFProfile):  # type: ignore[misc, name-defined]
    """A portal's profile: two fields of its own, and others that it may not set."""

    def parse_dataset(self, dataset_dict: dict[str, Any], dataset_ref: Any) -> dict[str, Any]:
        (steward,) = [
            str(o)
            for _, p, o in self.g.triples((dataset_ref, None, None))
            if str(p) == FIELD + "steward"
        ]
        rows = [str(o) for _, p, o in self.g if str(p) == FIELD + "rows"]
        dataset_dict.update(title="Its own", name="its-own", version="7", notes="Its own")
        dataset_dict["maintainer_email"] = "no address"
        dataset_dict["extras"] = [
            {"key": "steward", "value": steward},
            {"key": "stewards", "value": [steward]},
            {"key": "spatial", "value": "no geometry"},
        ]
        url = "http://data.example/0.csv"
        dataset_dict["resources"] = [{"url": url, "name": "Other", "rows": rows[0]}]
        return dataset_dict


class Broken(profiles.RDFProfile):  # type: ignore[misc, name-defined]
    """A profile that raises an error."""

    def parse_dataset(self, dataset_dict: dict[str, Any], dataset_ref: Any) -> dict[str, Any]:
        raise KeyError("fault")


@pytest.fixture
def url(publisher: Publisher) -> str:
    publisher.serve("/catalog.ttl", TEXT, headers={"Content-Type": "text/turtle"})
    return publisher.url("/catalog.ttl")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    from ckanext.dcat import processors

    def use(profile: type) -> None:
        monkeypatch.setattr(processors.RDFProcessor, "_load_profiles", lambda *_: [profile])

    return use


def test_profile_adds_fields_and_replaces_none(portal: Portal, url: str, use: Any) -> None:
    use(OwnProfile)
    source = portal.source(url, "dcat_rdf", config={"profiles": ["own"]})
    assert figures(portal.run(source)) == {"added": 1}
    [dataset] = portal.datasets()
    assert (dataset["title"], dataset["name"], dataset["notes"]) == (
        "Car parks",
        "car-parks",
        "All car parks.",
    )
    assert dataset["version"] == "7"
    found = extras(dataset)
    assert found["steward"] == "A. Steward"
    assert found["stewards"] == '["A. Steward"]'
    assert "spatial" not in found
    assert not dataset["maintainer_email"]
    [resource] = dataset["resources"]
    assert (resource["name"], resource["rows"]) == ("Table", "17")
    assert figures(portal.run(source)) == {"not modified": 1}


def test_the_profiles_of_the_package_itself(portal: Portal, url: str) -> None:
    source = portal.source(url, "dcat_rdf", config={"profiles": ["euro_dcat_ap_3"]})
    assert figures(portal.run(source)) == {"added": 1}
    assert extras(portal.datasets()[0])["uri"] == "http://data.example/id/0"


def test_failed_profile_loses_no_dataset(portal: Portal, url: str, use: Any) -> None:
    use(Broken)
    assert figures(portal.run(portal.source(url, "dcat_rdf", config={"profiles": ["b"]}))) == {
        "added": 1
    }


def test_a_profile_that_is_not_here_is_refused_on_save(portal: Portal, url: str) -> None:
    with pytest.raises(tk.ValidationError, match="profiles: Unknown RDF profiles: nobodys"):
        portal.source(url, "dcat_rdf", config={"profiles": ["nobodys"]})


def test_without_the_package_the_option_says_so(
    portal: Portal, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ckanext.dcat.processors", None)
    with pytest.raises(tk.ValidationError, match="needs the package ckanext-dcat"):
        portal.source(url, "dcat_rdf", config={"profiles": ["euro_dcat_ap_3"]})
    portal.source(url, "dcat_rdf")
