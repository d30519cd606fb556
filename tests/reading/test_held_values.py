"""What a source holds, for filters: as its server counts it, and as its records have it."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.source_preview import SourcePreview
from tests.conftest import LOOPBACK
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE
from tests.publishing.records import items
from tests.publishing.sparql import Endpoint

PATH = "/data.json"
FACETS = (
    "/api/3/action/package_search?rows=0&facet.field=%5B%22organization%22%2C+%22groups%22%2C"
    "+%22tags%22%2C+%22license_id%22%2C+%22dataset_type%22%5D&facet.limit=200"
)


def held(url: str, name: str = "data_json", **given: Any) -> dict[str, dict[str, Any]]:
    """Return field → what a preview found in it."""
    kind = source_types.find(name)
    assert kind is not None
    chosen = options.validate(given, (*kind.options, *source_types.COMMON_OPTIONS))
    with HttpClient(Guard(LOOPBACK)) as http:
        watched = Watched(http, Budget())
        preview = SourcePreview(kind, Source(url, chosen, http), watched, counts_values=True)
        return {each["name"]: dict(each) for each in preview.run()["held"]}


def numbers(field: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(each["value"], each["records"]) for each in field["values"]]


def choices(field: dict[str, Any]) -> dict[str, str]:
    return {each["value"]: each["choice"] for each in field["values"] if each["choice"]}


def catalogue(count: int) -> dict[str, Any]:
    subjects = ("parking", "roads", "trees")
    return {
        "dataset": [
            {
                "identifier": f"d{number}",
                "title": f"D {number}",
                "keyword": ["council", subjects[number % 3]],
                "modified": f"20{20 + number % 2}-05-01",
            }
            for number in range(count)
        ]
    }


def test_all_records_of_a_document_are_counted(publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(60))
    found = held(publisher.url(PATH))
    assert list(found) == ["keyword", "year"]
    keyword = found["keyword"]
    assert numbers(keyword) == [("council", 60), ("parking", 20), ("roads", 20), ("trees", 20)]
    assert (keyword["of"], keyword["prefix"], keyword["include"], keyword["exclude"]) == (
        *(60, "keyword:"),
        *("include_values", "exclude_values"),
    )
    assert numbers(found["year"]) == [("2020", 30), ("2021", 30)]


def test_set_filters_are_ticked_and_what_they_skip_is_counted(
    publisher: Publisher,
) -> None:
    publisher.serve(PATH, catalogue(60))
    wanted = ["keyword:roads", "keyword:gone", "year:2020"]
    found = held(publisher.url(PATH), include_values=wanted, exclude_values=["keyword:trees"])
    assert choices(found["keyword"]) == {"roads": "only", "gone": "only", "trees": "without"}
    assert choices(found["year"]) == {"2020": "only"}
    assert numbers(found["keyword"])[1:] == [
        *[("parking", 20), ("roads", 20), ("trees", 20)],
        ("gone", 0),
    ]


def test_ckan_counts_by_its_search(publisher: Publisher) -> None:
    path = SERVERS["ckan"](publisher, items(30)).path
    facet = [{"name": "leeds", "display_name": "Leeds", "count": 18}]
    facet.append({"name": "york", "display_name": "York", "count": 12})
    facets = {
        "organization": {"title": "organization", "items": facet},
        "license_id": {"items": [{"name": "uk-ogl", "display_name": "uk-ogl", "count": 30}]},
        "tags": "broken",
    }
    result = {"count": 30, "results": [], "search_facets": facets}
    publisher.serve(FACETS, {"success": True, "result": result})
    site = publisher.url(path).partition("/api/")[0]
    found = held(site, "ckan")
    assert list(found) == ["organisation"]  # one licence for all leaves nothing out
    organisation = found["organisation"]
    assert numbers(organisation) == [("leeds", 18), ("york", 12)]
    assert organisation["values"][0]["title"] == "Leeds"
    assert (organisation["include"], organisation["exclude"], organisation["of"]) == (
        *("organizations_filter_include", "organizations_filter_exclude"),
        30,
    )


def test_keywords_of_an_endpoint_are_counted_in_its_records(publisher: Publisher) -> None:
    endpoint = Endpoint(
        TURTLE,
        *(
            "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/>"
            " . @prefix foaf: <http://xmlns.com/foaf/0.1/> ."
            f' <https://a.example/{n}> a dcat:Dataset; dct:title "T {n}"; dcat:keyword "all",'
            f' "k{n % 2}"; dct:publisher [ foaf:name "Office {n % 3}" ] .'
            for n in range(60)
        ),
    )
    url = endpoint.serve(publisher)
    found = held(url, "sparql", include_values=["keyword:k1"], batch_size=10)
    assert numbers(found["keyword"]) == [("all", 30), ("k0", 15), ("k1", 15)]
    assert [number for _, number in numbers(found["organisation"])] == [10, 10, 10]
    assert choices(found["keyword"]) == {"k1": "only"}
    assert found["keyword"]["of"] == 30  # the records that were read


@pytest.mark.parametrize("name", sorted(SERVERS))
def test_values_come_from_records_if_the_server_counts_none(
    publisher: Publisher, name: str
) -> None:
    path = SERVERS[name](publisher, items(3)).path
    site = publisher.url("/") if name == "ckan" else publisher.url(path)
    for field in held(site, name).values():
        assert field["of"] == 3


def test_a_test_that_fails_asks_for_no_values(publisher: Publisher) -> None:
    assert held(publisher.url("/"), "ckan") == {}
    assert not [each.path for each in publisher.requests if "facet" in each.path]
