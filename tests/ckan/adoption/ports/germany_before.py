"""A German portal's DCAT harvester as it was."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import ckan.plugins as p
from ckanext.dcat.harvesters import DCATRDFHarvester
from ckanext.dcat.interfaces import IDCATRDFHarvester

TABLE = {"http://dcat-ap.de/def/licenses/cc-by": "http://dcat-ap.de/def/licenses/cc-by/4.0"}


class GermanHarvester(DCATRDFHarvester):  # type: ignore[misc]
    """Adds the contributor, upgrades licences, and ignores datasets without files."""

    p.implements(IDCATRDFHarvester, inherit=True)
    after: ClassVar[list[str]] = []

    def info(self) -> dict[str, str]:
        return {**super().info(), "name": "dcatde_rdf", "title": "DCAT-AP.de"}

    def before_create(self, harvest_object: Any, dataset_dict: Any, temp_dict: Any) -> None:
        self.before_update(harvest_object, dataset_dict, temp_dict)

    def before_update(self, harvest_object: Any, dataset_dict: Any, temp_dict: Any) -> None:
        options = json.loads(harvest_object.source.config or "{}")
        if options.get("resources_required") and not dataset_dict["resources"]:
            dataset_dict.clear()
            return
        temp_dict["contributor"] = options["contributorID"]
        value = json.dumps([options["contributorID"]])
        dataset_dict["extras"].append({"key": "contributorID", "value": value})
        for resource in dataset_dict["resources"]:
            licence = resource.get("license") or "http://dcat-ap.de/def/licenses/other-closed"
            resource["license"] = TABLE.get(licence, licence)

    def after_create(self, harvest_object: Any, dataset_dict: Any, temp_dict: Any) -> None:
        self.after.append(dataset_dict["id"])

    def after_update(self, harvest_object: Any, dataset_dict: Any, temp_dict: Any) -> None:
        self.after.append(temp_dict["contributor"])
