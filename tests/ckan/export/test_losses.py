"""Datasets of all source types, exported and harvested by another portal: which fields differ."""

from __future__ import annotations

import gzip
import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action

from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export.losses import DATA_JSON, LOSSES, RDF, losses_of
from ckanext.ukharvest.parsers.data_json.resources import CODES, EXTRAS
from ckanext.ukharvest.parsers.dcat import distribution
from ckanext.ukharvest.parsers.dcat import extras as dcat_extras
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.conftest import empty_portal
from tests.ckan.harvesting import Portal, extras
from tests.publisher import SOURCES, Publisher, recorded

pytestmark = pytest.mark.in_process

# Recorded publishers, at least one of each source type.
CASES = (
    *("ckan-translated", "ckan-uk", "csw-pages", "dcat-hydra", "dcat-jsonld", "dcat-languages"),
    *("dcat-rdfxml", "dcat-us-3", "dkan-7", "gemini-2.3", "gemini-waf", "gemini-welsh"),
    *("inventory-0.3", "oaipmh-mixed", "ods-explore", "ods-languages", "opensearch-geojson"),
    *("pod-1.1-full", "sparql-graph", "table"),
)
# Fields of data.json that no recorded publisher has.
OWN_FIELDS = {
    **{name: f"The {name}" for name in EXTRAS.keys() - CODES.keys()},
    "accessLevel": "public",
    "dataQuality": True,
    "spatialResolutionInMeters": "10",
    "temporalResolution": "P1D",
    "identifier": "gritting",
    "title": "Gritting routes",
    "conformsTo": "http://schemas.opendata.esd.org.uk/PublicToilets",
    "theme": ["http://id.esd.org.uk/function/40", "Transport", "Environment"],
    "codelist": ["http://id.esd.org.uk/list/services"],
    "mandate": ["https://www.legislation.gov.uk/ukpga/1980/66"],
    "unpublished": "true",
}
# Values of properties that do not take any text, nor any URI: key of the extra → Turtle.
SPECIAL = {
    "frequency": "<http://publications.europa.eu/resource/authority/frequency/MONTHLY>",
    "theme": "<http://id.esd.org.uk/service/568>",
    "spatial_resolution_in_meters": '"10.0"^^xsd:decimal',
    "temporal_resolution": '"P1D"^^xsd:duration',
    **dict.fromkeys(("min_typical_age", "max_typical_age"), '"9"^^xsd:nonNegativeInteger'),
    **dict.fromkeys(
        ("number_of_records", "number_of_unique_individuals"), '"90"^^xsd:nonNegativeInteger'
    ),
}
BEGINNING = """@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@base <https://council.example/> .
<dataset> a dcat:Dataset ; dct:title "All properties" ; dcat:distribution <file> .
<file> a dcat:Distribution ; dct:title "A file" ; dcat:downloadURL <file.csv> ;
    dct:rights "Ask first" ;
    spdx:checksum [ spdx:algorithm spdx:checksumAlgorithm_sha1 ; spdx:checksumValue "ab12" ] ;
    dcat:accessService [ dct:title "Query" ; dcat:endpointURL <api> ; dct:identifier "q" ] .
"""
# Services and series that are datasets of CKAN, in Turtle and in JSON.
KINDS_IN_TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@base <https://council.example/> .
<catalogue> a dcat:Catalog ; dcat:service <query> ; dcat:dataset <years>, <2025> .
<query> a dcat:DataService ; dct:title "Query" ; dcat:endpointURL <api>, <v2> ;
    dcat:endpointDescription <openapi.yaml> .
<years> a dcat:DatasetSeries ; dct:title "Years" ; dcat:seriesMember <2024>, <2025> .
<2025> a dcat:Dataset ; dct:title "2025" ; dcat:inSeries <years> ;
    dcat:distribution [ dcat:downloadURL <2025.csv> ; dct:format "CSV" ] .
