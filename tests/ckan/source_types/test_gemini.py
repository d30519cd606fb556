"""GEMINI by its three source types, with real servers and consumers: the same datasets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from ckan import model

from tests import gemini_catalogue
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.ckan.servers import nginx, pycsw

COUNT = 60  # more than a page of a catalogue (50)
# What may differ: the portal's own values, and the URL of the record.
OF_THE_PORTAL = {"id", "metadata_created", "metadata_modified", "extras", "resources"}
OF_A_RESOURCE = {"id", "package_id", "created", "metadata_modified"}
OF_THE_HARVEST = {
    "harvest_object_id",
    "harvest_source_id",
    "harvest_source_title",
    "harvest_source_reference",
}


@pytest.fixture(scope="module")
def catalogue() -> list[gemini_catalogue.Made]:
    return gemini_catalogue.records(COUNT)


@pytest.fixture(scope="module")
def web(
    catalogue: list[gemini_catalogue.Made], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[nginx.WebServer]:
    """A folder of records, /waf/, and the saved answer of a catalogue, /answer.xml."""
    root = tmp_path_factory.mktemp("web")
    folder = root / "waf"
    folder.mkdir()
    gemini_catalogue.write(catalogue, folder)
    (root / "answer.xml").write_bytes(gemini_catalogue.answer(catalogue))
    with nginx.serve(root, tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(scope="module")
def csw(
    catalogue: list[gemini_catalogue.Made], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[pycsw.Catalogue]:
    records = tmp_path_factory.mktemp("records")
    gemini_catalogue.write(catalogue, records)
    with pycsw.serve(records, tmp_path_factory.mktemp("pycsw") / "records.db") as server:
        assert server.held == COUNT
        yield server


def comparable() -> dict[str, dict[str, Any]]:
    """Return guid → all that a search shows of a dataset, but what depends on the source type."""
    found = {}
    for dataset in act("package_search", q="*:*", rows=COUNT)["results"]:
        facts = {key: value for key, value in dataset.items() if key not in OF_THE_PORTAL}
        told = extras(dataset)
        facts |= {f"extra {key}": told[key] for key in told.keys() - OF_THE_HARVEST}
        for number, resource in enumerate(dataset["resources"]):
            for key in resource.keys() - OF_A_RESOURCE:
                facts[f"resource {number} {key}"] = resource[key]
        found[told["guid"]] = facts
    return found


def differences(one: dict[str, dict[str, Any]], other: dict[str, dict[str, Any]]) -> list[str]:
    """Return the differences, field by field."""
    assert one.keys() == other.keys()
    return [
        f"{guid} {key}: {facts.get(key)!r} ≠ {other[guid].get(key)!r}"
        for guid, facts in one.items()
        for key in sorted(facts.keys() | other[guid].keys())
        if facts.get(key) != other[guid].get(key)
    ]


def stamps() -> dict[str, datetime]:
    """Return when each dataset was changed."""
    model.Session.remove()
    return dict(model.Session.query(model.Package.id, model.Package.metadata_modified).all())


@pytest.mark.giant
def test_each_way_gives_the_same_datasets_once(
    portal: Portal, web: nginx.WebServer, csw: pycsw.Catalogue
) -> None:
    addresses = {
        "gemini-single": f"{web.url}/answer.xml",
        "gemini-waf": f"{web.url}/waf/",
        "gemini-csw": csw.url,
    }
    found, asked = {}, {}
    for way, address in addresses.items():
        source = portal.source(address, way)
        assert figures(portal.run(source)) == {"added": COUNT}, way
        found[way], before = comparable(), stamps()
        web.requests()
        assert figures(portal.run(source)) == {"not modified": COUNT}, way
        assert stamps() == before
        asked[way] = web.requests()
        # A guid cannot be in two sources.
        act("harvest_source_clear", id=source)
    first = found.pop("gemini-single")
    assert len(first) == COUNT
    for way, datasets in found.items():
        assert differences(first, datasets) == [], way
    # Each file is requested at most once, and answered by "not modified".
    listing, *files = asked["gemini-waf"]
    assert listing.path == "/waf/"
    assert len(files) <= COUNT
    assert {each.size for each in files} <= {0}


def test_a_catalogue_is_asked_for_changes_alone(
    portal: Portal, catalogue: list[gemini_catalogue.Made], csw: pycsw.Catalogue
) -> None:
    config: dict[str, Any] = {"types": ["series", "service"], "page_size": 10, "full_check_days": 1}
    source = portal.source(csw.url, "gemini-csw", config=config)
    count = sum(each.kind in config["types"] for each in catalogue)
    assert count > 10  # several pages
    assert figures(portal.run(source)) == {"added": count}
    job = portal.run(source)
    assert "only what changed since" in job["ukharvest"]["reason"]
    assert figures(job).keys() <= {"not modified"}
    assert figures(job).get("not modified", 0) < count
