"""Another extension, with hooks of other harvesters only."""

from __future__ import annotations

from typing import Any

import ckan.plugins as plugins
from ckanext.dcat.harvesters import DCATRDFHarvester
from ckanext.dcat.interfaces import IDCATRDFHarvester
from ckanext.harvest.harvesters import CKANHarvester, HarvesterBase
from ckanext.spatial import interfaces
from ckanext.spatial.harvesters import waf
from ckanext.spatial.harvesters.base import SpatialHarvester


class OldSpatialPlugin(plugins.SingletonPlugin):
    plugins.implements(interfaces.ISpatialHarvester, inherit=True)

    def get_package_dict(self, context: Any, data_dict: dict[str, Any]) -> Any:
        return data_dict["package_dict"]

    def transform_to_iso(self, document: str, form: str, harvest_object: Any) -> Any:
        return document


class OldDcatPlugin(plugins.SingletonPlugin):
    plugins.implements(plugins.IConfigurer, inherit=True)
    plugins.implements(IDCATRDFHarvester, inherit=True)


class OldCkanHarvester(CKANHarvester):  # type: ignore[misc]
    def modify_package_dict(self, package_dict: dict[str, Any], harvest_object: Any) -> Any:
        return package_dict


class OldChildHarvester(OldCkanHarvester):
    """Has the method of its parent."""


class OldSpatialHarvester(SpatialHarvester):  # type: ignore[misc]
    """A harvester of its own, which ckanext-spatial's base asks for its stages."""

    def get_package_dict(self, iso_values: dict[str, Any], harvest_object: Any) -> Any:
        return iso_values

    def transform_to_iso(self, document: str, form: str, harvest_object: Any) -> Any:
        return document

    def gather_stage(self, harvest_job: Any) -> list[str]:
        return []


class OldWafHarvester(waf.WAFHarvester):  # type: ignore[misc]
    def fetch_stage(self, harvest_object: Any) -> bool:
        return True

    def import_stage(self, harvest_object: Any) -> bool:
        return True

    def get_original_url(self, harvest_object_id: str) -> str:
        return harvest_object_id

    def _get_user_name(self) -> str:
        return "harvest"

    def _get_validator(self) -> Any:
        return None


class OldDcatHarvester(DCATRDFHarvester):  # type: ignore[misc]
    def modify_package_dict(self, package_dict: Any, dcat_dict: Any, harvest_object: Any) -> Any:
        return package_dict

    def _get_content_and_type(self, url: str, *_more: Any) -> tuple[str, str]:
        return "", ""


class OldOwnHarvester(HarvesterBase):  # type: ignore[misc]
    """A harvester of its own: its stages are no hooks."""

    def gather_stage(self, harvest_job: Any) -> list[str]:
        return []

    def modify_package_dict(self, package_dict: dict[str, Any]) -> dict[str, Any]:
        return package_dict


class OldPlainHarvester(CKANHarvester):  # type: ignore[misc]
    """Has the method of ckanext-harvest only."""
