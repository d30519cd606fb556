"""A real CKAN as source: the test site itself, served over HTTP and harvested by consumers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ckan.tests import factories

from ckanext.ukharvest import config
from tests.ckan.gateway import Gateway, other_id, with_other_ids
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.ckan.servers import own_site

COUNT = 7


@pytest.fixture
def others() -> list[dict[str, Any]]:
    """Datasets of another organisation of the site, which is the remote one here."""
    far = factories.Organization(name="far-council", title="Far Council")
    return [
        factories.Dataset(
            name=f"far_{number}",
            title=f"Far {number}",
            notes=f"What is known about number {number}.",
            owner_org=far["id"],
            license_id="uk-ogl",
            tags=[{"name": "roads"}],
            extras=[{"key": "update_frequency", "value": "monthly"}],
            resources=[{"url": f"https://far.example/{number}.csv", "format": "csv", "name": "T"}],
        )
        for number in range(COUNT)
    ]


@pytest.fixture
def remote(ckan_config: Any, others: list[dict[str, Any]]) -> Iterator[str]:
    """URL of the site's own CKAN, which looks like another: it has other ids and another key."""
    change = with_other_ids(each["id"] for each in others)
    key = config.own_site().key.encode()
    with (
        own_site(ckan_config) as place,
        Gateway(place, lambda body: change(body).replace(key, b"another")) as gateway,
    ):
        yield gateway.url("/")


@pytest.fixture
def source(portal: Portal, remote: str) -> str:
    # Pages of three; the harvested datasets of this site must not be harvested again.
    config = {"organizations_filter_include": ["far-council"], "rows": 3}
    return portal.source(remote, "ckan", config=config)


def harvested(portal: Portal) -> list[dict[str, Any]]:
    return [each for each in portal.datasets() if each["owner_org"] == portal.organization_id]


def test_a_real_ckan_is_harvested_changed_and_left_alone(
    portal: Portal, source: str, others: list[dict[str, Any]]
) -> None:
    assert figures(portal.run(source)) == {"added": COUNT}
    first = harvested(portal)[0]
    there = others[0]
    assert extras(first)["guid"] == other_id(there["id"])
    assert first["id"] != there["id"]
    assert (first["title"], first["notes"], first["license_id"]) == (
        "Far 0",
        "What is known about number 0.",
        "uk-ogl",
    )
    assert [tag["name"] for tag in first["tags"]] == ["roads"]
    assert [(r["url"], r["format"]) for r in first["resources"]] == [
        ("https://far.example/0.csv", "CSV")
    ]
    before = {each["id"]: each["name"] for each in harvested(portal)}
    act("package_patch", id=others[2]["id"], title="Renamed")
    job = portal.run(source)
    assert figures(job) == {"updated": 1, "not modified": COUNT - 1}
    assert "only what changed since" in job["ukharvest"]["reason"]
    assert {each["id"]: each["name"] for each in harvested(portal)} == before
    assert "Renamed" in [each["title"] for each in harvested(portal)]


def test_dataset_gone_at_remote_goes_after_full_reads(
    portal: Portal, source: str, others: list[dict[str, Any]]
) -> None:
    portal.run(source)
    act("package_delete", id=others[0]["id"])
    assert figures(portal.run(source)) == {"not modified": COUNT - 1}
    config = '{"organizations_filter_include": ["far-council"], "full_check_days": 0}'
    act("harvest_source_patch", id=source, config=config)
    assert figures(portal.run(source))["missing"] == 1
    assert figures(portal.run(source)) == {"not modified": COUNT - 1, "deleted": 1}
    assert len(harvested(portal)) == COUNT - 1
