"""Another extension with hooks of ours, and one that it has not deleted yet."""

from __future__ import annotations

from typing import Any, ClassVar

import ckan.plugins as p
from ckanext.spatial.interfaces import ISpatialHarvester

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.interfaces import IUkHarvest, Option, SourceFacts


class SecondHookPlugin(p.SingletonPlugin):
    """Changes a field, adds an extra and a resource, and skips records of another council."""

    p.implements(IUkHarvest, inherit=True)

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        if "elsewhere" in record.title:
            raise SkipRecord("of another council")
        package_dict["title"] = f"{record.title} ({source.type})"
        package_dict["name"] = package_dict["id"] = "never-used"
        package_dict["extras"].append({"key": "area", "value": "North"})
        guide = {"url": "https://site.example/guide.pdf", "name": "Guide"}
        package_dict["resources"].append(guide)


class FailingHookPlugin(p.SingletonPlugin):
    """Fails on one record."""

    p.implements(IUkHarvest, inherit=True)

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        if record.title.endswith("1"):
            raise ZeroDivisionError("secret words")


class ReturningHookPlugin(p.SingletonPlugin):
    """Returns another dict, as hooks of ckanext-spatial do."""

    p.implements(IUkHarvest)

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> Any:
        return {**package_dict, "title": "Another dict"}

    def dataset_hook_version(self) -> str:
        return "2026-11"


class ChangedSpatialPlugin(p.SingletonPlugin):
    """Has a plugin with our hook beside it."""

    p.implements(ISpatialHarvester, inherit=True)


class OwnTypesPlugin(p.SingletonPlugin):
    """Has two names of its own for data_json, and options for the sources of each."""

    p.implements(IUkHarvest, inherit=True)
    sources: ClassVar[list[SourceFacts]] = []

    def source_type_aliases(self) -> dict[str, str]:
        return {"datavic_json": "data_json", "Parks (JSON)": "data_json"}

    def source_type_titles(self) -> dict[str, str]:
        return {"datavic_json": "Victoria’s catalogue"}

    def source_options(self, own_type: str) -> list[Option]:
        if own_type == "Parks (JSON)":
            name, help_, label = "priority", "Which parks come first.", "Parks that come first"
            return [Option(name, "text", "", help_, ("north", "south"), label=label)]
        if own_type != "datavic_json":
            return []
        return [
            Option("data_owner", "text", "", "Who owns the data.", label="Owner of the data"),
            Option("priority", "integer", 0, "Which source wins."),
        ]

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        self.sources.append(source)
        if owner := source.options.get("data_owner"):
            package_dict["extras"].append({"key": "data-owner", "value": owner})


class EmptyHookPlugin(p.SingletonPlugin):
    """Has no method of its own: tests give it some."""

    p.implements(IUkHarvest, inherit=True)
    p.implements(p.IPackageController, inherit=True)
