"""Another extension, with hooks of other harvesters only."""

from __future__ import annotations

from typing import Any

import ckan.plugins as plugins
from ckanext.dcat.interfaces import IDCATRDFHarvester
from ckanext.harvest.harvesters import CKANHarvester
from ckanext.spatial import interfaces


class OldSpatialPlugin(plugins.SingletonPlugin):
    plugins.implements(interfaces.ISpatialHarvester, inherit=True)

    def get_package_dict(self, context: Any, data_dict: dict[str, Any]) -> Any:
        return data_dict["package_dict"]


class OldDcatPlugin(plugins.SingletonPlugin):
    plugins.implements(plugins.IConfigurer, inherit=True)
    plugins.implements(IDCATRDFHarvester, inherit=True)


class OldCkanHarvester(CKANHarvester):  # type: ignore[misc]
    def modify_package_dict(self, package_dict: dict[str, Any], harvest_object: Any) -> Any:
        return package_dict


class OldChildHarvester(OldCkanHarvester):
    """Has the method of its parent."""


class OldPlainHarvester(CKANHarvester):  # type: ignore[misc]
    """Has the method of ckanext-harvest only."""
