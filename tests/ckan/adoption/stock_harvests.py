"""Sources and datasets as a stock harvester leaves them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import Portal, act, extras


class Stock:
    """Fills a source as ckanext-dcat's dcat_json harvester leaves it."""

    def __init__(self, source_id: str, organization_id: str) -> None:
        self.source_id = source_id
        self.organization_id = organization_id
        self._user = factories.Sysadmin()["name"]

    def fill(self, datasets: Sequence[dict[str, Any]], *, objects: bool = True) -> None:
        """Write datasets with, or without, harvest objects that name them."""
        job = HarvestJob(source_id=self.source_id, status="Finished")
        job.gather_started = job.gather_finished = job.finished = utcnow()
        model.Session.add(job)
        model.Session.commit()
        for number, data in enumerate(datasets):
            package_id = self._package(number, data)
            if objects:
                self.add_object(job.id, data, package_id)

    def add_object(self, job_id: str, data: dict[str, Any], package_id: str) -> None:
        job = HarvestJob.get(job_id)
        obj = HarvestObject(
            job=job,
            source=job.source,
            guid=data["identifier"],
            content=json.dumps(data),
            package_id=package_id,
            current=True,
            state="COMPLETE",
            report_status="added",
            import_finished=utcnow(),
        )
        model.Session.add(obj)
        model.Session.commit()
        call_action("package_patch", self._context(), id=package_id)

    def _package(self, number: int, data: dict[str, Any]) -> str:
        package = call_action(
            "package_create",
            self._context(),
            name=f"stock-{self.source_id[:8]}-{number}",
            title=data["title"],
            notes="As the stock harvester wrote it.",
            owner_org=self.organization_id,
            extras=[
                {"key": "guid", "value": data["identifier"]},
                {"key": "harvest_source_id", "value": self.source_id},
            ],
            resources=[
                {"url": each["downloadURL"], "name": each["title"], "format": "CSV"}
                for each in data["distribution"]
            ],
        )
        return str(package["id"])

    def _context(self) -> dict[str, Any]:
        return {"ignore_auth": True, "user": self._user}


def ids(portal: Portal) -> dict[str, tuple[str, str, list[str]]]:
    """guid → id, name and resource ids of each dataset."""
    return {
        extras(each)["guid"]: (each["id"], each["name"], [r["id"] for r in each["resources"]])
        for each in portal.datasets()
    }


def current_objects() -> dict[str, list[str]]:
    """Return id of a dataset → ids of its current harvest objects."""
    objects: dict[str, list[str]] = {}
    for obj in model.Session.query(HarvestObject).filter_by(current=True):
        objects.setdefault(obj.package_id, []).append(obj.id)
    return objects


def numbered(count: int) -> list[dict[str, Any]]:
    return [dataset(n) for n in range(count)]


def without_source(stock: Stock) -> None:
    """Write datasets with a guid but without a harvest source."""
    stock.fill(numbered(4), objects=False)
    for package in model.Session.query(model.Package).filter_by(type="dataset"):
        package.extras["harvest_source_id"] = "lost"
    model.Session.commit()


def delete_source(source_id: str) -> None:
    context = {"ignore_auth": True, "user": factories.Sysadmin()["name"]}
    call_action("harvest_source_delete", context, id=source_id)
    assert not model.Session.get(HarvestSource, source_id).active


# As ckanext-harvest stores what a person typed: blanks, order and all.
OPTIONS = '{"default_tags": [{"name": "parking"}],  "reindex_unchanged": true, "clean_tags": 1}'


def of_another(source_id: str, type_: str, options: str | None = "") -> str:
    """Store a type and options as another harvester's plugin did; return the source's id."""
    package = model.Package.get(source_id)
    package.extras["source_type"] = type_
    if options is None:
        package.extras.pop("config", None)
    else:
        package.extras["config"] = options
    source = HarvestSource.get(source_id)
    source.type, source.config = type_, options
    model.Session.commit()
    act("harvest_source_reindex", id=source_id)
    return source_id


def stored(source_id: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return type and options in the source's row and in its package."""
    model.Session.expire_all()
    source, extras = HarvestSource.get(source_id), model.Package.get(source_id).extras
    return (source.type, source.config), (extras.get("source_type"), extras.get("config"))


def search_names(**query: Any) -> list[str]:
    """Return the names of what a search finds."""
    return sorted(each["name"] for each in act("package_search", **query)["results"])
