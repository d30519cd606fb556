"""Requirements on every registered harvester, without a test per type."""

from __future__ import annotations

from importlib.metadata import entry_points

import ckan.plugins as p
import pytest
from ckan import model
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvesters.base import UkHarvester
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.harvesting import Portal, figures
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.records import Item, items


def _registered() -> dict[str, type]:
    found = {}
    for point in entry_points(group="ckan.plugins"):
        if point.value.startswith("ckanext.ukharvest."):
            plugin = point.load()
            if issubclass(plugin, UkHarvester):
                found[point.name] = plugin
    return found


@pytest.fixture(params=sorted(TYPES))
def type_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_type_is_a_plugin_of_its_name() -> None:
    plugins = _registered()
    assert {plugin.source_type.name for plugin in plugins.values()} == set(TYPES)
    for name, plugin in plugins.items():
        assert name == "ukharvest_" + plugin.source_type.name.replace("-", "_")


def test_every_type_has_title_and_description_of_its_own() -> None:
    infos = [plugin.info() for plugin in p.PluginImplementations(IHarvester)]
    ours = [info for info in infos if info["name"] in TYPES]
    assert sorted(info["name"] for info in ours) == sorted(TYPES)
    assert [info["name"] for info in ours if not info["title"] or not info["description"]] == []


def test_records_are_added_updated_and_deleted(
    portal: Portal, publisher: Publisher, type_name: str
) -> None:
    serve = SERVERS[type_name]
    served = serve(publisher, items(4))
    source = portal.source(publisher.url(served.path), type_name)
    assert figures(portal.run(source)) == {"added": 4}
    assert figures(portal.run(source)) == {"not modified": 4}
    serve(publisher, [*items(3), Item(3, title="Title 3", description="Another.")])
    assert figures(portal.run(source, twice=True)) == {"not modified": 3, "updated": 1}
    serve(publisher, items(3))
    assert figures(portal.run(source)) == {"not modified": 3, "missing": 1}
    assert figures(portal.run(source)) == {"not modified": 3, "deleted": 1}
    assert [dataset["title"] for dataset in portal.datasets()] == [f"Title {n}" for n in range(3)]


def test_faulty_records_and_reads_harm_no_dataset(
    portal: Portal, publisher: Publisher, type_name: str
) -> None:
    serve = SERVERS[type_name]
    served = serve(publisher, [*items(3), Item(3, title="")])
    source = portal.source(publisher.url(served.path), type_name)
    assert figures(portal.run(source)) == {"added": 3, "errored": 1}, "a record without title"
    serve(publisher, items(4, description="Changed."))
    publisher.fail(served.late_path, status=500, times=20)
    job = portal.run(source)
    assert figures(job) == {"errored": 1}
    assert job["status"] == "Finished"
    assert "500" in job["gather_error_summary"][0]["message"]
    assert model.Session.query(HarvestObject).filter_by(harvest_job_id=job["id"]).count() == 0
    assert len(portal.datasets()) == 3, "after a late failure"
    publisher.recover()
    serve(publisher, [])
    for _ in range(3):
        portal.run(source)
    assert len(portal.datasets()) == 3, "after empty reads"
