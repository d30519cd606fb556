"""A CKAN site's URL, and the datasets that a source asks it for."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.readers.ckan_api import site as ckan_site
from tests.publisher import Publisher
from tests.readers.ckan_api.sites import ALL, Read, Site, ids, old_site, package


def test_filters_become_one_query(site: Site, read: Read) -> None:
    read(
        organizations_filter_include=["a", 'b"c'],
        groups_filter_exclude=["d"],
        tags_filter_include=["two words"],
        types_filter_exclude=["map"],
        fq="res_format:CSV OR res_format:JSON",
    )
    assert site.asked[0]["fq"] == (
        '+(organization:"a" OR organization:"b\\"c") -groups:"d" +(tags:"two words")'
        ' -dataset_type:"map" +(res_format:CSV OR res_format:JSON)'
    )


@pytest.mark.parametrize(
    ("path", "bases", "fq"),
    [
        ("", [""], ""),
        ("/", [""], ""),
        ("/api", [""], ""),
        ("/api/3/", [""], ""),
        ("/api/3/action/package_search?q=x&fq=tags:a", [""], "+(tags:a)"),
        ("/data/api/action", ["/data", ""], ""),
        ("/en/dataset", ["/en", ""], ""),
        ("/dataset?q=roads", [""], ""),
        ("/organization/a-council", [""], '+organization:"a-council"'),
        ("/group/health", [""], '+groups:"health"'),
    ],
)
def test_any_address_of_a_site_will_do(path: str, bases: list[str], fq: str) -> None:
    site = ckan_site.Site.parse("https://data.example" + path)
    assert list(site.bases) == ["https://data.example" + base for base in bases]
    assert " ".join(site.fq) == fq
    assert not site.is_document


def test_a_site_under_a_path_is_found(publisher: Publisher, read: Read) -> None:
    publisher.serve(
        "/data/api/3/action/package_search?rows=4&start=0&sort=id+asc",
        {"success": True, "result": {"count": 1, "results": [package(1)]}},
    )
    records, ending = read("/data/dataset")
    assert [raw.url for raw in records] == [publisher.url("/data/dataset/name-1")]
    assert ending.complete


def test_filters_hold_without_a_search_too(publisher: Publisher, read: Read) -> None:
    old_site(publisher)
    assert ids(read(organizations_filter_include=["b"])[0]) == ALL[:1]
    assert ids(read(organizations_filter_exclude=["b"])[0]) == ALL[1:3]
    with pytest.raises(ProtocolError, match="the filter of this source needs that search"):
        read(fq="tags:a")