"""
KINDS_IN_JSON = {
    "dataset": [{"identifier": "d", "title": "D", "inSeries": "https://council.example/years"}],
    "service": [
        {
            "@type": "DataService",
            "identifier": "tiles",
            "title": "Tiles",
            "endpointURL": ["https://council.example/tiles"],
        }
    ],
    "datasetSeries": [{"identifier": "months", "title": "Months", "seriesMember": ["d"]}],
}
# They have services, series, checksums and nodes of DCAT 3.
PROFILES = tuple(
    SOURCES.parent / "parsers" / "dcat" / "documents" / f"{name}.ttl"
    for name in ("dcat_ap_3", "dcat_us_3")
)
OTHER_PORTAL = "https://first.example"
FILES = {
    RDF: ("turtle", "catalogue.ttl", "dcat_rdf"),
    DATA_JSON: ("data_json", "data.json", "data_json"),
}

# A portal's and a run's own values, and those that CKAN makes of others.
OWN = frozenset(
    (
        *("id", "name", "owner_org", "organization", "creator_user_id", "groups", "type", "state"),
        *("metadata_created", "metadata_modified", "num_resources", "num_tags", "private"),
        *("license_title", "isopen", "relationships_as_subject", "relationships_as_object"),
        *("harvest_object_id", "harvest_source_id", "harvest_source_title", "import_source"),
        *("resource.id", "resource.package_id", "resource.created", "resource.position"),
        *("resource.metadata_modified", "resource.last_modified", "resource.state"),
        *("resource.cache_url", "resource.cache_last_updated", "resource.url_type"),
    )
)
EMPTY: Any = ("", None, [], {})


def harvest_all(portal: Portal) -> dict[str, str]:
    """Harvest all cases; return dataset's id → source type."""
    found: dict[str, str] = {}
    for case in CASES:
        source = json.loads((SOURCES / case / "source.json").read_text(encoding="utf-8"))
        with recorded(case) as publisher:
            id_ = portal.source(
                publisher.url(source["path"]), source["type"], config=source["options"]
            )
            portal.run(id_)
        for dataset_id in ids_of_datasets():
            found.setdefault(dataset_id, source["type"])
    with Publisher() as publisher:
        publisher.serve("/data.json", {"dataset": [OWN_FIELDS]})
        publisher.serve("/all.ttl", all_properties())
        for path, type_ in (("/data.json", "data_json"), ("/all.ttl", "dcat_rdf")):
            portal.run(portal.source(publisher.url(path), type_))
            for dataset_id in ids_of_datasets():
                found.setdefault(dataset_id, type_)
    return found | harvest_profiles(portal)


def harvest_profiles(portal: Portal) -> dict[str, str]:
    """Harvest the documents with each property of DCAT-AP 3 and DCAT-US 3."""
    before = ids_of_datasets()
    with Publisher() as publisher:
        for file in PROFILES:
            publisher.serve(f"/{file.name}", file.read_text(encoding="utf-8"))
            portal.run(portal.source(publisher.url(f"/{file.name}"), "dcat_rdf"))
    return {id_: "dcat_rdf" for id_ in ids_of_datasets() if id_ not in before}


def ids_of_datasets() -> list[str]:
    model.Session.remove()
    query = model.Session.query(model.Package.id).filter_by(type="dataset", state="active")
    return [row[0] for row in query]


def all_properties() -> str:
    """Return a dataset in Turtle with each property of a dataset and a file that our parser has."""
    lines = [f"@prefix {name}: <{uris[0]}> .\n" for name, uris in NAMESPACES.items()]
    lines.append(BEGINNING)
    for subject, module in (("<dataset>", dcat_extras), ("<file>", distribution)):
        for table in (module.SINGLE, module.LISTS):
            for key, name in {key: name for name, key in reversed(table.items())}.items():
                value = SPECIAL.get(key) or (f"<{key}>" if table is module.LISTS else f'"{key}"')
                lines.append(f"{subject} {name} {value} .\n")
    return "".join(lines)


def facts_of(dataset: dict[str, Any]) -> dict[str, Any]:
    """Return the fields, extras and resources of a dataset that are not empty."""
    found = {key: value for key, value in dataset.items() if key not in ("extras", "resources")}
    found |= extras(dataset)
    found["tags"] = sorted(tag["name"] for tag in dataset["tags"])
    resources = sorted(dataset["resources"], key=lambda each: (each["url"], each["name"] or ""))
    for name in {name for each in resources for name in each}:
        values = [each.get(name) for each in resources]
        if any(value not in EMPTY for value in values):
            found[f"resource.{name}"] = values
    return {key: value for key, value in found.items() if key not in OWN and value not in EMPTY}


@pytest.mark.timeout(1800)
def test_a_harvest_of_the_export_has_all_fields_but_those_listed(
    portal: Portal, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = harvest_all(portal)
    assert set(types.values()) == set(TYPES)
    before = {each["id"]: facts_of(each) for each in portal.datasets()}
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, "ckan.site_url", OTHER_PORTAL)
        names = [name for name, _file, _type in FILES.values()]
        made = export_files.export_catalogue(tmp_path, names, lambda _done, _total: None)
    assert (made["datasets"], made["left_out"]) == (len(before), 0)
    wrong: dict[str, Any] = {}
    for format_, (_name, file, type_) in FILES.items():
        empty_portal()
        with Publisher() as publisher:
            text = gzip.decompress((tmp_path / f"{file}.gz").read_bytes())
            publisher.serve(f"/{file}", text.decode())
            job = portal.run(portal.source(publisher.url(f"/{file}"), type_))
        assert job["stats"]["added"] == len(before), job["stats"]
        wrong |= differences(format_, before, portal.datasets(), types)
    assert not wrong, lines_of(wrong)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("format_", FILES)
def test_services_and_series_are_the_same_on_the_next_portal(
    portal: Portal, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    name, file, type_ = FILES[format_]
    with Publisher() as publisher:
        publisher.serve("/kinds.ttl", KINDS_IN_TURTLE)
        publisher.serve("/data.json", KINDS_IN_JSON)
        portal.run(portal.source(publisher.url("/kinds.ttl"), "dcat_rdf"))
        portal.run(portal.source(publisher.url("/data.json"), "data_json"))
    before = {each["id"]: facts_of(each) for each in portal.datasets()}
    linked = parts_of_collections(portal)
    assert linked == {"Months": ["D"], "Years": ["2025", "D"]}
    kinds = sorted(each.get("resource-type", "") for each in before.values())
    assert kinds == ["", "", "series", "series", "service", "service"]
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, "ckan.site_url", OTHER_PORTAL)
        export_files.export_catalogue(tmp_path, [name], lambda _done, _total: None)
    empty_portal()
    with Publisher() as publisher:
        text = gzip.decompress((tmp_path / f"{file}.gz").read_bytes())
        publisher.serve(f"/{file}", text.decode())
        portal.run(portal.source(publisher.url(f"/{file}"), type_))
    after = portal.datasets()
    assert parts_of_collections(portal) == linked
    assert sorted(facts_of(each).get("resource-type", "") for each in after) == kinds
    wrong = differences(format_, before, after, dict.fromkeys(before, ""))
    assert not {field: found for field, found in wrong.items() if found != ["is the same"]}


def parts_of_collections(portal: Portal) -> dict[str, list[str]]:
    """Return title of a collection → titles of its parts here."""
    shown = {
        each["title"]: call_action("ukharvest_dataset_show", id=each["id"])["collections"]["parts"]
        for each in portal.datasets()
    }
    return {
        title: sorted(part["title"] for part in parts) for title, parts in shown.items() if parts
    }


# The same documents are among those of the first test.
@pytest.mark.giant
@pytest.mark.timeout(600)
def test_nodes_of_dcat_3_are_handed_on(
    portal: Portal, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = harvest_profiles(portal)
    before = {each["id"]: facts_of(each) for each in portal.datasets()}
    with monkeypatch.context() as patch:
        patch.setitem(ckan_config, "ckan.site_url", OTHER_PORTAL)
        export_files.export_catalogue(tmp_path, ["turtle"], lambda _done, _total: None)
    empty_portal()
    with Publisher() as publisher:
        text = gzip.decompress((tmp_path / "catalogue.ttl.gz").read_bytes())
        publisher.serve("/catalogue.ttl", text.decode())
        portal.run(portal.source(publisher.url("/catalogue.ttl"), "dcat_rdf"))
    wrong = differences(RDF, before, portal.datasets(), types)
    wrong = {field: found for field, found in wrong.items() if found != ["is the same"]}
    assert not wrong, lines_of(wrong)


def lines_of(wrong: dict[str, Any]) -> str:
    return "\n".join(f"{field}: {str(examples)[:600]}" for field, examples in wrong.items())


def differences(
    format_: str,
    before: dict[str, dict[str, Any]],
    datasets: list[dict[str, Any]],
    types: dict[str, str],
) -> dict[str, Any]:
    """Return the fields that differ in some copy and are not listed, and those that only are."""
    after = {extras(each)["guid"].rpartition("/")[2]: facts_of(each) for each in datasets}
    differing: dict[str, Any] = {}  # field → examples: source type, value and copy
    for id_, facts in before.items():
        for field in facts.keys() | after[id_].keys():
            values = facts.get(field), after[id_].get(field)
            if values[0] != values[1]:
                differing.setdefault(field, []).append((types[id_], *values))
    listed = losses_of(format_)
    wrong: dict[str, Any] = {}
    for field, examples in differing.items():
        if field not in listed:
            wrong[field] = examples
        elif listed[field].is_added:
            wrong[field] = [each for each in examples if not keeps(field, *each[1:])]
    wrong |= dict.fromkeys(listed.keys() - differing.keys(), ["is the same"])
    return {f"{format_}: {field}": examples for field, examples in wrong.items() if examples}


def keeps(field: str, value: Any, copy: Any) -> bool:
    """Tell whether a copy has a value only where there was none; of resources, each for itself."""
    if not field.startswith("resource."):
        return value in EMPTY
    pairs = zip_longest(value or (), copy or ())
    return all(one in EMPTY or one == other for one, other in pairs)


def test_each_loss_is_listed_once() -> None:
    for format_ in (RDF, DATA_JSON):
        fields = [field for loss in LOSSES if format_ in loss.formats for field in loss.fields]
        assert sorted(set(fields)) == sorted(fields)
